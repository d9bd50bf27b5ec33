"""Overlap of clusters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from numpy.testing import assert_array_equal
from scipy import sparse
from strategies import label_matrices

from consensa import Ensemble
from consensa.similarity import cluster_overlap


def test_five_samples_by_hand():
    labels = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "y"], ["b", None]]
    # a = {0, 1, 2}, b = {3, 4}; x = {0, 1}, y = {2, 3}
    wanted = [[3, 0, 2, 1], [0, 2, 0, 1], [2, 0, 2, 0], [1, 1, 0, 2]]
    assert_array_equal(cluster_overlap(Ensemble.from_labels(labels)).toarray(), wanted)
    assert_array_equal(cluster_overlap(labels).toarray(), wanted)


@given(labels=label_matrices())
def test_entries_count_the_samples_that_two_clusters_share(labels):
    ensemble = Ensemble.from_labels(labels)
    members = [set(group.tolist()) for group in ensemble.clusters()]
    wanted = [[len(one & other) for other in members] for one in members]
    assert_array_equal(cluster_overlap(ensemble).toarray(), wanted)


def test_clusters_that_share_nothing_take_no_memory():
    ensemble = Ensemble.from_labels(np.arange(50).reshape(-1, 1))
    overlap = cluster_overlap(ensemble)
    assert sparse.issparse(overlap)
    assert overlap.nnz == 50
    assert overlap.dtype == np.int64
