"""Rows drawn by a hash of their values: the same rows in whatever order they come."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.ensemble.hashing import mix

__all__ = ["drawn_rows"]


def drawn_rows(rows: Array, most: int, number: int = 0) -> Array:
    """Numbers of at most `most` rows, in order; another `number` draws others.

    Equal rows have equal hashes, and are drawn together.
    """
    if len(rows) <= most:
        return np.arange(len(rows))
    values = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # -0 is 0
    bits = values.view(np.uint64)
    hashed = np.zeros(len(rows), np.uint64)
    for place, column in enumerate(bits.T):
        hashed = mix(hashed ^ mix(column, place), number)
    return np.sort(np.argsort(hashed, kind="stable")[:most])
