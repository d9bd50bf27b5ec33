"""What a missing label is: the one place that says so.

Labels of any kind become whole numbers from 0 when they are read; None, NaN, NA and -1 become
`MISSING`. From then on nothing else is looked for, by the functions here or by the compiled loops,
which compare with the same constant.
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
