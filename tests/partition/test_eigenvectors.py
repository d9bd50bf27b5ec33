"""Leading eigenvectors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.linalg import aslinearoperator

from consensa.partition import _eigenvectors
from consensa.partition._eigenvectors import leading_eigenvectors

SQUARE = (lambda half: half @ half.T)(np.random.default_rng(0).normal(size=(40, 10)))


@pytest.mark.parametrize("dense_below", [600, 0])
def test_largest_come_first_at_once_and_by_iteration(dense_below, monkeypatch):
    monkeypatch.setattr(_eigenvectors, "_DENSE_BELOW", dense_below)
    vectors = leading_eigenvectors(SQUARE, 3, random_state=0)
    largest = np.linalg.eigvalsh(SQUARE)[::-1][:3]
    assert_allclose(SQUARE @ vectors, vectors * largest, atol=1e-8)
    assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-10)


def test_an_operator_is_only_multiplied():
    vectors = leading_eigenvectors(aslinearoperator(SQUARE), 2, random_state=0)
    wanted = leading_eigenvectors(SQUARE, 2)
    assert_allclose(vectors @ vectors.T, wanted @ wanted.T, atol=1e-8)


def test_no_more_than_there_are():
    assert leading_eigenvectors(np.eye(3), 5).shape == (3, 3)


def test_equal_eigenvalues_come_out_the_same_for_the_same_seed(monkeypatch):
    monkeypatch.setattr(_eigenvectors, "_DENSE_BELOW", 0)
    blocks = np.kron(np.eye(8), np.ones((5, 5)))
    first, second = (leading_eigenvectors(blocks, 4, random_state=7) for _ in range(2))
    assert_array_equal(first, second)


def test_the_matrix_is_left_alone():
    before = SQUARE.copy()
    leading_eigenvectors(SQUARE, 2)
    assert_array_equal(SQUARE, before)


def test_a_large_matrix_of_zeros_has_eigenvectors_too():
    vectors = leading_eigenvectors(np.zeros((700, 700)), 3, random_state=0)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)
