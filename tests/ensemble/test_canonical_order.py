"""The order of clusters and microclusters that draws at random go by."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble
from consensa.ensemble.canonical_order import (
    canonical_clusters,
    canonical_microclusters,
    canonical_samples,
)


def members(ensemble, order, rows):
    """Original rows of each cluster in canonical order."""
    clusters = ensemble.clusters()
    return [sorted(rows[clusters[c]].tolist()) for c in order]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("missing", [False, True])
def test_shuffled_rows_and_new_names_leave_the_order_of_the_clusters(planted, seed, missing):
    labels, _ = planted
    if missing:
        labels[np.random.RandomState(9).uniform(size=labels.shape) < 0.2] = -1
    rng = np.random.RandomState(seed)
    rows = rng.permutation(len(labels))
    names = np.append(rng.permutation(3), -1)  # -1 stays -1
    plain, other = Ensemble.from_labels(labels), Ensemble.from_labels(names[labels[rows]])
    everyone = np.arange(len(labels))
    assert members(plain, canonical_clusters(plain), everyone) == members(
        other, canonical_clusters(other), rows
    )


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_rows_leave_the_order_of_the_microclusters(planted, seed):
    labels, _ = planted
    rows = np.random.RandomState(seed).permutation(len(labels))
    plain, other = Ensemble.from_labels(labels), Ensemble.from_labels(labels[rows])
    ours, theirs = plain.microclusters(), other.microclusters()
    for a, b in zip(canonical_microclusters(plain), canonical_microclusters(other), strict=True):
        assert set(np.flatnonzero(ours.labels == a)) == set(rows[theirs.labels == b])


def test_clusters_go_partition_by_partition_and_indistinct_ones_by_appearance():
    ensemble = Ensemble.from_labels([[0, 0], [1, 0], [2, 1]])
    order = canonical_clusters(ensemble)
    assert sorted(order[:3]) == [0, 1, 2]
    assert order[list(order).index(0) + 1] == 1  # they share one sample each with a pair
    assert_array_equal(np.sort(order), np.arange(5))


def test_clusters_that_overlap_alike_are_told_apart_by_those_that_they_overlap():
    # The first partition has four single samples, alike at first sight. Two of them are in a
    # cluster of the second that the third keeps whole.
    labels = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 1], [3, 1, 2]])
    rows = np.array([2, 0, 3, 1])
    plain, other = Ensemble.from_labels(labels), Ensemble.from_labels(labels[rows])
    here = members(plain, canonical_clusters(plain), np.arange(4))
    there = members(other, canonical_clusters(other), rows)
    assert sorted(here[:2]) == sorted(there[:2])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("missing", [False, True])
def test_shuffled_rows_leave_the_order_of_the_samples_up_to_equal_ones(planted, seed, missing):
    labels, _ = planted
    if missing:
        labels[np.random.RandomState(9).uniform(size=labels.shape) < 0.2] = -1
    shuffled = labels[np.random.RandomState(seed).permutation(len(labels))]
    here, there = (canonical_samples(Ensemble.from_labels(given)) for given in (labels, shuffled))
    assert_array_equal(labels[here], shuffled[there])
    assert_array_equal(np.sort(here), np.arange(len(labels)))


def test_samples_that_no_partition_tells_apart_stand_together(planted):
    ensemble = Ensemble.from_labels(planted[0])
    groups = ensemble.microclusters().labels[canonical_samples(ensemble)]
    assert (np.diff(groups) != 0).sum() == len(ensemble.microclusters().sizes) - 1
