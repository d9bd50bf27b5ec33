"""Base partitions by k-means with a random number of clusters."""

from __future__ import annotations

import math
import pickle

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from consensa import Ensemble, RandomKMeans
from consensa._progress import reporting
from consensa.exceptions import InvalidInputError, InvalidParameterError

X = np.random.default_rng(0).normal(size=(64, 3))


def test_it_makes_the_number_of_partitions_asked_for():
    ensemble = RandomKMeans(7).generate(X, random_state=0)
    assert isinstance(ensemble, Ensemble)
    assert ensemble.labels.shape == (64, 7)
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


def test_the_partitions_are_the_same_for_any_number_of_jobs():
    one = RandomKMeans(6, n_jobs=1).generate(X, random_state=0)
    two = RandomKMeans(6, n_jobs=2).generate(X, random_state=0)
    np.testing.assert_array_equal(one.labels, two.labels)


def test_same_seed_same_partitions_and_another_seed_others():
    first = RandomKMeans(5).generate(X, random_state=1).labels
    np.testing.assert_array_equal(RandomKMeans(5).generate(X, random_state=1).labels, first)
    same = RandomKMeans(5).generate(X, random_state=np.random.RandomState(1)).labels
    np.testing.assert_array_equal(same, first)
    assert not np.array_equal(RandomKMeans(5).generate(X, random_state=2).labels, first)


def test_the_partitions_differ_among_themselves():
    labels = RandomKMeans(10, n_clusters=4).generate(X, random_state=0).labels
    assert len({tuple(column) for column in labels.T}) > 1


def test_the_global_random_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    RandomKMeans(2).generate(X)
    RandomKMeans(2).generate(X, random_state=0)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_the_features_are_not_modified():
    points = X.copy()
    points.flags.writeable = False
    RandomKMeans(2).generate(points, random_state=0)
    np.testing.assert_array_equal(points, X)


def test_equal_points_are_never_separated_and_give_no_warning():
    points = np.repeat(np.arange(3.0), 30).reshape(-1, 1)
    labels = RandomKMeans(10, n_clusters=(2, 8)).generate(points, random_state=0).labels
    for start in (0, 30, 60):
        assert (labels[start : start + 30] == labels[start]).all()


def test_every_kind_of_features_gives_the_same_partitions():
    wanted = RandomKMeans(3).generate(X, random_state=0).labels
    for features in (X.tolist(), pd.DataFrame(X), np.asfortranarray(X)):
        labels = RandomKMeans(3).generate(features, random_state=0).labels
        np.testing.assert_array_equal(labels, wanted)


def test_partitions_of_another_library_s_features_are_in_that_library():
    ensemble = RandomKMeans(3).generate(strict.asarray(X), random_state=0)
    assert isinstance(ensemble.labels, type(strict.asarray(0)))
    wanted = RandomKMeans(3).generate(X, random_state=0).labels
    np.testing.assert_array_equal(ensemble.codes, wanted)


def test_progress_is_reported_for_each_partition():
    told = []

    class Reporter:
        def __init__(self, description, total):
            told.append((description, total))

        def __enter__(self):
            return lambda: told.append("advance")

        def __exit__(self, *error):
            told.append("close")

    with reporting(Reporter):
        RandomKMeans(3).generate(X, random_state=0)
    assert told == [("base partitions", 3), "advance", "advance", "advance", "close"]


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


def test_a_bad_seed_is_refused():
    with pytest.raises(InvalidParameterError, match="'random_state' parameter of generate"):
        RandomKMeans(2).generate(X, random_state=-1)


def test_bad_features_are_refused():
    with pytest.raises(InvalidInputError, match="X contains NaN"):
        RandomKMeans(2).generate([[0.0], [np.nan]])
    with pytest.raises(InvalidInputError, match="minimum of 2 is required"):
        RandomKMeans(2).generate([[0.0]])


def test_it_can_be_cloned_and_pickled():
    generator = RandomKMeans(3, n_clusters=(2, 4), n_jobs=-1)
    for twin in (clone(generator), pickle.loads(pickle.dumps(generator))):
        assert twin.get_params() == generator.get_params()


def test_centres_from_a_sample_label_all_samples():
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
