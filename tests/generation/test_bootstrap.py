"""Resampled rows: what is drawn, what is missing, whom it asks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from consensa import EAC, Bootstrap
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.metrics import adjusted_rand_index


@pytest.fixture
def points():
    rng = np.random.RandomState(0)
    truth = rng.permutation(np.repeat([0, 1, 2], 40))
    return rng.normal(size=(120, 2)) + 9 * np.eye(3)[truth][:, :2], truth


class Recorder:
    """A clusterer that remembers what it was given, one list for all of its clones."""

    seen: list = []  # noqa: RUF012

    def __init__(self, random_state=None):
        self.random_state = random_state

    def get_params(self, deep=True):
        return {"random_state": self.random_state}

    def set_params(self, random_state):
        self.random_state = random_state
        return self

    def fit_predict(self, X):
        self.seen.append((X[:, 0].astype(int), self.random_state))
        return X[:, 0].astype(int) % 2


@pytest.fixture
def recorder():
    Recorder.seen = []
    return Recorder()


def test_left_out_samples_are_missing_and_drawn_ones_are_not(recorder):
    X = np.arange(50.0)[:, None]
    ensemble = Bootstrap(6, clusterer=recorder).generate(X, random_state=0)
    for codes, (rows, _) in zip(ensemble.codes.T, recorder.seen, strict=True):
        assert_array_equal(np.flatnonzero(codes != -1), np.unique(rows))
        drawn = codes[np.unique(rows)]
        assert adjusted_rand_index(drawn, np.unique(rows) % 2) == 1
    assert len({seed for _, seed in recorder.seen}) == 6


def test_the_bootstrap_leaves_out_about_a_third_and_subsampling_what_it_is_told(points):
    X = np.tile(points[0], (9, 1))
    missing = 1 - Bootstrap(5).generate(X, random_state=0).labeled.mean()
    assert abs(missing - np.exp(-1)) < 0.03
    ensemble = Bootstrap(12, share=0.8, replace=False).generate(X, random_state=0)
    assert_array_equal((~ensemble.labeled).sum(axis=0), [216] * 12)


def test_every_sample_is_labeled_at_least_once():
    X = np.random.RandomState(0).normal(size=(200, 2))
    for seed in range(5):
        ensemble = Bootstrap(2, n_clusters=2, share=0.05).generate(X, random_state=seed)
        assert ensemble.labeled.any(axis=1).all()


def test_the_consensus_of_resampled_rows_is_the_truth(points):
    X, truth = points
    model = EAC(3, generator=Bootstrap(30, n_clusters=3), random_state=0).fit(X)
    assert adjusted_rand_index(model.labels_, truth) == 1
    assert_array_equal(model.predict(X), model.labels_)


def test_numbers_of_clusters_are_fixed_drawn_or_the_clusterers_own(points):
    X, _ = points
    fixed = Bootstrap(4, n_clusters=5).generate(X, random_state=0)
    assert_array_equal(fixed.cluster_counts, [5] * 4)
    drawn = Bootstrap(30, n_clusters=(2, 4)).generate(X, random_state=0)
    assert set(drawn.cluster_counts) == {2, 3, 4}
    root = Bootstrap(40).generate(X, random_state=0).cluster_counts
    assert root.min() >= 2
    assert root.max() == 10  # the root of 120
    own = Bootstrap(2, clusterer=KMeans(6, n_init=1)).generate(X, random_state=0)
    assert_array_equal(own.cluster_counts, [6, 6])
    mixture = Bootstrap(2, clusterer=GaussianMixture(), n_clusters=3)
    assert_array_equal(mixture.generate(X, random_state=0).cluster_counts, [3, 3])


def test_noise_is_missing_and_never_a_cluster(points):
    X, truth = points
    lonely = np.vstack([X, [[500.0, 500.0]] * 2])  # two alone are noise unless drawn three times
    generator = Bootstrap(20, clusterer=DBSCAN(eps=2.0, min_samples=4))
    ensemble = generator.generate(lonely, random_state=0)
    drawn_but_noise = ensemble.codes[120:]
    assert (drawn_but_noise == -1).mean() > 0.5
    assert ensemble.cluster_counts.max() <= 4
    assert adjusted_rand_index(EAC(3).fit(generator.generate(X, random_state=0)).labels_,
                               truth) == 1  # fmt: skip


def test_a_sample_that_is_noise_everywhere_is_refused_with_its_row(points):
    X = np.vstack([points[0], [[500.0, 500.0]]])
    generator = Bootstrap(5, clusterer=DBSCAN(eps=2.0, min_samples=4), share=0.9, replace=False)
    with pytest.raises(InvalidInputError, match="Row 120 is missing in all 5 partitions"):
        generator.generate(X, random_state=0)


def test_models_come_from_clusterers_that_can_predict(points):
    X, _ = points
    ensemble = Bootstrap(2, clusterer=GaussianMixture(3)).generate(X, random_state=0)
    predicted = ensemble.models[0].predict(X)
    drawn = ensemble.labeled[:, 0]
    assert_array_equal(predicted[drawn], ensemble.codes[drawn, 0])
    assert (predicted >= 0).all()
    ward = Bootstrap(2, clusterer=AgglomerativeClustering(3)).generate(X, random_state=0)
    assert ward.models == (None, None)


def test_the_clusterer_given_is_left_as_it_was(points):
    mine = KMeans(3, n_init=1, random_state=5)
    Bootstrap(2, clusterer=mine, n_clusters=4).generate(points[0], random_state=0)
    assert mine.get_params() == KMeans(3, n_init=1, random_state=5).get_params()
    assert not hasattr(mine, "labels_")


def test_nested_parameters_can_be_set():
    generator = clone(Bootstrap(clusterer=KMeans())).set_params(clusterer__n_init=3)
    assert generator.clusterer.n_init == 3


def test_a_number_of_clusters_that_cannot_be_is_refused(points):
    with pytest.raises(InvalidParameterError, match="DBSCAN, which has none"):
        Bootstrap(2, clusterer=DBSCAN(), n_clusters=3).generate(points[0])
    with pytest.raises(InvalidParameterError, match=r"at most the number of samples, 12\. Got 13"):
        Bootstrap(40, n_clusters=13, share=0.1).generate(points[0])
