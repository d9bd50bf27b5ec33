"""What a missing label is: the one place that says so.

Labels of any kind become whole numbers from 0 when they are read; None, NaN, NA and -1 become
`MISSING`. From then on `is_missing` and `is_labeled` are asked. Only the compiled loops compare
by hand, ``>= 0``: the compiler then knows that an index does not count from the end, which makes
the overlap of clusters a fifth faster.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

__all__ = ["MISSING", "is_labeled", "is_missing", "is_nothing"]

MISSING = -1
"""Number that stands where a partition does not label a sample."""


def is_missing(codes: Any) -> Any:
    """Which entries are missing: booleans of the shape, library and device of `codes`."""
    return codes == MISSING


def is_labeled(codes: Any) -> Any:
    """Which entries are labels: booleans of the shape, library and device of `codes`."""
    return codes != MISSING


def is_nothing(value: Any) -> bool:
    """Say whether `value` is None, a NaN of any type, or the NA or NaT of pandas."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, (numbers.Number, np.generic)) and bool(value != value)
