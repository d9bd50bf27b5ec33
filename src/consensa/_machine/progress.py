"""One progress protocol: silent by default, drawn by whoever asks for it.

A long step does ``with track("base partitions", total) as advance: ... advance()``.
Nothing is shown unless a reporter is active; the command line activates one that
draws rich bars, and `show_progress` one that prints lines.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from consensa._machine.context import having

__all__ = ["Reporter", "reporting", "show_progress", "showing_if", "track"]

_PAUSE = 0.1  # seconds between two lines on a terminal

Advance = Callable[[], None]
Reporter = Callable[[str, int | None], AbstractContextManager[Advance]]

_active: ContextVar[Reporter | None] = ContextVar("consensa_progress", default=None)


def track(description: str, total: int | None = None) -> AbstractContextManager[Advance]:
    """Open a step of `total` parts; the value of the context is called after each part."""
    reporter = _active.get()
    return nullcontext(lambda: None) if reporter is None else reporter(description, total)


def reporting(reporter: Reporter | None) -> AbstractContextManager[None]:
    """Show the progress of everything inside through `reporter`; not at all if it is None."""
    return having(_active, reporter)


def show_progress() -> AbstractContextManager[None]:
    """Print the progress of everything inside, to standard error.

    A line for each step: on a terminal it counts, elsewhere it is printed when the step is done.

    Returns
    -------
    context manager
        For a ``with`` statement.

    See Also
    --------
    consensa.cluster : Has the parameter `verbose`, which does the same.

    Examples
    --------
    >>> import consensa as cs
    >>> with cs.show_progress():
    ...     model = cs.EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]])
    """
    return reporting(_print_step)


def showing_if(verbose: bool) -> AbstractContextManager[None]:
    """`show_progress` if that is asked for."""
    return show_progress() if verbose else nullcontext()


@contextmanager
def _print_step(description: str, total: int | None) -> Iterator[Advance]:
    started = shown = time.monotonic()
    done = 0
    live = sys.stderr.isatty()

    def line() -> str:
        count = "" if total is None else f" {done}/{total}"
        return f"{description}:{count}, {time.monotonic() - started:.1f} s"

    def advance() -> None:
        nonlocal done, shown
        done += 1
        if live and time.monotonic() - shown > _PAUSE:
            shown = time.monotonic()
            sys.stderr.write(f"\r{line()}")
            sys.stderr.flush()

    yield advance
    sys.stderr.write(f"\r{line()}\n" if live else f"{line()}\n")
