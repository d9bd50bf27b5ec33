"""Progress as lines of text, for logs: one now and then, not one a cell."""

from __future__ import annotations

import time
from typing import TextIO

from consensa.study._runner import Progress

__all__ = ["ProgressLines", "duration"]


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
        now = time.monotonic()
        if now - self.last < self.every and step.computed < step.wanted:
            return
        self.last = now
        self.stream.write(
            f"{step.computed} of {step.wanted} cells, about {duration(step.seconds_left)} left "
            f"(last: {step.record.cell})\n"
        )
        self.stream.flush()
