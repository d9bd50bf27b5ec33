"""``--report``: the page of a run, written after its labels."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from consensa.cli._columns import Chosen
from consensa.cli._number_of_clusters import Settled
from consensa.exceptions import ConsensaError, InvalidInputError
from consensa.features import Features
from consensa.report import Run, write_report

__all__ = ["PageRequest", "check_page"]


def check_page(page: Path | None, *, source: Path, output: Path | None) -> None:
    """Refuse a page that would take the place of the data or the labels.

    Whether it can be written is seen when the labels are: they do not wait for it.
    """
    for other, what in ((source, "the input"), (output, "--output")):
        if page is not None and other is not None and page.resolve() == other.resolve():
            message = f"--report must be a file of its own. {page} is {what} too."
            raise InvalidInputError(message)


@dataclass(frozen=True)
class PageRequest:
    """A page that is to be written, and what it says beside the result.

    Attributes
    ----------
    path : Path
        Where to write it.
    source : Path
        Where the data came from.
    arguments : tuple of str
        Words of the command line.
    chosen : Chosen
        The data, and the names of the rows.
    settled : Settled
        How the number of clusters was settled.
    features : Features or None, default=None
        What was read, where the data are features rather than partitions.
    """

    path: Path
    source: Path
    arguments: tuple[str, ...]
    chosen: Chosen
    settled: Settled
    features: Features | None = None

    @classmethod
    def of(
        cls,
        context: typer.Context,
        path: Path | None,
        source: Path,
        chosen: Chosen,
        settled: Settled,
        *,
        features: Features | None = None,
    ) -> PageRequest | None:
        """The request of a command, if there is one."""
        if path is None:
            return None
        return cls(path, source, tuple(context.obj or ()), chosen, settled, features)

    def write(
        self, model: Any, *, seconds: float, scores: dict[str, float], warned: list[Warning]
    ) -> None:
        """Write the page; if that fails, the message says that the labels are there."""
        run = Run(
            source=str(self.source),
            command=shlex.join(["consensa", *self.arguments]),
            lines=self._lines(),
            data=self._data,
            seconds=seconds,
            scores=scores,
            warnings=tuple(warned),
        )
        names, evidence = self.chosen.row_names, self.settled.evidence
        try:
            write_report(model, self.path, ids=names, selection=evidence, run=run)
        except OSError as error:
            raise self._failure(error.strerror or str(error)) from error
        except (ConsensaError, MemoryError) as error:
            raise self._failure(str(error)) from error

    @property
    def _data(self) -> str:
        return "partitions" if self.features is None else "X"

    def _failure(self, reason: str) -> InvalidInputError:
        return InvalidInputError(
            f"The report {self.path} could not be written: {reason.rstrip('.')}. The labels were "
            f"written before."
        )

    def _lines(self) -> str:
        """Python that reads the data, and says how the number of clusters was chosen."""
        reading, aside = self.chosen.code, list(self.chosen.aside)
        used = [("np.", "numpy as np"), ("pd.", "pandas as pd"), ("consensa.", "consensa")]
        lines = [f"import {module}" for short, module in used if short in reading]
        then = f".drop(columns={aside!r})" if aside else ""
        numeric = self.features is not None and self.features.encoding is None
        then += ".astype(float)" if numeric else ""
        if then:
            lines.append(f"table = {reading}")
            reading = f"table{then}"
        lines.append(f"{self._data} = {reading}")
        if self.settled.arguments is not None:
            call = f"consensa.select_n_clusters({self._data}, {self.settled.arguments})"
            lines.append(f"# The number of clusters is {call}.n_clusters.")
        return "\n".join(lines)
