"""Rows drawn by a hash of their values: the same rows in whatever order they come."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa._machine.hashing import hash_features

__all__ = ["drawn_rows"]


def drawn_rows(rows: Array, most: int, number: int = 0) -> Array:
    """Numbers of at most `most` rows, in order; another `number` draws others.

    Equal rows have equal hashes, and are drawn together.
    """
    if len(rows) <= most:
        return np.arange(len(rows))
    return np.sort(np.argsort(hash_features(rows, number), kind="stable")[:most])
