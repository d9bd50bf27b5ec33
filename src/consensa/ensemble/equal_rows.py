"""Equal rows of a matrix: groups, distinct rows, and lookup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from consensa._array import Array
from consensa.ensemble.missing import MISSING

__all__ = ["EqualRows", "adjacent_equal_rows", "distinct_rows", "equal_rows", "places_among"]


class EqualRows(NamedTuple):
    """Groups of equal rows of a matrix.

    Attributes
    ----------
    of_row : ndarray of shape (n_rows,)
        Group of each row.
    first : ndarray of shape (n_groups,)
        Number of the first row of each group.
    sizes : ndarray of shape (n_groups,)
        Number of rows of each group.
    """

    of_row: Array
    first: Array
    sizes: Array


def equal_rows(rows: Array) -> EqualRows:
    """Group equal rows; groups are in lexicographic order of their rows."""
    order = np.lexsort(rows.T[::-1])  # stable: the first row of a group is the first in the matrix
    groups = adjacent_equal_rows(rows[order])
    of_row = np.empty_like(groups.of_row)
    of_row[order] = groups.of_row
    return EqualRows(of_row, order[groups.first], groups.sizes)


def adjacent_equal_rows(rows: Array) -> EqualRows:
    """Group equal rows that are adjacent, as in a sorted matrix, in their order."""
    begins = np.append(np.full(min(len(rows), 1), True), (rows[1:] != rows[:-1]).any(axis=1))
    first = np.flatnonzero(begins)
    return EqualRows(np.cumsum(begins) - 1, first, np.diff(np.append(first, len(rows))))


def distinct_rows(parts: Sequence[Array], limit: int) -> Array:
    """Distinct rows of the parts, in lexicographic order; the first `limit` of them."""
    rows = np.concatenate(parts)
    return rows[equal_rows(rows).first[:limit]]


def places_among(known: Array, rows: Array) -> Array:
    """For each row, the number of the equal row of `known`; -1 if there is none.

    The rows of `known` are distinct.
    """
    groups = equal_rows(np.concatenate([known, rows]))
    # `known` comes first, so its rows are the first of their groups.
    place = np.where(groups.first < len(known), groups.first, MISSING)
    return place[groups.of_row[len(known) :]]
