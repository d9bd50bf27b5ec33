"""Passes over the rows of an ensemble, by blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal
from strategies import label_matrices

from consensa import Ensemble
from consensa._machine import compile as compile_
from consensa._machine import threads
from consensa.ensemble import passes, rows
from consensa.ensemble.passes import LocalRows

NUMPY, COMPILED = float("inf"), -1  # steps before loops are compiled
either = pytest.mark.parametrize("loading", [NUMPY, COMPILED], ids=["numpy", "compiled"])


def in_blocks(labels, ends):
    """Rows of an ensemble, cut at `ends`."""
    codes, counts = Ensemble.from_labels(labels).codes, Ensemble.from_labels(labels).cluster_counts
    return LocalRows(lambda a, b: codes[a:b], [0, *ends, len(codes)], counts)


@pytest.fixture
def labels():
    drawn = np.random.default_rng(0).integers(-1, 4, (50, 6))
    drawn[:, 0] = np.abs(drawn[:, 0])
    return drawn


@either
@settings(max_examples=30)
@given(labels=label_matrices())
def test_overlap_is_the_product_of_memberships(loading, labels):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile_, "_LOADING", loading)
        patch.setattr(rows, "_BLOCK", 3)
        membership = Ensemble.from_labels(labels).membership(np.int64)
        overlap = in_blocks(labels, [1, 1, len(labels) // 2]).overlap()
    assert overlap.dtype == np.int64
    assert_array_equal(overlap.toarray(), (membership.T @ membership).toarray())


@either
def test_balanced_overlap_by_definition(labels, loading, monkeypatch):
    monkeypatch.setattr(compile_, "_LOADING", loading)
    ensemble = Ensemble.from_labels(labels)
    weights = np.random.default_rng(1).uniform(0.1, 1, ensemble.n_clusters)
    wanted = np.zeros((ensemble.n_clusters, ensemble.n_clusters))
    for row in ensemble.cluster_ids:
        held = row[row >= 0]
        wanted[np.ix_(held, held)] += 1 / weights[held].sum()
    found = in_blocks(labels, [7, 30]).balanced_overlap(weights).toarray()
    assert_allclose(found, wanted, rtol=1e-13)


def test_balanced_overlap_is_the_same_to_the_last_bit_in_any_order_and_any_blocks(labels):
    ensemble = Ensemble.from_labels(labels)
    weights = np.random.default_rng(1).uniform(0.1, 1, ensemble.n_clusters)
    here = in_blocks(labels, [3, 20]).balanced_overlap(weights).toarray()
    codes = ensemble.codes[np.random.default_rng(2).permutation(50)]
    shuffled = LocalRows(lambda a, b: codes[a:b], [0, 44, 50], ensemble.cluster_counts)
    assert_array_equal(shuffled.balanced_overlap(weights).toarray(), here)


def test_threads_do_not_change_the_overlap_or_the_labels(labels, monkeypatch):
    monkeypatch.setattr(compile_, "_LOADING", COMPILED)
    ends = list(range(5, 50, 5))
    one = in_blocks(labels, ends)
    overlap, numbers = one.overlap().toarray(), one.label(lambda ids: ids.max(axis=1))
    for module in (passes, threads):
        monkeypatch.setattr(module, "n_threads", lambda: 3)
    three = in_blocks(labels, ends)
    assert_array_equal(three.overlap().toarray(), overlap)
    assert_array_equal(three.label(lambda ids: ids.max(axis=1)), numbers)


def test_rows_are_taken_in_the_order_asked_for(labels):
    numbers = np.array([49, 3, 17, 3, 0])
    taken = in_blocks(labels, [10, 10, 20]).take(numbers)
    assert_array_equal(taken, Ensemble.from_labels(labels).codes[numbers])


def test_distinct_rows_are_the_microclusters_and_no_more_than_asked_for():
    labels = np.random.default_rng(0).integers(0, 2, (40, 3))
    found = in_blocks(labels, [1, 20])
    assert_array_equal(found.distinct(100), Ensemble.from_labels(labels).microclusters().rows)
    assert len(found.distinct(3)) == 3


def test_labels_are_numbered_by_appearance_and_the_rank_says_how():
    numbered = in_blocks([[0], [1]], []).number([4, 4, 0, 2, 4])
    assert_array_equal(numbered.labels, [0, 0, 1, 2, 0])
    assert_array_equal(numbered.rank, [1, -1, 2, -1, 0])
    assert numbered.n_labels == 3


def test_meetings_by_definition(labels):
    ensemble = Ensemble.from_labels(labels)
    consensus = np.random.default_rng(1).integers(0, 3, 50)
    met = in_blocks(labels, [9, 9, 31]).meetings(consensus, 4)
    wanted = ensemble.membership(int).T @ np.eye(4, dtype=int)[consensus]
    assert_array_equal(met[:-1], wanted)
    assert_array_equal(met[-1], np.bincount(consensus, minlength=4))
