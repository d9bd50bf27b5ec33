"""Gaussian mixtures on the leading principal components."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from consensa import GaussianMixtures
from consensa.generation import _gaussian_mixtures
from consensa.generation._gaussian_mixtures import _leading, _repeats, fit_mixtures
from consensa.generation._mixture import FittedMixture, mixture_from
from consensa.metrics import adjusted_rand_index
from consensa.partition.kmeans import quick_kmeans


def crossed():
    """Two long clusters that cross, which no centers separate."""
    rng = np.random.default_rng(0)
    return np.concatenate(
        [rng.normal(size=(150, 2)) * [5, 0.2], rng.normal(size=(150, 2)) * [0.2, 5]]
    )


def test_clusters_that_cross_are_separated():
    truth = np.repeat([0, 1], 150)
    scores = [
        adjusted_rand_index(fit_mixtures(crossed(), np.ones(300, int), 2, [seed])[0], truth)
        for seed in range(5)
    ]
    assert max(scores) > 0.8


@pytest.mark.parametrize(("n_columns", "k"), [(1, 2), (2, 3), (9, 5)])
def test_from_the_same_start_a_mixture_is_that_of_scikit_learn(n_columns, k):
    rng = np.random.default_rng(n_columns)
    X = rng.normal(size=(300, n_columns)) + rng.integers(0, 4, size=(300, 1))
    for seed in range(3):
        source = np.random.RandomState(seed)  # from which scikit-learn starts its k-means
        start = KMeans(k, n_init=1, random_state=source).fit(X).labels_
        made = mixture_from(start, X, X[:50])
        wanted = GaussianMixture(k, reg_covar=1e-3, tol=1e-2, max_iter=60, random_state=seed)
        wanted.fit(X)
        assert_allclose(made.likelihood, wanted.lower_bound_)
        assert_array_equal(made.labels, wanted.predict(X[:50]))


@pytest.mark.parametrize(("n_points", "n_starts"), [(30, 10), (2500, 4), (20_000, 1)])
def test_the_mixtures_with_the_greatest_likelihood_of_all_starts_are_kept(
    n_points, n_starts, monkeypatch
):
    tried = []

    def fitted(start, points, distinct):
        tried.append(FittedMixture(len(tried) * 7 % 30, np.full(len(distinct), len(tried))))
        return tried[-1]

    monkeypatch.setattr(_gaussian_mixtures, "mixture_from", fitted)
    X = np.random.default_rng(0).normal(size=(n_points, 1))
    kept = fit_mixtures(X, np.ones(n_points, int), 2, [5, 6, 7])
    assert len(tried) == 3 * n_starts
    best = sorted(tried, key=lambda one: -one.likelihood)[:3]
    assert [labels[0] for labels in kept] == [one.labels[0] for one in best]


@pytest.mark.parametrize(("n_points", "each"), [(200, 1), (2000, 2), (6000, 10)])
def test_of_more_points_each_mixture_starts_from_the_best_of_several_runs(
    n_points, each, monkeypatch
):
    seen = []

    def run(points, k, *, n_init, rng):
        seen.append(n_init)
        return quick_kmeans(points, k, n_init=1, rng=rng)

    monkeypatch.setattr(_gaussian_mixtures, "quick_kmeans", run)
    points = np.random.default_rng(0).normal(size=(n_points, 2))
    fit_mixtures(points, np.ones(n_points, int), 2, [0])
    assert seen == [each] * (10 // each)


def test_starts_that_find_several_maxima_end_in_the_same_one():
    """Four arms of a cross have several divisions by two Gaussian distributions."""
    rng = np.random.default_rng(4)
    X = np.concatenate([crossed()[:, ::-1], rng.normal(size=(60, 2)) * 0.3 + [6, 6]])
    found = [fit_mixtures(X, np.ones(360, int), 3, [seed])[0] for seed in range(6)]
    assert min(adjusted_rand_index(found[0], one) for one in found) > 0.95


def test_the_unit_has_no_effect():
    X, sizes = crossed(), np.ones(300, int)
    wanted = fit_mixtures(X, sizes, 3, [0])[0]
    for unit in (2.0**-100, 2.0**100):
        assert_array_equal(fit_mixtures(X * unit, sizes, 3, [0])[0], wanted)


def test_leading_components_keep_the_largest_variance():
    X = np.random.default_rng(0).normal(size=(50, 6)) * [9, 5, 3, 1, 0.5, 0.1]
    X -= X.mean(axis=0)
    assert_allclose(pdist(_leading(X, 6)), pdist(X))
    lengths = np.linalg.svd(X)[1]
    assert_allclose(np.linalg.norm(_leading(X, 2), axis=0), lengths[:2])
    assert _leading(X[:, :1], 20) is not None
    assert _leading(X[:4], 20).shape == (4, 6)


def test_points_are_repeated_in_proportion_to_their_samples():
    assert_array_equal(_repeats(np.array([1, 2, 3])), [1, 2, 3])
    many = np.array([1000, 10, 1, 989])
    assert_array_equal(_repeats(many), [2, 1, 1, 2])
    weights = np.random.default_rng(0).integers(1, 10**6, 500)
    assert _repeats(weights).sum() <= 2 * 500


def test_all_partitions_have_the_number_of_the_consensus_and_no_more_than_points():
    X = np.random.default_rng(0).normal(size=(60, 3))
    made = GaussianMixtures(3).generate(X, n_clusters=3, random_state=0)
    assert (made.cluster_counts <= 3).all()
    few = GaussianMixtures(2).generate(np.repeat(X[:3], 5, axis=0), n_clusters=4, random_state=0)
    assert (few.cluster_counts == 3).all()
