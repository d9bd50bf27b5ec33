"""Base partitions by k-means with a random number of clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import RandomKMeans
from consensa.exceptions import InvalidParameterError

X = np.random.default_rng(0).normal(size=(64, 3))


def test_there_are_twenty_partitions_unless_one_says_otherwise():
    assert RandomKMeans().generate(X[:9], random_state=0).n_partitions == 20


@pytest.mark.parametrize("n", [2, 3, 4, 5, 9, 100])
def test_numbers_of_clusters_are_those_of_the_protocol(n):
    points = np.random.default_rng(n).normal(size=(n, 2))
    counts = RandomKMeans(60).generate(points, random_state=0).cluster_counts
    high = max(2, min(math.floor(math.sqrt(n)), n - 1))
    assert set(counts.tolist()) == set(range(2, high + 1))


def test_a_number_or_a_range_of_clusters_is_kept_to():
    assert set(RandomKMeans(5, n_clusters=4).generate(X, random_state=0).cluster_counts) == {4}
    counts = RandomKMeans(40, n_clusters=(3, 5)).generate(X, random_state=0).cluster_counts
    assert set(counts.tolist()) == {3, 4, 5}
    counts = RandomKMeans(3, n_clusters=[np.int64(6), 6]).generate(X).cluster_counts
    assert set(counts.tolist()) == {6}
    assert set(RandomKMeans(2, n_clusters=1).generate(X).cluster_counts) == {1}
    assert set(RandomKMeans(2, n_clusters=5).generate(X[:5]).cluster_counts) == {5}


def test_the_partitions_differ_among_themselves():
    labels = RandomKMeans(10, n_clusters=4).generate(X, random_state=0).labels
    assert len({tuple(column) for column in labels.T}) > 1


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"n_partitions": 0}, "'n_partitions' parameter of RandomKMeans must be an integer ≥ 1"),
        ({"n_clusters": 0}, "'n_clusters' parameter of RandomKMeans"),
        ({"n_clusters": (3, 2)}, r"a pair \(low, high\) of integers with 1 ≤ low ≤ high"),
        ({"n_clusters": 2.0}, "Got 2.0 instead"),
        ({"n_clusters": 65}, "at most the number of samples, 64. Got 65"),
        ({"n_clusters": (2, 65)}, r"at most the number of samples, 64. Got \(2, 65\)"),
        ({"n_init": 0}, "'n_init' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"n_jobs": 0}, "'n_jobs' parameter of RandomKMeans must be an integer other than 0"),
    ],
)
def test_bad_parameters_are_refused(bad, said):
    with pytest.raises(InvalidParameterError, match=said):
        RandomKMeans(**bad).generate(X, random_state=0)


def test_centers_from_a_sample_label_all_samples():
    X = np.random.RandomState(0).standard_normal((300, 2)) + 20 * np.arange(3).repeat(100)[:, None]
    ensemble = RandomKMeans(3, n_clusters=3, n_init=5, max_samples=30).generate(X, random_state=0)
    assert_array_equal(ensemble.labels, np.arange(3).repeat(100)[:, None] * [1, 1, 1])


def test_the_range_of_the_paper_is_that_of_the_sample():
    X = np.random.RandomState(0).standard_normal((400, 2))
    ensemble = RandomKMeans(20, max_samples=50).generate(X, random_state=0)
    assert ensemble.cluster_counts.max() == 7


def test_as_many_samples_as_there_are_is_all_of_them():
    X = np.random.RandomState(0).standard_normal((40, 2))
    whole = RandomKMeans(2, n_clusters=4).generate(X, random_state=0).labels
    assert_array_equal(
        RandomKMeans(2, n_clusters=4, max_samples=99).generate(X, random_state=0).labels, whole
    )
