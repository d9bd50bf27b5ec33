"""The minimum spanning tree of points, from the graph of their nearest neighbors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from consensa._array import Array

__all__ = ["SpanningTree", "graph_of", "smoothed_tree", "spanning_tree"]

_TREE_UP_TO = 15  # dimensions in which a k-d tree is faster than all distances
_BLOCK = 512


class SpanningTree(NamedTuple):
    """The edges of a spanning tree, the shortest first.

    Attributes
    ----------
    first, second : ndarray of shape (n_points - 1,)
        Points that each edge connects.
    lengths : ndarray of shape (n_points - 1,)
        Length of each edge.
    """

    first: Array
    second: Array
    lengths: Array


def graph_of(weights: Array, first: Array, second: Array, n_points: int) -> sparse.csr_array:
    """The graph with these edges; before 1.14, SciPy's graph functions need 32-bit indices."""
    ends = np.asarray(first, np.int32), np.asarray(second, np.int32)
    return sparse.csr_array((weights, ends), shape=(n_points, n_points))


def spanning_tree(
    points: Array, neighbors: Array, distances: Array, matrix: Array | None = None
) -> SpanningTree:
    """Minimum spanning tree of the graph of nearest neighbors, its components joined.

    The components of the graph are joined by the shortest edges between them, as in the algorithm
    of Borůvka. The result is the minimum spanning tree of the points, except for an edge to a
    point that is not among the nearest neighbors although its component is. Distances are those
    of the points, unless the `matrix` of all distances is given.
    """
    n, count = neighbors.shape
    if n == 1:
        return SpanningTree(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    rows = np.repeat(np.arange(n), count)
    # Distinct points may be so close that their distance is 0, which means no edge in SciPy.
    lengths = np.maximum(distances.ravel(), np.finfo(np.float64).tiny)
    graph = graph_of(lengths, rows, neighbors.ravel(), n)
    graph = graph.maximum(graph.T)
    found = minimum_spanning_tree(graph).tocoo()
    first, second = (np.asarray(ends, np.int64) for ends in found.coords)
    n_parts, part = connected_components(graph, directed=False)
    joined = _join(points, matrix, n_parts, part)
    first = np.concatenate([first, joined.first])
    second = np.concatenate([second, joined.second])
    lengths = np.concatenate([found.data, joined.lengths])
    low, high = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((high, low, lengths))
    return SpanningTree(low[order], high[order], lengths[order])


def smoothed_tree(tree: SpanningTree, neighbors: Array, distances: Array) -> SpanningTree:
    r"""Spanning tree of the mutual reachability of the nearest neighbors.

    .. math:: \max(\|x_i - x_j\|, c_i, c_j),

    where :math:`c_i` is the distance of point i to the last of its `neighbors`: edges in sparse
    regions are long, so that a few points between two clusters do not connect them. The edges of
    the spanning tree of the points, `tree`, connect the graph.
    """
    n, count = neighbors.shape
    first = np.concatenate([np.repeat(np.arange(n), count), tree.first])
    second = np.concatenate([neighbors.ravel(), tree.second])
    lengths = np.concatenate([distances.ravel(), tree.lengths])
    reach = np.maximum(lengths, np.maximum(distances[first, -1], distances[second, -1]))
    pairs, chosen = np.unique(
        np.minimum(first, second) * n + np.maximum(first, second), return_index=True
    )
    # Equal reach is frequent; the shorter edge comes first.
    rank = np.empty(len(pairs))
    rank[np.lexsort((pairs, lengths[chosen], reach[chosen]))] = np.arange(1.0, len(pairs) + 1)
    graph = graph_of(rank, pairs // n, pairs % n, n)
    kept = np.sort(minimum_spanning_tree(graph).data).astype(np.int64) - 1
    edges = chosen[np.argsort(rank)[kept]]
    return SpanningTree(first[edges], second[edges], reach[edges])


def _join(points: Array, matrix: Array | None, n_parts: int, part: Array) -> SpanningTree:
    """The shortest edges that join the components, in rounds."""
    edges: list[tuple[float, int, int]] = []
    while n_parts > 1:
        # Every component but the largest looks for its nearest point outside.
        largest = int(np.bincount(part).argmax())
        shortest = sorted(
            _shortest_edge(points, matrix, part == own) for own in range(n_parts) if own != largest
        )
        parent = np.arange(n_parts)
        for edge in shortest:
            a, b = _root(parent, part[edge[1]]), _root(parent, part[edge[2]])
            if a != b:
                parent[a] = b
                edges.append(edge)
        roots = np.array([_root(parent, own) for own in range(n_parts)])
        _, merged = np.unique(roots, return_inverse=True)
        part, n_parts = merged[part], int(merged.max()) + 1
    lengths, first, second = (
        (np.array(side) for side in zip(*edges, strict=True))
        if edges
        else (np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))
    )
    return SpanningTree(first, second, np.maximum(lengths, np.finfo(np.float64).tiny))


def _root(parent: Array, own: int) -> int:
    while parent[own] != own:
        own = int(parent[own])
    return own


def _shortest_edge(points: Array, matrix: Array | None, within: Array) -> tuple[float, int, int]:
    """The shortest edge from a component to the points outside: (length, inside, outside)."""
    inside, outside = np.flatnonzero(within), np.flatnonzero(~within)
    if matrix is None and points.shape[1] <= _TREE_UP_TO:
        lengths, nearest = cKDTree(points[outside]).query(points[inside])
        best = int(np.argmin(lengths))
        return float(lengths[best]), int(inside[best]), int(outside[nearest[best]])
    if matrix is None:
        length, one, other = _shortest_distance(points[inside], points[outside])
    else:
        length, one, other = _shortest_given(matrix, inside, outside)
    return length, int(inside[one]), int(outside[other])


def _shortest_given(matrix: Array, these: Array, others: Array) -> tuple[float, int, int]:
    """The shortest of the given distances between two sets of points."""
    best = (np.inf, -1, -1)
    for start in range(0, len(these), _BLOCK):
        between = matrix[np.ix_(these[start : start + _BLOCK], others)]
        row, other = np.unravel_index(between.argmin(), between.shape)
        best = min(best, (float(between[row, other]), start + int(row), int(other)))
    return best


def _shortest_distance(these: Array, others: Array) -> tuple[float, int, int]:
    """The shortest distance between two sets of points: (length, row, row of the others).

    Expanded squares are fast, but rounded: they only decide which rows are measured directly.
    """
    squares, other_squares = (np.square(side).sum(axis=1) for side in (these, others))
    rounding = 8 * these.shape[1] * np.finfo(np.float64).eps
    rounding *= squares.max() + other_squares.max()
    least, best = np.inf, (np.inf, -1, -1)
    for start in range(0, len(these), _BLOCK):
        block = these[start : start + _BLOCK]
        between = other_squares - 2 * (block @ others.T)
        of_rows = between.min(axis=1) + squares[start : start + _BLOCK]
        least = min(least, of_rows.min())
        rows = np.flatnonzero(of_rows <= least + rounding)
        if len(rows):
            exact = cdist(block[rows], others)
            row, other = np.unravel_index(exact.argmin(), exact.shape)
            best = min(best, (float(exact[row, other]), start + int(rows[row]), int(other)))
    return best
