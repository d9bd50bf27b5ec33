"""k-means on an embedding."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from consensa.metrics import adjusted_rand_index
from consensa.partition import kmeans as _kmeans
from consensa.partition import kmeans_labels
from consensa.partition._kmeans_kernels import _lloyd
from consensa.partition.kmeans import quick_kmeans

POINTS = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat([[0], [9], [18]], 20, axis=0)


def test_well_separated_groups_are_found_and_numbered_by_appearance():
    labels = kmeans_labels(POINTS[::-1], 3, random_state=0)
    assert labels.tolist() == [0] * 20 + [1] * 20 + [2] * 20
    assert labels.dtype == np.int64


def test_it_is_the_k_means_of_scikit_learn():
    points = np.random.default_rng(1).random((50, 2))
    wanted = KMeans(6, n_init=20, random_state=5).fit_predict(points)
    assert adjusted_rand_index(kmeans_labels(points, 6, random_state=5), wanted) == 1


def test_more_starts_are_no_worse():
    points = np.random.default_rng(2).random((80, 2))

    def spread(labels):
        return sum(
            ((points[labels == k] - points[labels == k].mean(axis=0)) ** 2).sum()
            for k in set(labels)
        )

    one = spread(kmeans_labels(points, 8, n_init=1, random_state=0))
    many = spread(kmeans_labels(points, 8, random_state=0))
    assert many <= one + 1e-12


def test_fewer_distinct_points_give_fewer_clusters_without_a_warning():
    points = np.repeat([[0.0], [1.0]], 5, axis=0)
    assert kmeans_labels(points, 4, random_state=0).tolist() == [0] * 5 + [1] * 5


@pytest.mark.parametrize("n_clusters", [1, 4])
def test_one_cluster_and_as_many_as_points(n_clusters):
    points = np.arange(4.0).reshape(-1, 1)
    assert len(set(kmeans_labels(points, n_clusters, random_state=0))) == n_clusters


def test_same_seed_same_labels_and_the_global_random_state_is_left_alone():
    points = np.random.default_rng(3).random((40, 2))
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = kmeans_labels(points, 7, n_init=1, random_state=1)
    np.testing.assert_array_equal(kmeans_labels(points, 7, n_init=1, random_state=1), first)
    kmeans_labels(points, 7, n_init=1)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_many_points_are_started_on_a_sample_and_all_of_them_labeled(monkeypatch):
    wanted = kmeans_labels(POINTS, 3, random_state=0)
    monkeypatch.setattr(_kmeans, "_SAMPLE", 30)
    monkeypatch.setattr(_kmeans, "_SAMPLE_PER_CLUSTER", 5)
    labels = kmeans_labels(POINTS, 3, random_state=0)
    np.testing.assert_array_equal(labels, wanted)
    sample = _kmeans.sample_for_starts(60, 3, np.random.RandomState(0))
    assert len(set(sample.tolist())) == 30
    assert len(_kmeans.sample_for_starts(60, 9, np.random.RandomState(0))) == 45
    assert _kmeans.sample_for_starts(30, 3, np.random.RandomState(0)) is None


def sum_of_squares(points, labels, weights):
    total = 0.0
    for label in np.unique(labels):
        own = labels == label
        apart = points[own] - np.average(points[own], axis=0, weights=weights[own])
        total += weights[own] @ np.square(apart).sum(axis=1)
    return total


@pytest.mark.parametrize("n_clusters", [2, 5, 11])
def test_quick_runs_are_as_good_as_those_of_scikit_learn(n_clusters):
    rng = np.random.default_rng(n_clusters)
    points = rng.normal(size=(200, 4)) + 4 * rng.integers(0, 3, size=(200, 1))
    weights = rng.integers(1, 5, 200)
    made = quick_kmeans(
        points, n_clusters, n_init=10, rng=np.random.RandomState(0), weights=weights
    )
    assert len(np.unique(made)) == n_clusters
    by = KMeans(n_clusters, n_init=10, random_state=0).fit(points, sample_weight=weights)
    assert sum_of_squares(points, made, weights) < 1.02 * by.inertia_
    repeated = np.repeat(points, weights, axis=0)
    again = quick_kmeans(repeated, n_clusters, n_init=10, rng=np.random.RandomState(0))
    assert_allclose(
        sum_of_squares(repeated, again, np.ones(len(repeated))),
        sum_of_squares(points, made, weights),
        rtol=0.02,
    )


def test_quick_runs_of_fewer_distinct_points_give_fewer_clusters():
    points = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    made = quick_kmeans(points, 4, n_init=2, rng=np.random.RandomState(0))
    assert adjusted_rand_index(made, np.repeat([0, 1], 5)) == 1
    assert_array_equal(quick_kmeans(points, 1, n_init=1, rng=np.random.RandomState(0)), 0)


def test_a_center_without_points_goes_to_the_farthest_one():
    points = np.array([[0.0], [1.0], [2.0], [50.0]])
    labels = np.full(4, -1)
    cost = _lloyd(points, np.ones(4), np.array([[1.0, 1000.0]]), labels, 0.0)
    assert_array_equal(labels, [0, 0, 0, 1])
    assert cost == 2
