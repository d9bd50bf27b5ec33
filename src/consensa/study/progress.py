"""How far a run is and what it did: values, sentences, and lines of text for logs."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO

from consensa.study.cells import Cell, Record

__all__ = ["Progress", "ProgressLines", "RunReport", "TimeLeft", "duration"]


@dataclass(frozen=True)
class Progress:
    """How far a run is, after each cell.

    Attributes
    ----------
    record : Record
        The cell that has just ended.
    computed : int
        Cells computed in this run.
    wanted : int
        Cells that this run has to compute.
    seconds_left : float
        Estimate of the time that the rest takes.
    """

    record: Record
    computed: int
    wanted: int
    seconds_left: float


@dataclass(frozen=True)
class RunReport:
    """What a run did.

    Attributes
    ----------
    computed : int
        Cells computed in this run, those that failed included.
    known : int
        Cells that were done already.
    problems : tuple of Record
        Cells of this run that failed or were too large.
    damaged : int
        Cells that were found damaged in the store and removed, wanted in this run or not.
    missing : tuple of Cell
        Cells for which no time was left.
    """

    computed: int
    known: int
    problems: tuple[Record, ...]
    damaged: int
    missing: tuple[Cell, ...]

    def sentences(self) -> list[str]:
        """The report in words."""
        said = [f"{self.computed} cells computed in this run, {self.known} known before."]
        if self.damaged:
            said.append(
                f"{self.damaged} stored cells were damaged (their checksum did not fit) and "
                f"removed; what this study wants of them is computed again."
            )
        counts = Counter((r.state, r.cell.dataset, r.cell.method, r.reason) for r in self.problems)
        for (state, dataset, method, reason), count in counts.items():
            said.append(f"{state}: {method} on {dataset}, {count} cells: {reason}")
        if self.missing:
            by_set = Counter(cell.dataset for cell in self.missing)
            where = ", ".join(f"{count} of {name}" for name, count in by_set.items())
            said.append(
                f"The time was up: {len(self.missing)} cells are missing ({where}). The same "
                f"command goes on where this one stopped."
            )
        return said


class TimeLeft:
    """Estimate of the time left from how long cells of the same set and method took."""

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
        """Take note of a cell that has ended."""
        self.left[record.cell.dataset, record.cell.method] -= 1
        self._note(record)

    def seconds_left(self) -> float:
        """The estimate, for as many workers as there are."""
        means = {kind: sum(times) / len(times) for kind, times in self.taken.items()}
        usual = sum(means.values()) / len(means) if means else 0.0
        total = sum(count * means.get(kind, usual) for kind, count in self.left.items())
        return total / self.jobs


def duration(seconds: float) -> str:
    """A time as people say it: ``'2 h 5 min'``."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{minutes} min"


class ProgressLines:
    """Writes how far a run is, at most once in `every` seconds.

    Parameters
    ----------
    stream : text stream
        Where the lines go.
    every : float, default=30
        Seconds between two lines.
    """

    def __init__(self, stream: TextIO, every: float = 30.0) -> None:
        self.stream, self.every = stream, every
        self.last = time.monotonic()

    def __call__(self, step: Progress) -> None:
        """Write a line, if the last one was long ago or this is the end."""
        now = time.monotonic()
        if now - self.last < self.every and step.computed < step.wanted:
            return
        self.last = now
        self.stream.write(
            f"{step.computed} of {step.wanted} cells, about {duration(step.seconds_left)} left "
            f"(last: {step.record.cell})\n"
        )
        self.stream.flush()
