"""Base partitions of low-dimensional embeddings of the graph of nearest neighbors."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._device_embedding import lay_out_on_device
from consensa.generation._embedding_kernels import fuzzy_weights, lay_out
from consensa.generation._genie_trees import cut_tree
from consensa.generation._neighbor_graphs import GraphGenerator, NeighborGraph
from consensa.generation._neighborhood import nearest_neighbors
from consensa.generation._spanning_tree import smoothed_tree, spanning_tree
from consensa.partition.graph_spectrum import graph_spectrum

__all__ = ["NeighborEmbedding", "weighted_graph"]

_THRESHOLD = 0.1  # of Genie, on the embedding
_N_REACH = 10  # neighbors whose distance smooths the tree of the embedding
_WIDTH = 10.0  # of the initial embedding
_NOISE = 0.01  # standard deviation of the noise that separates points with equal coordinates
# Where points start, and the weights of their edges, are multiples of these numbers. Points end
# elsewhere if a last digit of these is another one, and last digits depend on the processor. Those
# of eigenvectors do most, if eigenvalues are close to each other.
_GRID_OF_STARTS = 2.0**-7
_GRID_OF_WEIGHTS = 2.0**-12
# Points: with fewer, threads of the processor are as fast. On a device the points end elsewhere,
# because it moves them in another order.
_ON_DEVICE_FROM = 20_000
_N_NEIGHBORS = 15  # for the spanning tree of the embedding


class NeighborEmbedding(GraphGenerator):
    r"""Partitions of embeddings in which near neighbors attract and other samples repel.

    The graph of nearest neighbors has the weights

    .. math::
        w_{ij} = v_{ij} + v_{ji} - v_{ij} v_{ji}, \qquad
        v_{ij} = \exp\left(-\frac{\|x_i - x_j\| - \rho_i}{\sigma_i}\right),

    where :math:`\rho_i` is the distance to the nearest neighbor, and :math:`\sigma_i` such that
    the weights of a sample add up to :math:`\log_2 (r + 1)`. Coordinates :math:`y_i` in few
    dimensions start from the leading eigenvectors of the graph and minimize the cross-entropy of
    :math:`w_{ij}` and :math:`1 / (1 + a \|y_i - y_j\|^{2b})` by stochastic gradient descent, as
    in UMAP [1]_. Each embedding gives four partitions, with k to 2 k clusters for k clusters of
    the consensus: by the merges of `GenieTrees` with threshold 0.1, of a spanning tree whose edges
    are at least as long as the distances of their ends to the tenth neighbor (of small data, to
    a nearer one: the mean number of samples of a cluster is the limit).

    Parameters
    ----------
    %(n_partitions)s
    n_neighbors : int or (int, int), default=(8, 20)
        Number of nearest neighbors :math:`r`, or its range.
    n_components : int, default=2
        Number of dimensions of the embedding.
    n_epochs : int, default=200
        Number of passes over the edges of the graph.
    %(neighborhood)s

    See Also
    --------
    DiverseKinds : The default generator, of which these partitions are a part.

    Notes
    -----
    Points are moved one at a time, in a permutation of the canonical order. It and the random
    numbers of each embedding are the same for every `random_state`, which only draws numbers of
    clusters if none is given: the result is a function of the samples, order-free, and does not
    depend on the number of threads. Equal samples are never separated.

    References
    ----------
    .. [1] L. McInnes, J. Healy and J. Melville, "UMAP: Uniform manifold approximation and
       projection for dimension reduction", arXiv:1802.03426, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import NeighborEmbedding
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]])
    >>> NeighborEmbedding(1, n_clusters=2).generate(X, random_state=0).labels.T
    array([[0, 0, 0, 0, 1, 1, 1, 1]], dtype=int32)
    """

    n_neighbors: int | tuple[int, int] = (8, 20)
    n_components: int = 2
    n_epochs: int = 200

    def _numbers(self, size: int, counts: ClusterCounts, rng: np.random.RandomState) -> list[int]:
        return counts.spread(size, rng)

    def _seed(self, number: int, _rng: np.random.RandomState) -> int:
        # Where points end depends on every random number. With numbers of its own, an embedding
        # is a function of the samples, as a tree is, and another seed changes few labels.
        return number

    def _cut(self, graph: NeighborGraph, numbers: list[int], seed: int) -> list[Array]:
        found, n = graph.found, graph.found.n_points
        if n <= 2 or min(numbers) >= n:
            return [np.arange(n)] * len(numbers)
        key = (graph.distances.shape[1], self.n_components, self.n_epochs, seed)
        embedded = found.embeddings.get(key)
        if embedded is None:
            embedded = found.embeddings[key] = self._embed(graph, seed)
        neighbors, distances = nearest_neighbors(embedded, _N_NEIGHBORS, None)
        tree = spanning_tree(embedded, neighbors, distances)
        count = min(_N_REACH, max(1, n // max(numbers) - 1))  # fewer than a cluster has samples
        smooth = smoothed_tree(tree, neighbors[:, :count], distances[:, :count])
        return cut_tree(smooth, found.sizes, _THRESHOLD, numbers)

    def _embed(self, graph: NeighborGraph, seed: int) -> Array:
        """Coordinates of the points in few dimensions."""
        rng = np.random.RandomState(seed)
        weights = weighted_graph(graph)
        weights.data = _on_grid(weights.data, _GRID_OF_WEIGHTS)
        start = np.zeros((graph.found.n_points, self.n_components))
        many = graph.found.n_points > _ON_DEVICE_FROM
        device = graph.found.device if many else None
        vectors = graph_spectrum(weights + graph.tree, self.n_components + 1, rng, device)[:, 1:]
        start[:, : vectors.shape[1]] = _WIDTH * vectors / np.abs(vectors).max(axis=0)
        start += rng.normal(scale=_NOISE, size=start.shape)
        # Points are moved in a random order: similar ones follow each other in the canonical one.
        place = rng.permutation(graph.found.n_points)
        edges = weights[place][:, place].tocoo()
        first, second = (ends.astype(np.int64) for ends in edges.coords)
        strong = edges.data >= edges.data.max() / self.n_epochs  # others are never due
        moved = _on_grid(start[place], _GRID_OF_STARTS)
        given = (first[strong], second[strong], edges.data[strong], self.n_epochs, seed + 1)
        if device is None:
            lay_out(moved, *given)
        else:
            moved = lay_out_on_device(moved, *given, device)
        embedded = np.empty_like(moved)
        embedded[place] = moved
        return embedded


def _on_grid(values: Array, unit: float) -> Array:
    """The nearest multiples of `unit`: nearly always the same for values that differ by rounding.

    They differ for a value that lies in the middle between two multiples, as far as rounding goes.
    """
    return np.asarray(np.rint(values / unit) * unit)


def weighted_graph(graph: NeighborGraph) -> sparse.csr_array:
    """The symmetric graph with the weights of the embedding."""
    directed = graph.directed(fuzzy_weights(graph.distances))
    return sparse.csr_array(directed + directed.T - directed.multiply(directed.T))
