"""One progress protocol: silent by default, drawn by whoever asks for it.

A long step does ``with track("base partitions", total) as advance: ... advance()``.
Nothing is shown unless a reporter is active; the command line activates one that
draws rich bars.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar

from consensa._machine.context import having

__all__ = ["Reporter", "reporting", "track"]

Advance = Callable[[], None]
Reporter = Callable[[str, int | None], AbstractContextManager[Advance]]

_active: ContextVar[Reporter | None] = ContextVar("consensa_progress", default=None)


def track(description: str, total: int | None = None) -> AbstractContextManager[Advance]:
    """Open a step of `total` parts; the value of the context is called after each part."""
    reporter = _active.get()
    return nullcontext(lambda: None) if reporter is None else reporter(description, total)


def reporting(reporter: Reporter) -> AbstractContextManager[None]:
    """Show the progress of everything inside through `reporter`."""
    return having(_active, reporter)
