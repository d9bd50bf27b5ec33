"""Columns of distinct whole numbers that nearly fill their range, in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.features._outliers import column_ends

__all__ = ["LEAST_ROWS", "row_number_columns"]

LEAST_ROWS = 20  # fewer values may be distinct and consecutive by chance
_FILLED = 0.8  # share of the whole numbers between the ends that occur


def row_number_columns(points: Any, n_samples: int | None = None) -> list[int]:
    """Places of the columns of a matrix, dense or sparse, that look like row numbers.

    The matrix has some of the rows of `n_samples`, from all over; all of them if that is None.
    """
    all_rows = n_samples is None
    n_samples = points.shape[0] if n_samples is None else n_samples
    if n_samples < LEAST_ROWS:
        return []
    low, high = column_ends(points)
    with np.errstate(over="ignore"):
        widths = high - low + 1
    # Distinct whole numbers need a range at least as wide as their number: few columns remain.
    least = n_samples if all_rows else _FILLED * n_samples
    likely = np.flatnonzero((widths >= least) & (widths * _FILLED <= n_samples))
    return [place for place in likely.tolist() if _are_distinct_integers(_column(points, place))]


def _column(points: Any, place: int) -> Array:
    column = points[:, [place]]
    return np.asarray(column.toarray() if sparse.issparse(column) else column).ravel()


def _are_distinct_integers(values: Array) -> bool:
    whole = bool((values == np.floor(values)).all())
    return whole and len(np.unique(values)) == len(values)
