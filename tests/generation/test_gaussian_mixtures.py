"""Gaussian mixtures on the leading principal components."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist

from consensa import GaussianMixtures
from consensa.generation._gaussian_mixtures import _leading, _repeats, fit_mixture
from consensa.metrics import adjusted_rand_index


def crossed():
    """Two long clusters that cross, which no centers separate."""
    rng = np.random.default_rng(0)
    return np.concatenate(
        [rng.normal(size=(150, 2)) * [5, 0.2], rng.normal(size=(150, 2)) * [0.2, 5]]
    )


def test_clusters_that_cross_are_separated():
    truth = np.repeat([0, 1], 150)
    scores = [
        adjusted_rand_index(fit_mixture(crossed(), np.ones(300, int), 2, seed), truth)
        for seed in range(5)
    ]
    assert max(scores) > 0.8


def test_the_unit_has_no_effect():
    X, sizes = crossed(), np.ones(300, int)
    wanted = fit_mixture(X, sizes, 3, 0)
    for unit in (2.0**-100, 2.0**100):
        assert_array_equal(fit_mixture(X * unit, sizes, 3, 0), wanted)


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
