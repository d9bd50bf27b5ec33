"""Leading principal components."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from consensa.features import _principal_components
from consensa.features._principal_components import principal_components


def points(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * np.geomspace(10, 0.1, d) + rng.normal(size=d)


@pytest.fixture(params=["gram", "lanczos"])
def way(request, monkeypatch):
    if request.param == "lanczos":
        monkeypatch.setattr(_principal_components, "_DENSE_UP_TO", 1)
    return request.param


@pytest.mark.parametrize(("n", "d", "count"), [(60, 20, 5), (20, 60, 10), (9, 30, 50)])
def test_they_are_the_right_singular_vectors_of_the_centered_points(way, n, d, count):
    X = points(n, d)
    center = X.mean(axis=0)
    right = np.linalg.svd(X - center, full_matrices=False)[2].T
    for rows in (X, sparse.csr_array(X)):
        found = principal_components(rows, center, count)
        width = found.shape[1]
        assert width == min(count, n - 1, d)
        signs = np.sign((found * right[:, :width]).sum(axis=0))
        assert_allclose(found, right[:, :width] * signs, atol=1e-7)
        assert (found.max(axis=0) >= -found.min(axis=0) - 1e-9).all()  # the largest is positive


def test_directions_without_variance_are_left_out(way):
    X = points(40, 3) @ points(3, 30, seed=1)
    found = principal_components(X, X.mean(axis=0), 10)
    assert found.shape == (30, 3)
    centered = X - X.mean(axis=0)
    assert_allclose(centered @ found @ found.T, centered, atol=1e-6)


def test_large_means_cost_no_digits():
    X = points(50, 20)
    wanted = principal_components(X, X.mean(axis=0), 5)
    far = X + 1e8
    assert_allclose(principal_components(far, far.mean(axis=0), 5), wanted, atol=1e-6)
