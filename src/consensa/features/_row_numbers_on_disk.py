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
    if features.n_samples < LEAST_ROWS:
        return []
    return [place for place in _likely(features) if _are_row_numbers(features, place)]


def _likely(features: StoredFeatures) -> list[int]:
    """Places of columns that may be row numbers, by some of their rows."""
    if features.encoding is None:
        some = features.some_rows()
        return [place for place in range(some.shape[1]) if are_distinct_integers(some[:, place])]
    numbers = [place for place in range(features.n_columns) if not features.is_text(place)]
    part = features.parts[0]
    return [place for place in numbers if are_distinct_integers(_values(features, place, part))]


def _are_row_numbers(features: StoredFeatures, place: int) -> bool:
    n_samples = features.n_samples

    def ends(part: tuple[int, int]) -> tuple[float, float, bool]:
        own = _values(features, place, part)
        return own.min(), own.max(), bool((own == np.floor(own)).all())

    low, high, whole = zip(*over_parts(features, "row numbers", ends), strict=True)
    first, last = np.min(low), np.max(high)
    if not (all(whole) and fill_their_range(first, last, n_samples)):
        return False
    seen = np.zeros(int(last - first) + 1, bool)

    def mark(part: tuple[int, int]) -> None:
        seen[(_values(features, place, part) - first).astype(np.int64)] = True

    for _ in over_parts(features, "row numbers", mark):
        pass
    return int(seen.sum()) == n_samples


def _values(features: StoredFeatures, place: int, part: tuple[int, int]) -> Array:
    """Numbers of a column in a part of the rows; what is missing is NaN."""
    return np.asarray(features.column(place).read(*part)).astype(np.float64)
