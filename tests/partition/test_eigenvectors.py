"""Leading eigenvectors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.linalg import ArpackError, aslinearoperator

from consensa.partition import _eigenvectors
from consensa.partition._eigenvectors import leading_eigenvectors

SQUARE = (lambda half: half @ half.T)(np.random.default_rng(0).normal(size=(40, 10)))
ROOT = np.ones(40)  # only graphs of several components need it


@pytest.mark.parametrize("dense_below", [600, 0])
def test_largest_come_first_at_once_and_by_iteration(dense_below, monkeypatch):
    monkeypatch.setattr(_eigenvectors, "_DENSE_BELOW", dense_below)
    vectors = leading_eigenvectors(SQUARE, 3, root=ROOT, random_state=0)
    largest = np.linalg.eigvalsh(SQUARE)[::-1][:3]
    assert_allclose(SQUARE @ vectors, vectors * largest, atol=1e-8)
    assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-10)


def test_an_operator_is_only_multiplied():
    vectors = leading_eigenvectors(aslinearoperator(SQUARE), 2, root=ROOT, random_state=0)
    wanted = leading_eigenvectors(SQUARE, 2, root=ROOT)
    assert_allclose(vectors @ vectors.T, wanted @ wanted.T, atol=1e-8)


def test_no_more_than_there_are():
    assert leading_eigenvectors(np.eye(3), 5, root=np.ones(3)).shape == (3, 3)


def test_equal_eigenvalues_come_out_the_same_for_the_same_seed(monkeypatch):
    monkeypatch.setattr(_eigenvectors, "_DENSE_BELOW", 0)
    blocks = np.kron(np.eye(8), np.full((5, 5), 0.2))
    first, second = (
        leading_eigenvectors(blocks, 4, root=np.ones(40), random_state=7) for _ in range(2)
    )
    assert_array_equal(first, second)


def test_the_matrix_is_left_alone():
    before = SQUARE.copy()
    leading_eigenvectors(SQUARE, 2, root=ROOT)
    assert_array_equal(SQUARE, before)


def test_a_large_matrix_of_zeros_has_eigenvectors_too():
    vectors = leading_eigenvectors(np.zeros((700, 700)), 3, root=np.zeros(700), random_state=0)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)


def graph_of_groups(sizes, seed=0):
    """A normalized graph without edges between the groups, the groups, and the root."""
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    near = rng.uniform(size=(len(group), len(group))) < 0.2
    near = (near | near.T | np.eye(len(group), dtype=bool)) & np.equal.outer(group, group)
    weights = near * rng.uniform(0.5, 1)
    root = np.sqrt(weights.sum(axis=1))
    return weights / np.outer(root, root), group, root


@pytest.mark.parametrize("form", ["array", "sparse", "operator"])
@pytest.mark.parametrize("count", [5, 6, 9])
def test_there_is_a_vector_for_every_component(form, count):
    matrix, group, root = graph_of_groups([400, 90, 80, 70, 60])
    values, vectors = np.linalg.eigh(matrix)
    wanted = vectors[:, -count:]
    given = {"array": matrix, "sparse": sparse.csr_array(matrix)}.get(form)
    options = {}
    if form == "operator":
        given, options = aslinearoperator(matrix), {"component": group}
    found = leading_eigenvectors(given, count, root=root, random_state=0, **options)
    assert_allclose(found @ found.T, wanted @ wanted.T, atol=1e-7)
    assert_allclose(np.einsum("ij,ij->j", found, matrix @ found), values[::-1][:count], atol=1e-8)


def test_of_more_components_than_vectors_none_is_at_the_origin():
    matrix, group, root = graph_of_groups([100] * 8)
    found = leading_eigenvectors(matrix, 3, root=root, random_state=0)
    assert_allclose(matrix @ found, found, atol=1e-12)
    assert_allclose(found.T @ found, np.eye(3), atol=1e-12)
    directions = found / np.linalg.norm(found, axis=1, keepdims=True)
    centers = np.array([directions[group == g].mean(axis=0) for g in range(8)])
    assert_allclose(directions, centers[group], atol=1e-9)
    assert np.abs(centers @ centers.T - 1)[~np.eye(8, dtype=bool)].min() > 1e-3


@pytest.mark.parametrize("form", ["sparse", "operator", "formed"])
def test_without_convergence_the_matrix_itself_is_taken(form, monkeypatch):
    def stuck(*_, **__):
        raise ArpackError(-1)

    monkeypatch.setattr(_eigenvectors, "_lanczos", stuck)
    matrix, group, root = graph_of_groups([400, 300])
    wanted = np.linalg.eigh(matrix)[1][:, -4:]
    graph, options = sparse.csr_array(matrix), {}
    if form != "sparse":
        options["component"] = group
    if form == "formed":
        options["formed"] = lambda: graph
    given = graph if form == "sparse" else aslinearoperator(graph)
    found = leading_eigenvectors(given, 4, root=root, random_state=0, **options)
    assert_allclose(found @ found.T, wanted @ wanted.T, atol=1e-3)
