"""Columns of distinct whole numbers that nearly fill their range, in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.features._outliers import column_ends

__all__ = [
    "LEAST_ROWS",
    "are_distinct_integers",
    "fill_their_range",
    "row_number_columns",
]

LEAST_ROWS = 20  # fewer values may be distinct and consecutive by chance
_FILLED = 0.8  # share of the whole numbers between the ends that occur


def row_number_columns(points: Any) -> list[int]:
    """Places of the columns of a matrix, dense or sparse, that look like row numbers."""
    n_samples = points.shape[0]
    if n_samples < LEAST_ROWS:
        return []
    likely = np.flatnonzero(fill_their_range(*column_ends(points), n_samples))
    return [place for place in likely.tolist() if are_distinct_integers(_column(points, place))]


def fill_their_range(low: Array, high: Array, n_samples: int) -> Array:
    """Whether so many distinct whole numbers would nearly fill the range of each column."""
    with np.errstate(over="ignore"):
        widths = high - low + 1
    # Distinct whole numbers need a range at least as wide as their number: few columns remain.
    return (widths >= n_samples) & (widths * _FILLED <= n_samples)


def _column(points: Any, place: int) -> Array:
    column = points[:, [place]]
    return np.asarray(column.toarray() if sparse.issparse(column) else column).ravel()


def are_distinct_integers(values: Array) -> bool:
    """Whether these are whole numbers, of which none occurs twice."""
    whole = bool((values == np.floor(values)).all())
    return whole and len(np.unique(values)) == len(values)
