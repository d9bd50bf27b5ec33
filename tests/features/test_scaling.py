"""Scaling of columns before distances are measured."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from consensa.features.scaling import SCALINGS

X = np.random.default_rng(0).normal(size=(200, 4)) * [1, 10, 0.1, 5]


def scaled(name, points):
    return SCALINGS[name](points).apply(points)


def test_standard_and_range_by_definition():
    assert_allclose(scaled("standard", X), X / X.std(axis=0))
    assert_allclose(scaled("range", X), X / (X.max(axis=0) - X.min(axis=0)))  # nothing beyond 4 sd
    assert scaled("none", X) is X


def test_an_outlier_is_clipped_and_does_not_squeeze_the_others():
    points = X.copy()
    points[7, 0] = 1e6
    with_outlier, without = scaled("range", points), scaled("range", X)
    spread = np.delete(with_outlier[:, 0], 7).std() / np.delete(without[:, 0], 7).std()
    assert 0.6 < spread < 1.01
    assert np.ptp(with_outlier[:, 0]) == pytest.approx(1)


def test_a_rare_indicator_keeps_its_full_range():
    rare = np.zeros((1000, 1))
    rare[:3] = 255
    assert_allclose(np.ptp(scaled("range", rare)), 1)


@pytest.mark.parametrize("name", ["standard", "range"])
def test_columns_that_are_constant_but_for_rounding_are_not_blown_up(name):
    points = np.c_[X[:, 0], np.full(200, 3.0), 1e8 + 1e-9 * X[:, 1], np.full(200, 0.1) * 3]
    points[::2, 3] = 0.3
    out = scaled(name, points)
    assert_array_equal(np.ptp(out[:, 1:], axis=0) < 1e-6, True)


@pytest.mark.parametrize("name", list(SCALINGS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_features_are_scaled_like_dense_ones_and_types_stay(name, dtype):
    points = np.where(np.abs(X) < 1, 0, X).astype(dtype)
    points[3, 1] = 500  # an outlier
    dense, thin = scaled(name, points), scaled(name, sparse.csr_array(points))
    assert dense.dtype == thin.dtype == dtype
    assert_allclose(thin.toarray(), dense, rtol=1e-4)


def test_new_samples_are_scaled_as_the_known_ones_were():
    scaling = SCALINGS["range"](X)
    assert_allclose(scaling.apply(X[:5]), scaling.apply(X)[:5])
