"""Record the warnings that are raised while a result is computed.

Python's filters decide whether a warning is shown, hidden or raised. They are global to the
process and are not changed here: a warning records itself when it is created.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["record", "recorded_warnings"]

_recording: ContextVar[list[Warning] | None] = ContextVar("_recording", default=None)


def record(warning: Warning) -> None:
    """Record a warning, if recording is active."""
    kept = _recording.get()
    if kept is not None:
        kept.append(warning)


@contextmanager
def recorded_warnings() -> Iterator[list[Warning]]:
    """Record the warnings of Consensa inside the context; the list grows as they are raised."""
    kept: list[Warning] = []
    token = _recording.set(kept)
    try:
        yield kept
    finally:
        _recording.reset(token)
