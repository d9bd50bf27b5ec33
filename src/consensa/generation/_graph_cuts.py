"""Base partitions by spectral cuts of graphs of nearest neighbors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from scipy import sparse

from consensa._array import Array
from consensa._params import Declaration, Integer, IntegerRange
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._neighborhood import Neighborhood
from consensa.generation.base import LARGEST_SEED
from consensa.generation.neighborhood_generator import NeighborhoodGenerator
from consensa.partition.graph_spectrum import graph_spectrum
from consensa.partition.kmeans import best_kmeans

__all__ = ["GraphCuts", "neighbor_graph", "spaced", "tree_edges"]

_PER_GRAPH = 4  # partitions from the eigenvectors of one graph
_N_INIT = 3  # starts of k-means
_FAINT = 1e-3  # weight of an edge of the spanning tree; that of a nearest neighbor is 1 or 2


class GraphCuts(NeighborhoodGenerator):
    r"""Partitions by spectral clustering of graphs of nearest neighbors.

    Samples i and j are connected if one is among the :math:`r` nearest neighbors of the other,

    .. math:: W_{ij} = [\,j \in N_r(i)\,] + [\,i \in N_r(j)\,] + \varepsilon\,[\,ij \in T\,],

    where the edges of the minimum spanning tree T connect the graph. The leading eigenvectors of
    :math:`D^{-1} W`, with rows of unit length, are clustered by k-means. Each graph gives four
    partitions; :math:`r` differs between graphs.

    Parameters
    ----------
    %(n_partitions)s
    n_neighbors : int or (int, int), default=(5, 14)
        Number of nearest neighbors :math:`r`, or its range.
    %(neighborhood)s

    See Also
    --------
    DiverseKinds : The default generator, of which these partitions are a part.
    LandmarkSpectral : Cuts of graphs of samples and landmarks.

    Notes
    -----
    The eigenvectors are computed by shift and invert, which converges for clusters of any shape.
    Time :math:`O(n^2 d)` for the neighbors of n samples of d columns, at most `max_samples` of
    them. Equal samples are never separated. The result is order-free.

    References
    ----------
    .. [1] U. von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17, 2007.
       :doi:`10.1007/s11222-007-9033-z`

    Examples
    --------
    Two rings, one inside the other.

    >>> import numpy as np
    >>> from consensa import GraphCuts
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> ensemble = GraphCuts(1, n_clusters=2).generate(
    ...     np.concatenate([ring, 3 * ring]), random_state=0
    ... )
    >>> np.bincount(ensemble.labels[:100, 0]), np.bincount(ensemble.labels[100:, 0])
    (array([100]), array([  0, 100]))
    """

    n_neighbors: int | tuple[int, int] = (5, 14)
    _declared: ClassVar[Declaration] = {
        **NeighborhoodGenerator._declared,
        "n_neighbors": (Integer(1), IntegerRange(1)),
    }

    def _batches(
        self, found: Neighborhood, counts: ClusterCounts, rng: np.random.RandomState
    ) -> Iterator[Any]:
        tree = tree_edges(found)
        starts = range(0, self.n_partitions, _PER_GRAPH)
        for start, n_neighbors in zip(starts, spaced(self.n_neighbors, len(starts)), strict=True):
            size = min(_PER_GRAPH, self.n_partitions - start)
            usual = (size + 1) // 2
            numbers = counts.usual(usual, rng) + counts.draw(size - usual, rng)
            seed = int(rng.randint(LARGEST_SEED))
            yield delayed(_cut_graph)(found, tree, n_neighbors, numbers, seed)


def spaced(ends: Any, count: int) -> list[int]:
    """`count` whole numbers between two ends, in equal proportions; or one number, repeated."""
    if isinstance(ends, tuple | list):
        return [int(number) for number in np.round(np.geomspace(ends[0], ends[1], num=count))]
    return [int(ends)] * count


def neighbor_graph(found: Neighborhood, weights: Array) -> sparse.csr_array:
    """The directed graph in which each point has its nearest neighbors, with their weights."""
    n, count = weights.shape
    ends = np.arange(0, n * count + 1, count)
    columns = found.neighbors[:, :count].ravel()
    return sparse.csr_array((weights.ravel(), columns, ends), shape=(n, n))


def tree_edges(found: Neighborhood) -> sparse.csr_array:
    """The edges of the spanning tree, with faint weights, which connect the graph."""
    tree = found.tree
    shape = (found.n_points, found.n_points)
    edges = sparse.csr_array(
        (np.full(len(tree.first), _FAINT), (tree.first, tree.second)), shape=shape
    )
    return edges + edges.T


def _cut_graph(
    found: Neighborhood, tree: sparse.csr_array, n_neighbors: int, numbers: list[int], seed: int
) -> list[Array]:
    """Partitions of the points into several numbers of clusters, from one graph."""
    if min(numbers) >= found.n_points:
        return [np.arange(found.n_points) for _ in numbers]
    rng = np.random.RandomState(seed)
    count = min(n_neighbors, found.neighbors.shape[1])
    edges = neighbor_graph(found, np.ones((found.n_points, count)))
    vectors = graph_spectrum(sparse.csr_array(edges + edges.T + tree), max(numbers), rng)
    return [_cut(vectors[:, :k], k, found.sizes, rng) for k in numbers]


def _cut(vectors: Array, k: int, sizes: Array, rng: np.random.RandomState) -> Array:
    if k >= len(vectors):
        return np.arange(len(vectors))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors / np.where(lengths > 0, lengths, 1)
    return best_kmeans(rows, k, n_init=_N_INIT, rng=rng, weights=sizes)[1]
