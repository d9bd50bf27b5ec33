"""Warnings that are given while a result is made, kept for it.

Python's filters decide whether a warning is shown, hidden or raised. They belong to the whole
process and are not touched here: a warning reports itself when it is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["record", "recorded_warnings"]

_recording: ContextVar[list[Warning] | None] = ContextVar("_recording", default=None)


def record(warning: Warning) -> None:
    """Keep a warning, if someone is recording."""
    kept = _recording.get()
    if kept is not None:
        kept.append(warning)


@contextmanager
def recorded_warnings() -> Iterator[list[Warning]]:
    """Warnings of Consensa that are given inside; the list grows as they come."""
    kept: list[Warning] = []
    token = _recording.set(kept)
    try:
        yield kept
    finally:
        _recording.reset(token)
