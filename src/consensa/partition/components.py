"""Connected components of a graph, and the leading eigenvectors that they determine.

The largest eigenvalue of a normalized graph has one eigenvector for each component. Lanczos
iteration can find fewer, without an error, since it sees one vector for each eigenvalue but for
rounding. So these eigenvectors are set, and only the others are computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from consensa._array import Array

__all__ = ["component_vectors", "components", "components_of_columns", "some_of"]


def components(graph: Any, *, least: float = 0.0) -> Array:
    """Connected component of each node of a symmetric graph, numbered from 0.

    Weights of an array up to `least`, such as rounding errors, are no edges.
    """
    if sparse.issparse(graph):
        return np.asarray(connected_components(graph, directed=False)[1])
    component = np.full(len(graph), -1)
    for start in range(len(graph)):
        if component[start] >= 0:
            continue
        component[start] = number = int(component.max()) + 1
        front = np.array([start])
        while len(front):  # breadth first: a sparse copy of the graph would be larger than it is
            reached = np.zeros(len(graph), bool)
            for node in front:
                reached |= graph[node] > least
            front = np.flatnonzero(reached & (component < 0))
            component[front] = number
    return component


def components_of_columns(factor: Any) -> Array:
    """Connected component of each column of a matrix whose rows link the columns."""
    edges = sparse.csr_array(factor)
    both = sparse.block_array([[None, edges], [edges.T, None]], format="csr")
    return np.unique(components(both)[edges.shape[0] :], return_inverse=True)[1]


def component_vectors(component: Array, root: Array) -> Array:
    """An eigenvector of the largest eigenvalue for each component: (n, components).

    `root` is that of a connected graph; where it is 0, a node has no edges and no component.
    """
    numbers = np.unique(component[root != 0], return_inverse=True)[1]
    vectors = np.zeros((len(root), int(numbers.max(initial=-1)) + 1))
    vectors[np.flatnonzero(root), numbers] = root[root != 0]
    return vectors / np.linalg.norm(vectors, axis=0)


def some_of(vectors: Array, count: int, rng: np.random.RandomState) -> Array:
    """At most `count` orthonormal vectors in the space of the given ones.

    Each of more components than vectors then has a direction of its own.
    """
    if count >= vectors.shape[1]:
        return vectors
    turn = np.linalg.qr(rng.standard_normal((vectors.shape[1], count)))[0]
    return np.asarray(vectors @ turn)
