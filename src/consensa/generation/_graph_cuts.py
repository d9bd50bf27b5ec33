"""Base partitions by spectral cuts of graphs of nearest neighbors."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._neighbor_graphs import FAINT, GraphGenerator, NeighborGraph
from consensa.partition.graph_spectrum import graph_spectrum
from consensa.partition.kmeans import quick_kmeans

__all__ = ["GraphCuts", "unit_rows"]

_N_INIT = 5  # starts of k-means


class GraphCuts(GraphGenerator):
    r"""Partitions by spectral clustering of graphs of nearest neighbors.

    Samples i and j are connected if one is among the :math:`r` nearest neighbors of the other,

    .. math::
        W_{ij} = s_{ij} \left([\,j \in N_r(i)\,] + [\,i \in N_r(j)\,]\right)
        + \varepsilon\,[\,ij \in T\,], \qquad
        s_{ij} = \max\left(e^{-\|x_i - x_j\|^2 / 2 \sigma^2}, \varepsilon\right),

    where :math:`\sigma` is the median distance of a sample to its :math:`r`-th neighbor, and the
    edges of the minimum spanning tree T connect the graph. One :math:`\sigma` for all samples
    makes the edges weak where samples are sparse, between the clusters. The leading eigenvectors
    of :math:`D^{-1} W`, with rows of unit length, are clustered by k-means. Each graph gives four
    partitions, with k to 2 k clusters for k clusters of the consensus; :math:`r` differs between
    graphs.

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

    def _numbers(self, size: int, counts: ClusterCounts, rng: np.random.RandomState) -> list[int]:
        return counts.spread(size, rng)

    def _cut(self, graph: NeighborGraph, numbers: list[int], seed: int) -> list[Array]:
        found = graph.found
        if min(numbers) >= found.n_points:
            return [np.arange(found.n_points) for _ in numbers]
        rng = np.random.RandomState(seed)
        edges = graph.directed(_similarities(graph.distances))
        weights = sparse.csr_array(edges + edges.T + graph.tree)
        vectors = graph_spectrum(weights, max(numbers), rng, found.device)
        return [_cluster_rows(vectors[:, :k], k, found.sizes, rng) for k in numbers]


def _similarities(distances: Array) -> Array:
    """Weights of the edges to the neighbors, whose distances grow along the rows."""
    scale = np.median(distances[:, -1]) or 1.0  # distances of subnormal numbers can be 0
    return np.maximum(np.exp(-((distances / scale) ** 2) / 2), FAINT)


def _cluster_rows(vectors: Array, k: int, sizes: Array, rng: np.random.RandomState) -> Array:
    """Labels by k-means on the vectors of the vertices, scaled to unit length."""
    if k >= len(vectors):
        return np.arange(len(vectors))
    return quick_kmeans(unit_rows(vectors), k, n_init=_N_INIT, rng=rng, weights=sizes)


def unit_rows(vectors: Array) -> Array:
    """Rows scaled to unit length."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))
