"""Number values in the order in which they first appear."""

from __future__ import annotations

import numpy as np

from consensa._array import Array

__all__ = ["first_places", "number_by_appearance"]


def number_by_appearance(values: Array) -> Array:
    """Number the distinct values 0, 1, … in the order in which they first appear."""
    if values.size == 0:
        return np.empty(0, np.int32)
    if values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low <= 4 * values.size + 64:
            wide = values.astype(np.int64, copy=False) if values.dtype.kind == "i" else values
            return _number_in_range((wide - low).astype(np.intp, copy=False), high - low + 1)
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return _rank(first)[inverse]


def _number_in_range(values: Array, size: int) -> Array:
    """Number integers in [0, size) by a table of first positions, without sorting."""
    return _rank(first_places(values, size))[values]


def first_places(values: Array, size: int) -> Array:
    """First position of each integer in [0, size); the length of the array if there is none."""
    n = len(values)
    first = np.full(size, n)
    first[values[::-1]] = np.arange(n - 1, -1, -1)  # the last write is the first position
    return first


def _rank(first: Array) -> Array:
    """Position of each entry of `first` in increasing order."""
    rank = np.empty(first.size, np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size, dtype=np.int32)
    return rank
