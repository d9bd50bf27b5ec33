"""Definition of a missing label.

Labels of any kind are converted to integers from 0 when they are read; None, NaN, NA and -1 become
`MISSING`. From then on `is_missing` and `is_labeled` are used. Only the compiled loops compare
directly, ``>= 0``: the compiler then knows that an index is not negative, which makes the overlap
of clusters a fifth faster.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

__all__ = ["MISSING", "is_labeled", "is_missing", "is_nothing"]

MISSING = -1
"""Code of a missing label."""


def is_missing(codes: Any) -> Any:
    """Which entries are missing: booleans of the shape, library and device of `codes`."""
    return codes == MISSING


def is_labeled(codes: Any) -> Any:
    """Which entries are labels: booleans of the shape, library and device of `codes`."""
    return codes != MISSING


def is_nothing(value: Any) -> bool:
    """Whether `value` is None, a NaN of any type, or the NA or NaT of pandas."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, (numbers.Number, np.generic)) and bool(value != value)
