"""The consensus that ``cluster`` and ``combine`` compute, and the files that they write."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consensa._defaults import DEFAULT_METHOD
from consensa.cli import _options as options
from consensa.cli._columns import Chosen
from consensa.cli._fit import fit_and_tell
from consensa.cli._methods import read_options
from consensa.cli._number_of_clusters import settle_clusters
from consensa.cli._page import check_page, write_page
from consensa.cli._write import check_output
from consensa.consensus.base import BaseConsensus

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """The options of both commands."""

    clusters: options.ClustersOrRange
    method: options.MethodName = DEFAULT_METHOD
    option: options.MethodOptions = None
    output: options.Output = None
    report: options.Report = None
    escape_formulas: options.EscapeFormulas = False
    seed: options.Seed = 0

    def begin(self, estimator: type[BaseConsensus], file: Path) -> BaseConsensus:
        """Check the options before any work; the estimator, with its parameters."""
        parameters = read_options(estimator, self.option or ())
        check_output(self.output, source=file)
        check_page(self.report, source=file, output=self.output)
        return estimator(random_state=self.seed, **parameters)

    def finish(
        self,
        model: BaseConsensus,
        data: Any,
        chosen: Chosen,
        *,
        words: Sequence[str],
        during: AbstractContextManager[Any] | None = None,
    ) -> None:
        """Settle the number of clusters, fit `during` a context, and write labels and report.

        `words` are those of the command line.
        """
        settled = settle_clusters(
            self.clusters,
            data,
            len(chosen.row_names),
            generator=model.generator,
            seed=self.seed,
        )
        model.set_params(n_clusters=settled.n_clusters)
        with during or nullcontext():
            run = fit_and_tell(model, data, chosen, self.output, escape=self.escape_formulas)
        if self.report is not None:
            write_page(self.report, model.result_, run, chosen, settled, words=words)
