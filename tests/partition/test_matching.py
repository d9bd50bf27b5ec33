"""Matching clusters of one partition to those of another."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa.partition import match_clusters


def best_by_trying_all(table):
    """Largest sum over all maps that are one-to-one or, with more rows, reach every column."""
    n_rows, n_columns = table.shape
    allowed = (
        (lambda columns: len(set(columns)) == n_rows)
        if n_rows <= n_columns
        else (lambda columns: len(set(columns)) == n_columns)
    )
    maps = filter(allowed, itertools.product(range(n_columns), repeat=n_rows))
    return max(sum(table[row, column] for row, column in enumerate(columns)) for columns in maps)


def test_the_best_for_one_cluster_may_have_to_yield():
    assert_array_equal(match_clusters([[9, 8], [7, 2]]), [1, 0])


def test_of_more_clusters_than_columns_none_is_left_empty():
    # All three share most with column 0; the last one loses least by going to column 1.
    assert_array_equal(match_clusters([[9, 2], [8, 1], [7, 5]]), [0, 0, 1])


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (5, 3), (4, 1), (1, 4), (5, 2)])
def test_no_other_map_shares_more(shape):
    for seed in range(20):
        table = np.random.default_rng(seed).integers(0, 10, shape)
        matched = match_clusters(table)
        assert table[np.arange(shape[0]), matched].sum() == best_by_trying_all(table)
        assert len(set(matched.tolist())) == min(shape)
