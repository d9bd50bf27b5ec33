"""The space in which distances are measured."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import normalize

import consensa as cs
from consensa.exceptions import DoubtWarning
from consensa.features.space import learn_space, metrics_for

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=(80, 5)) * [1, 2, 3, 4, 50]
COUNTS = RNG.poisson(RNG.gamma(0.2, 20, size=(60, 12))).astype(float)
PIXELS = np.where(RNG.uniform(size=(60, 12)) < 0.5, 0, RNG.uniform(size=(60, 12)))
WIDE = RNG.normal(size=(90, 70))


def points_of(X, **options):
    return learn_space(X, **options).apply(X)


def test_counts_are_whole_not_negative_and_have_a_long_tail():
    assert learn_space(COUNTS).name == "counts"
    assert learn_space(COUNTS + 0.5 * (COUNTS.max() == COUNTS)).name == "none"  # not whole
    assert learn_space(np.minimum(COUNTS, 5)).name == "none"  # no tail
    assert learn_space(COUNTS - 2 * (COUNTS.max() == COUNTS) * COUNTS).name == "range"  # negative


def test_counts_are_compared_by_the_logarithms_of_their_shares():
    totals = COUNTS.sum(axis=1)
    shares = COUNTS / np.where(totals > 0, totals, 1)[:, None] * np.median(totals)
    assert_allclose(pdist(points_of(COUNTS)), pdist(np.log1p(shares)), atol=1e-12)


@pytest.mark.parametrize(("zeros", "name"), [(30, "none"), (29, "range")])
def test_columns_of_which_a_third_is_zero_have_the_same_unit(zeros, name):
    X = np.arange(1, 101.0).reshape(20, 5) + 0.5
    X.ravel()[:zeros] = 0
    assert learn_space(X).name == name
    assert learn_space(sparse.csr_array(X)).name == name


@pytest.mark.parametrize("unit", [1e-9, 1.0, 33.0, 1e12])
@pytest.mark.parametrize(("ratio", "name"), [(1.0, "none"), (9.9, "none"), (10.1, "range")])
def test_up_to_three_columns_with_ranges_of_one_size_are_coordinates(unit, ratio, name):
    X = unit * np.linspace([-1, -ratio, -1], [1, ratio, 1], 50)
    assert learn_space(X).name == name
    assert learn_space(np.c_[X, X]).name == "range"  # more than three


def test_ranges_divide_other_columns_and_center_them():
    found = points_of(NORMAL)
    assert_allclose(found, (NORMAL - NORMAL.mean(axis=0)) / np.ptp(NORMAL, axis=0), atol=1e-12)


@pytest.mark.parametrize("value", [0.0, 1.0, 1e7, 1.7e9, 1e307])
@pytest.mark.parametrize("X", [NORMAL, NORMAL[:, :3], COUNTS, PIXELS, WIDE, WIDE[:, :50]])
def test_a_constant_column_changes_nothing(X, value):
    without = learn_space(X)
    for place in (0, 2, X.shape[1]):
        with_constant = np.insert(X, place, value, axis=1)
        space = learn_space(with_constant)
        assert space.name == without.name
        assert_array_equal(space.apply(with_constant), without.apply(X))


@pytest.mark.parametrize("value", [1e7, 1.7e9])
def test_labels_are_the_same_with_a_constant_column(value):
    X = load_breast_cancer().data[::4]
    wanted = cs.cluster(X, 2, random_state=0).labels
    for place in (5, X.shape[1]):
        found = cs.cluster(np.insert(X, place, value, axis=1), 2, random_state=0).labels
        assert_array_equal(found, wanted)


def test_rows_that_are_all_equal_are_one_point():
    assert not points_of(np.full((5, 3), 1e9)).any()
    assert not points_of(np.full((5, 60), 0.3)).any()


@pytest.mark.parametrize("scaling", ["auto", "none", "range", "standard"])
@pytest.mark.parametrize("X", [NORMAL, WIDE])
def test_huge_values_are_points_as_others_are(X, scaling):
    X = X / np.abs(X).max(axis=0)
    huge = X * 2.0**1023
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DoubtWarning)  # these points have no clusters
        found = points_of(huge, scaling=scaling)
        fit = cs.cluster(huge[:20], 2, random_state=0)
    assert np.isfinite(pdist(found)).all()
    wanted = pdist(points_of(X, scaling=scaling))
    ratios = pdist(found) / wanted
    assert_allclose(ratios, ratios[0], rtol=1e-9)
    assert fit.n_clusters == 2


@pytest.mark.parametrize("scaling", ["auto", "counts", "none", "range", "standard"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("X", [COUNTS, PIXELS, np.where(np.abs(WIDE) < 0.5, 0, np.abs(WIDE))])
def test_sparse_features_are_the_points_of_dense_ones(X, scaling, metric):
    stored = sparse.csr_array(X)
    stored.data[:3] = 0  # zeros that are stored
    dense, found = (
        learn_space(Y, scaling=scaling, metric=metric) for Y in (stored.toarray(), stored)
    )
    assert found.name == dense.name
    assert_allclose(pdist(found.apply(stored)), pdist(dense.apply(stored.toarray())), atol=1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("X", [NORMAL, COUNTS, PIXELS, WIDE])
def test_new_rows_are_placed_where_the_same_old_rows_are(X, metric):
    space = learn_space(X, metric=metric)
    assert_allclose(space.apply(X[7:19]), space.apply(X)[7:19], atol=1e-13)
    assert_allclose(space.apply(sparse.csr_array(X[7:8])), space.apply(X)[7:8], atol=1e-10)


def test_cosine_is_the_distance_of_rows_of_unit_length():
    for X in (WIDE[:, :40], np.c_[WIDE[:, :40], np.full(90, 3.0)]):
        found = points_of(X, scaling="none", metric="cosine")
        assert_allclose(pdist(found), pdist(normalize(X)), atol=1e-12)
    assert np.isfinite(points_of(np.r_[NORMAL, np.zeros((1, 5))], metric="cosine")).all()


@pytest.mark.parametrize("offset", [0.0, 1e7, 1.7e9])
def test_many_columns_keep_their_distances_far_from_zero(offset):
    X = np.random.default_rng(1).normal(size=(40, 60))  # rank below 50: nothing is lost
    found = points_of(X + offset, scaling="none")
    assert_allclose(pdist(found), pdist(X), rtol=1e-5)
    assert "principal components" in learn_space(X).describe()


def test_angles_are_a_second_metric_for_more_than_three_columns_that_vary():
    X = np.random.RandomState(0).random_sample((9, 5))
    assert metrics_for(X, is_scaled=False) == ("euclidean", "angles")
    assert metrics_for(sparse.csr_array(X), is_scaled=False) == ("euclidean", "angles")
    assert metrics_for(X, is_scaled=True) == ("euclidean",)
    assert metrics_for(X[:, :3], is_scaled=False) == ("euclidean",)
    X[:, 3:] = 7.0
    assert metrics_for(X, is_scaled=False) == ("euclidean",)


def test_angles_do_not_depend_on_a_constant_column_or_on_the_length_of_a_row():
    X = np.random.RandomState(0).random_sample((9, 5))
    points = learn_space(X, metric="angles", scaling="none").apply(X)
    longer = X * np.linspace(1, 9, 9)[:, None]
    again = learn_space(longer, metric="angles", scaling="none").apply(longer)
    assert_allclose(again, points, atol=1e-12)
    beside = np.column_stack([X, np.full(9, 2026.0)])
    again = learn_space(beside, metric="angles", scaling="none").apply(beside)
    assert_allclose(again, points, atol=1e-12)
