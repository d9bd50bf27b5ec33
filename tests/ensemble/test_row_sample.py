"""Rows drawn by their hashes: exact counts, whatever the blocks."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble
from consensa._machine.hashing import cluster_keys, hash_rows, ranks
from consensa._machine.row_sample import merge_row_samples, sample_rows
from consensa.ensemble import _counts


@pytest.fixture
def ids():
    """Rows of 3 partitions with 3 clusters each, some missing."""
    labels = np.random.RandomState(0).randint(-1, 3, (500, 3))
    return np.where(labels < 0, -1, labels + np.array([0, 3, 6]))


KEYS = cluster_keys(9, seed=5)


def drawn_from(parts, limit):
    none = np.empty((0, 3), np.int64)
    return sample_rows(parts, partial(hash_rows, keys=KEYS), limit, none)


def test_rows_with_the_smallest_hashes_are_drawn_with_their_counts(ids):
    drawn = drawn_from([(0, ids)], 10)
    rows, first, counts = np.unique(ids, axis=0, return_index=True, return_counts=True)
    smallest = np.argsort(hash_rows(rows, KEYS))[:10]
    assert not drawn.complete
    assert_array_equal(drawn.rows, rows[smallest])
    assert_array_equal(drawn.counts, counts[smallest])
    assert_array_equal(drawn.first, first[smallest])


@pytest.mark.parametrize("limit", [1, 10, 63, 64, 1000])
@pytest.mark.parametrize("cuts", [[], [1], [250], [3, 3, 77, 400]])
def test_blocks_do_not_matter(ids, limit, cuts):
    whole = drawn_from([(0, ids)], limit)
    ends = [0, *cuts, 500]
    parts = [(a, ids[a:b]) for a, b in pairwise(ends)]
    in_turn = drawn_from(parts, limit)
    each = [drawn_from([part], limit) for part in parts[::-1]]
    for other in (in_turn, merge_row_samples(each, limit)):
        assert other.complete == whole.complete == (limit >= len(np.unique(ids, axis=0)))
        for ours, theirs in zip(other[:4], whole[:4], strict=True):
            assert_array_equal(ours, theirs)


def test_an_ensemble_in_memory_draws_by_blocks(monkeypatch):
    labels = np.random.RandomState(0).randint(0, 4, (300, 4))
    whole = Ensemble.from_labels(labels).rows.sample(cluster_keys(16, 0), 40)
    monkeypatch.setattr(_counts, "_BLOCK_ROWS", 7)
    blocks = Ensemble.from_labels(labels).rows.sample(cluster_keys(16, 0), 40)
    for ours, theirs in zip(whole, blocks, strict=True):
        assert_array_equal(ours, theirs)


def test_ranks_go_by_the_first_key_and_then_by_the_next():
    assert_array_equal(ranks(np.array([1, 0, 1, 0]), np.array([5, 7, 5, 6])), [2, 1, 2, 0])


def test_hashes_are_the_same_everywhere():
    assert cluster_keys(2, 0).tolist() == [12035550249420947055, 6791897765849424158]
