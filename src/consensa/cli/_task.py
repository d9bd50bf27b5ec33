"""The consensus that ``cluster`` and ``combine`` compute, and the files that they write."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from consensa._defaults import DEFAULT_METHOD
from consensa.cli import _options as options
from consensa.cli._fit import fit_and_tell
from consensa.cli._methods import read_options
from consensa.cli._number_of_clusters import number_to_fit, settle_clusters, tell_number
from consensa.cli._outputs import Outputs, Samples
from consensa.cli._page import check_page, write_page
from consensa.cli._sampled_page import shown_on_page
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
    append: options.Append = False
    save: options.Save = None
    escape_formulas: options.EscapeFormulas = False
    seed: options.Seed = 0

    def begin(
        self, estimator: type[BaseConsensus], file: Path, profiles: Path | None = None
    ) -> BaseConsensus:
        """Check the options before any work; the estimator, with its parameters."""
        parameters = read_options(estimator, self.option or ())
        self._outputs(profiles).check(file, self.report)
        check_page(self.report, source=file, output=self.output)
        return estimator(random_state=self.seed, **parameters)

    def finish(
        self,
        model: BaseConsensus,
        data: Any,
        samples: Samples,
        *,
        words: Sequence[str],
        profiles: Path | None = None,
        during: AbstractContextManager[Any] | None = None,
    ) -> None:
        """Settle the number of clusters, fit `during` a context, and write labels and report.

        `words` are those of the command line.
        """
        n_samples = len(samples.chosen.row_names)
        if isinstance(model.generator, str):  # partitions, possibly on a Dask cluster
            settled = settle_clusters(self.clusters, data, n_samples, model=model, seed=self.seed)
            model.set_params(n_clusters=settled.n_clusters)
        else:
            model.set_params(n_clusters=number_to_fit(self.clusters, n_samples))
        with during or nullcontext():
            run = fit_and_tell(model, data, samples, self._outputs(profiles))
            if self.report is not None:
                shown = shown_on_page(model.result_, data, samples.chosen)
        if not isinstance(model.generator, str):
            settled = tell_number(model, seed=self.seed)
        if self.report is not None:
            run = replace(run, notes=shown.chosen.notes)
            write_page(self.report, shown, run, settled, words=words)

    def _outputs(self, profiles: Path | None) -> Outputs:
        return Outputs(self.output, self.append, profiles, self.save, self.escape_formulas)
