"""Values that hold inside a ``with`` block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["having"]

Value = TypeVar("Value")


@contextmanager
def having(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Inside, the variable has this value."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
