"""Progress and report of a run: values, sentences, and lines for logs."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO

from consensa._machine.printable import printable
from consensa.study.cells import Cell, Record

__all__ = ["Progress", "ProgressLines", "RunReport", "TimeLeft", "duration"]


@dataclass(frozen=True)
class Progress:
    """Progress of a run, after each cell.

    Attributes
    ----------
    record : Record
        The cell that was just computed.
    computed : int
        Cells computed in this run.
    wanted : int
        Cells to compute in this run.
    seconds_left : float
        Estimate of the remaining time.
    """

    record: Record
    computed: int
    wanted: int
    seconds_left: float


@dataclass(frozen=True)
class RunReport:
    """Report of a run.

    Attributes
    ----------
    computed : int
        Cells computed in this run, including those that failed.
    known : int
        Cells that were done already.
    problems : tuple of Record
        Cells of this run that failed or were too large.
    damaged : int
        Damaged cells that were removed from the store.
    missing : tuple of Cell
        Cells that were not computed because the budget was used up.
    """

    computed: int
    known: int
    problems: tuple[Record, ...]
    damaged: int
    missing: tuple[Cell, ...]

    def sentences(self) -> list[str]:
        """The report as sentences."""
        said = [f"{self.computed} cells computed in this run, {self.known} already known."]
        if self.damaged:
            said.append(
                f"{self.damaged} stored cells were damaged (wrong checksum) and removed; those of "
                f"this study are computed again."
            )
        counts = Counter((r.state, r.cell.dataset, r.cell.method, r.reason) for r in self.problems)
        for (state, dataset, method, reason), count in counts.items():
            said.append(f"{state}: {method} on {dataset}, {count} cells: {reason}")
        if self.missing:
            by_set = Counter(cell.dataset for cell in self.missing)
            where = ", ".join(f"{count} of {name}" for name, count in by_set.items())
            said.append(
                f"The budget was used up: {len(self.missing)} cells are missing ({where}). The "
                f"same command continues."
            )
        return said


class TimeLeft:
    """Estimate of the remaining time from the times of cells of the same set and method."""

    def __init__(self, known: Iterable[Record], todo: Sequence[Cell], jobs: int) -> None:
        self.jobs = max(jobs, 1)
        self.left = Counter((cell.dataset, cell.method) for cell in todo)
        self.taken: dict[tuple[str, str], list[float]] = defaultdict(list)
        for record in known:
            self._note(record)

    def _note(self, record: Record) -> None:
        if record.state == "done":
            self.taken[record.cell.dataset, record.cell.method].append(record.seconds)

    def ended(self, record: Record) -> None:
        """Add the time of a cell."""
        self.left[record.cell.dataset, record.cell.method] -= 1
        self._note(record)

    def seconds_left(self) -> float:
        """The estimate, for this number of workers."""
        means = {kind: sum(times) / len(times) for kind, times in self.taken.items()}
        usual = sum(means.values()) / len(means) if means else 0.0
        total = sum(count * means.get(kind, usual) for kind, count in self.left.items())
        return total / self.jobs


def duration(seconds: float) -> str:
    """Format a duration: ``'2 h 5 min'``."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{minutes} min"


class ProgressLines:
    """Writes the progress of a run, at most once in `every` seconds.

    Parameters
    ----------
    stream : text stream
        Output stream.
    every : float, default=30
        Seconds between two lines.
    """

    def __init__(self, stream: TextIO, every: float = 30.0) -> None:
        self.stream, self.every = stream, every
        self.last = time.monotonic()

    def __call__(self, step: Progress) -> None:
        """Write a line if `every` seconds have passed or the run is complete."""
        now = time.monotonic()
        if now - self.last < self.every and step.computed < step.wanted:
            return
        self.last = now
        self.stream.write(
            f"{step.computed} of {step.wanted} cells, about {duration(step.seconds_left)} left "
            f"(last: {printable(step.record.cell)})\n"
        )
        self.stream.flush()
