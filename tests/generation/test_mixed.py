"""Base partitions of several sources, joined."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans

from consensa import EAC, LandmarkSpectral, Mixed, RandomKMeans
from consensa.exceptions import InvalidInputError, InvalidParameterError

X = np.random.default_rng(0).normal(size=(60, 2))
X[:30] += 5


def test_partitions_stand_side_by_side_in_the_order_of_their_sources():
    ensemble = Mixed([RandomKMeans(3), AgglomerativeClustering(2)]).generate(X, random_state=0)
    assert ensemble.n_partitions == 4
    wanted = AgglomerativeClustering(2).fit_predict(X)
    assert len(set(zip(ensemble.codes[:, 3], wanted, strict=True))) == 2


def test_noise_is_missing():
    points = np.r_[X, [[50.0, 50.0]]]
    ensemble = Mixed([DBSCAN(eps=1.5), HDBSCAN(copy=True), KMeans(2)]).generate(
        points, random_state=0
    )
    assert ensemble.codes[60, 0] == -1
    assert ensemble.has_missing
    assert_array_equal(ensemble.codes[:, 2] >= 0, True)


class Fussy(ClusterMixin, BaseEstimator):
    """Knows two kinds of noise, as HDBSCAN does."""

    def fit_predict(self, X, y=None):
        labels = np.zeros(len(X), int)
        labels[:2] = [-1, -3]
        return labels


def test_every_negative_label_is_missing():
    codes = Mixed([Fussy(), KMeans(2)]).generate(X, random_state=0).codes
    assert_array_equal(codes[:3, 0], [-1, -1, 0])


def test_a_sample_that_every_source_calls_noise_is_named():
    points = np.r_[X, [[50.0, 50.0]]]
    with pytest.raises(InvalidInputError, match="60"):
        Mixed([DBSCAN(eps=1.5)]).generate(points)


def test_clusterers_are_seeded_and_not_changed():
    clusterer = KMeans(5, n_init=1)
    mixed = Mixed([clusterer, clusterer])
    first = mixed.generate(X, random_state=3).codes
    assert_array_equal(mixed.generate(X, random_state=3).codes, first)
    assert not np.array_equal(first[:, 0], first[:, 1])  # each has its own seed
    assert clusterer.random_state is None
    assert not hasattr(clusterer, "labels_")


def test_the_number_of_clusters_is_handed_on():
    mixed = Mixed([LandmarkSpectral(4), RandomKMeans(2)])
    assert mixed.generate(X, n_clusters=6, random_state=0).cluster_counts[:4].min() >= 6


def test_new_samples_are_placed_by_the_sources_that_can():
    mixed = Mixed([RandomKMeans(2, n_clusters=2), AgglomerativeClustering(2), KMeans(2)])
    model = EAC(2, generator=mixed, random_state=0).fit(X)
    assert [made is None for made in model.ensemble_.models] == [False, False, True, False]
    assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("bad", [[], [object()], RandomKMeans(), [RandomKMeans]])
def test_what_cannot_make_partitions_is_refused(bad):
    with pytest.raises(InvalidParameterError, match=r"'generators' parameter of Mixed.*list"):
        Mixed(bad).generate(X)
