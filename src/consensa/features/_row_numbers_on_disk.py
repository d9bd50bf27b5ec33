"""Columns of features on disk that hold row numbers, by passes over blocks of rows."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.features._row_numbers import LEAST_ROWS, are_distinct_integers, fill_their_range
from consensa.features.column_statistics import over_parts
from consensa.features.stored_features import StoredFeatures

__all__ = ["row_number_columns_on_disk"]


def row_number_columns_on_disk(features: StoredFeatures) -> list[int]:
    """Places of the columns that look like row numbers, as `row_number_columns` finds them.

    Of those that may be, by a few blocks of rows, all rows are read.
    """
    n_samples = features.n_samples
    if n_samples < LEAST_ROWS:
        return []
    some = features.some_rows()
    places = [place for place in range(some.shape[1]) if are_distinct_integers(some[:, place])]
    if not places:
        return []
    low, high, whole = _ends_on_disk(features, places)
    likely = whole & fill_their_range(low, high, n_samples)
    return [
        place
        for place, first, last, is_likely in zip(places, low, high, likely, strict=True)
        if is_likely and _n_different(features, place, int(first), int(last)) == n_samples
    ]


def _ends_on_disk(features: StoredFeatures, places: list[int]) -> tuple[Array, Array, Array]:
    """Least and largest value of columns, and whether all are whole numbers."""

    def ends(part: tuple[int, int]) -> Array:
        found = []
        for _, rows in features.stream(part):
            own = rows[:, places].astype(np.float64)
            found.append([own.min(axis=0), -own.max(axis=0), (own == np.floor(own)).all(axis=0)])
        return np.min(found, axis=0)

    low, high, whole = np.min(list(over_parts(features, "row numbers", ends)), axis=0)
    return low, -high, whole > 0


def _n_different(features: StoredFeatures, place: int, low: int, high: int) -> int:
    """Number of different whole numbers of a column, between its ends."""
    seen = np.zeros(high - low + 1, bool)

    def mark(part: tuple[int, int]) -> None:
        for _, rows in features.stream(part):
            seen[rows[:, place].astype(np.int64) - low] = True

    for _ in over_parts(features, "row numbers", mark):
        pass
    return int(seen.sum())
