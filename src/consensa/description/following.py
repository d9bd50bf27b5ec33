"""Numbers that clusters keep from one partition of the samples to the next."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

from consensa._array import Array
from consensa.ensemble.appearance import number_by_appearance
from consensa.ensemble.missing import MISSING, is_labeled, is_missing

__all__ = ["follow_clusters"]


def follow_clusters(labels: Array, first: int = 0) -> Array:
    """Renumber each column so that a cluster keeps its number from column to column.

    The clusters of the column `first` are numbered in order of first appearance, as in a result.
    Each other column is matched one to one with its neighbor on the side of `first`, so that most
    samples keep their number; clusters that are matched to none take new numbers, in order of
    first appearance.
    """
    tracked = np.full(labels.shape, MISSING, dtype=np.int64)
    used = 0
    for column, before in _outwards(first, labels.shape[1]):
        present = is_labeled(labels[:, column])
        codes = number_by_appearance(labels[present, column]).astype(np.int64)
        count = int(codes.max(initial=-1)) + 1
        names = np.full(count, MISSING)
        if before is not None:
            earlier = tracked[present, before]
            shared = np.zeros((used, count), dtype=np.int64)
            both = is_labeled(earlier)
            np.add.at(shared, (earlier[both], codes[both]), 1)
            old, new = linear_sum_assignment(shared, maximize=True)
            kept = shared[old, new] > 0
            names[new[kept]] = old[kept]
        fresh = is_missing(names)
        names[fresh] = used + np.arange(fresh.sum())
        used += int(fresh.sum())
        tracked[present, column] = names[codes]
    return tracked


def _outwards(first: int, n_columns: int) -> Iterator[tuple[int, int | None]]:
    """Columns from `first` to the right, then to the left, each with the one before it."""
    yield first, None
    for column in range(first + 1, n_columns):
        yield column, column - 1
    for column in range(first - 1, -1, -1):
        yield column, column + 1
