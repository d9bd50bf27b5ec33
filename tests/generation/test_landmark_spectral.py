"""Base partitions by spectral cuts of graphs of nearest landmarks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import load_digits, make_moons
from sklearn.neighbors import NearestNeighbors

from consensa import LWEA, LandmarkSpectral, lwea
from consensa.exceptions import InvalidParameterError
from consensa.generation._landmark_spectral import _Cut, _edges
from consensa.generation._neighbors import distinct_rows, nearest_landmarks
from consensa.metrics import adjusted_rand_index, normalized_mutual_information

X = np.random.default_rng(0).normal(size=(90, 3))


def test_numbers_of_clusters_go_from_the_number_asked_for_to_three_times_as_many():
    generator = LandmarkSpectral(60)
    counts = generator.generate(X, n_clusters=4, random_state=0).cluster_counts
    assert set(counts.tolist()) == set(range(4, 13))
    counts = generator.generate(X, random_state=0).cluster_counts  # none asked for: the paper's
    assert set(counts.tolist()) == set(range(2, 10))
    counts = LandmarkSpectral(9, n_clusters=(3, 5)).generate(X, n_clusters=8).cluster_counts
    assert counts.min() >= 3
    assert counts.max() <= 5
    counts = generator.generate(X[:5], n_clusters=5, random_state=0).cluster_counts
    assert counts.max() <= 5


def test_a_consensus_tells_the_generator_its_number_of_clusters():
    model = LWEA(7, generator=LandmarkSpectral(), random_state=0).fit(X)
    assert model.ensemble_.cluster_counts.min() >= 7


def test_each_sample_is_joined_to_the_nearest_of_the_landmarks_that_are_kept():
    nearest = nearest_landmarks(X, X, 30, None)
    edges = _edges(nearest, _Cut(3, 4, 0.6, 0), np.random.RandomState(0))
    kept = np.random.RandomState(0).permutation(90) < 0.6 * 90
    assert edges.shape == (90, 54)
    assert kept.sum() == 54
    numbers = np.flatnonzero(kept)
    wanted = NearestNeighbors(n_neighbors=4).fit(X[kept]).kneighbors(X, return_distance=False)
    for row, columns in enumerate(np.split(edges.indices, edges.indptr[1:-1])):
        assert set(numbers[columns]) == set(numbers[wanted[row]])


def test_parts_that_nothing_joins_are_merged_by_their_distance():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 100.0], [10.0, 100.0]])
    points = np.concatenate([center + rng.normal(size=(30, 2)) for center in centers])
    truth = np.repeat([0, 0, 1, 1], 30)
    generator = LandmarkSpectral(5, n_clusters=2, n_neighbors=4, scaling="none", share=1.0)
    for labels in generator.generate(points, random_state=0).codes.T:
        assert adjusted_rand_index(truth, labels) == 1


def test_nobody_stays_without_a_landmark():
    nearest = np.repeat(np.arange(40)[:, None], 1, axis=1)  # each knows one landmark only
    edges = _edges(nearest, _Cut(2, 4, 0.1, 0), np.random.RandomState(0))
    assert (edges.sum(axis=1) == 1).all()


def test_distinct_rows_are_found_and_do_not_depend_on_the_order():
    points = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, -0.0], [0.0, 2.0]])
    for kind in (np.asarray, sparse.csr_array):
        first, row_of_sample, order = distinct_rows(kind(points))
        assert_array_equal(np.diff(row_of_sample[order]) >= 0, True)
        assert len(first) == 2
        assert row_of_sample[0] == row_of_sample[2] != row_of_sample[1] == row_of_sample[3]
    order = np.array([3, 0, 1, 2])
    shuffled = distinct_rows(points[order])
    assert_array_equal(points[order][shuffled.first], points[distinct_rows(points).first])


@pytest.mark.parametrize("scaling", ["range", "standard", "none"])
def test_shuffling_the_samples_shuffles_the_labels(scaling):
    # Tenths: many neighbors are equally far, and sums depend on the order in the last digit.
    digits = load_digits().data[:300] / 10
    order = np.random.RandomState(1).permutation(300)
    generator = LandmarkSpectral(4, scaling=scaling)
    given = generator.generate(digits, n_clusters=5, random_state=0).codes
    shuffled = generator.generate(digits[order], n_clusters=5, random_state=0).codes
    for before, after in zip(given.T, shuffled.T, strict=True):
        assert adjusted_rand_index(before[order], after) == 1


def test_units_do_not_matter_unless_scaling_is_off():
    units = np.array([1.0, 1000.0, 0.001])
    for scaling in ("range", "standard"):
        generator = LandmarkSpectral(3, scaling=scaling)
        wanted = generator.generate(X, n_clusters=3, random_state=0).labels
        assert_array_equal(generator.generate(X * 2.0**10, n_clusters=3, random_state=0).labels,
                           wanted)  # fmt: skip
        other = generator.generate(X * units, n_clusters=3, random_state=0).codes
        assert adjusted_rand_index(other[:, 0], wanted[:, 0]) > 0.95
    generator = LandmarkSpectral(3, scaling="none")
    wanted = generator.generate(X, n_clusters=3, random_state=0).codes
    other = generator.generate(X * units, n_clusters=3, random_state=0).codes
    assert adjusted_rand_index(other[:, 0], wanted[:, 0]) < 0.5


def test_clusters_of_any_shape_are_found():
    points, truth = make_moons(400, noise=0.05, random_state=0)
    ensemble = LandmarkSpectral().generate(points, n_clusters=2, random_state=0)
    assert adjusted_rand_index(truth, lwea(ensemble, 2).labels) > 0.95


def test_more_samples_than_landmarks_are_cut_through_a_part_of_them():
    points, truth = load_digits(return_X_y=True)
    ensemble = LandmarkSpectral(10, n_landmarks=500).generate(points, n_clusters=10,
                                                              random_state=0)  # fmt: skip
    assert normalized_mutual_information(truth, lwea(ensemble, 10).labels) > 0.75


def test_few_distinct_samples_are_told_apart():
    points = np.repeat([[1.0], [2.0], [7.0]], 5, axis=0)
    for labels in LandmarkSpectral(10).generate(points, n_clusters=3, random_state=0).codes.T:
        assert_array_equal(labels, np.repeat([0, 1, 2], 5))
    for labels in LandmarkSpectral(10).generate(points[:10], n_clusters=4).codes.T:
        assert_array_equal(labels, np.repeat([0, 1], 5))


def test_fewer_samples_than_neighbors_are_taken():
    for n in (2, 3, 6):
        ensemble = LandmarkSpectral(5).generate(X[:n], n_clusters=2, random_state=0)
        assert ensemble.n_samples == n


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"n_clusters": 91}, "at most the number of samples, 90. Got 91"),
        ({"share": 0}, "'share' parameter of LandmarkSpectral"),
        ({"scaling": "rnage"}, "Did you mean 'range'"),
        ({"n_neighbors": (5, 4)}, r"'n_neighbors' parameter of LandmarkSpectral"),
    ],
)
def test_bad_parameters_are_refused(bad, said):
    with pytest.raises(InvalidParameterError, match=said):
        LandmarkSpectral(**bad).generate(X, random_state=0)


def test_the_scale_is_the_same_to_the_last_digit_when_samples_are_shuffled():
    points = np.random.default_rng(0).normal(size=(500, 6))
    order = np.random.RandomState(1).permutation(500)
    models = [
        LandmarkSpectral(1, scaling="standard").generate(rows, random_state=0).models[0]
        for rows in (points, points[order])
    ]
    assert_array_equal(models[0].model.scaling.divisor, models[1].model.scaling.divisor)
