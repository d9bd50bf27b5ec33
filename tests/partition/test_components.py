"""Connected components, and the eigenvectors that they determine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from consensa.partition.components import (
    component_vectors,
    components,
    components_of_columns,
    some_of,
)


@pytest.mark.parametrize("seed", range(5))
def test_components_of_an_array_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    graph = np.triu(rng.uniform(size=(60, 60)) < 0.015, 1).astype(float)
    graph += graph.T
    wanted = connected_components(graph, directed=False)[1]
    assert 5 < len(set(wanted)) < 60
    assert_array_equal(components(graph), wanted)
    assert_array_equal(components(sparse.csr_array(graph)), wanted)


def test_rounding_errors_are_no_edges():
    graph = np.array([[1, 1e-20, 0], [1e-20, 1, 0.5], [0, 0.5, 1]])
    assert_array_equal(components(graph), [0, 0, 0])
    assert_array_equal(components(graph, least=1e-16), [0, 1, 1])


def test_columns_of_one_row_are_linked():
    rows = np.array([[1, 1, 0, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0.5, 0, 1]])
    found = components_of_columns(rows)
    assert_array_equal(found, components_of_columns(sparse.csr_array(rows)))
    assert found[0] == found[1]
    assert found[2] == found[4]
    assert len(set(found)) == 3  # and a column without rows


def test_a_node_without_edges_has_no_vector():
    root = np.array([3.0, 0, 4, 2])
    vectors = component_vectors(np.array([0, 1, 0, 2]), root)
    assert_allclose(vectors, [[0.6, 0], [0, 0], [0.8, 0], [0, 1]])
    assert component_vectors(np.arange(2), np.zeros(2)).shape == (2, 0)


def test_some_vectors_are_orthonormal_and_in_the_space():
    vectors = component_vectors(np.repeat(np.arange(5), 3), np.ones(15))
    some = some_of(vectors, 2, np.random.RandomState(0))
    assert_allclose(some.T @ some, np.eye(2), atol=1e-12)
    assert_allclose(vectors @ (vectors.T @ some), some, atol=1e-12)
    assert some_of(vectors, 5, np.random.RandomState(0)) is vectors
