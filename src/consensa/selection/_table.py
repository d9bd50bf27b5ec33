"""The table of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from consensa._array import Array

__all__ = ["score_table"]


def score_table(candidates: Sequence[int] | Array, columns: Mapping[str, Array]) -> Array:
    """One row for each candidate, as a structured array."""
    kinds = [("n_clusters", np.int64), *((name, np.float64) for name in columns)]
    table = np.empty(len(candidates), dtype=kinds)
    table["n_clusters"] = candidates
    for name, column in columns.items():
        table[name] = column
    return table
