"""Base partitions of low-dimensional embeddings of the graph of nearest neighbors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import delayed
from scipy import sparse

from consensa._array import Array
from consensa._params import Declaration, Integer, IntegerRange
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._embedding_kernels import fuzzy_weights, lay_out
from consensa.generation._gaussian_mixtures import fit_mixture
from consensa.generation._genie_trees import cut_tree
from consensa.generation._graph_cuts import neighbor_graph, spaced, tree_edges
from consensa.generation._neighborhood import Neighborhood, nearest_neighbors
from consensa.generation._spanning_tree import spanning_tree
from consensa.generation.base import LARGEST_SEED
from consensa.generation.neighborhood_generator import NeighborhoodGenerator
from consensa.partition.graph_spectrum import graph_spectrum
from consensa.partition.kmeans import best_kmeans

__all__ = ["NeighborEmbedding", "embedded_points"]

_PER_EMBEDDING = 4  # partitions
_THRESHOLD = 0.3  # of Genie, on the embedding
_N_INIT = 3  # starts of k-means
_WIDTH = 10.0  # of the initial embedding
_NOISE = 0.01  # standard deviation of the noise that separates points with equal coordinates
_N_NEIGHBORS = 15  # for the spanning tree of the embedding


class NeighborEmbedding(NeighborhoodGenerator):
    r"""Partitions of embeddings in which near neighbors attract and other samples repel.

    The graph of nearest neighbors has the weights

    .. math::
        w_{ij} = v_{ij} + v_{ji} - v_{ij} v_{ji}, \qquad
        v_{ij} = \exp\left(-\frac{\|x_i - x_j\| - \rho_i}{\sigma_i}\right),

    where :math:`\rho_i` is the distance to the nearest neighbor, and :math:`\sigma_i` such that
    the weights of a sample add up to :math:`\log_2 (r + 1)`. Coordinates :math:`y_i` in few
    dimensions start from the leading eigenvectors of the graph and minimize the cross-entropy of
    :math:`w_{ij}` and :math:`1 / (1 + a \|y_i - y_j\|^{2b})` by stochastic gradient descent: the
    recipe of UMAP [1]_. Each embedding gives up to four partitions: by a Gaussian mixture,
    by `GenieTrees` with threshold 0.3, and twice by k-means.

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
    Points are moved one after the other, in a random order of the canonical one, and the random
    numbers depend on the seed alone: the result is order-free and does not depend on the number
    of threads. Equal samples are never separated.

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

    kinds: ClassVar[tuple[str, ...]] = (
        "embedding, by centers",
        "embedding, by tree",
        "embedding, by centers",
        "embedding, by centers",
    )
    n_neighbors: int | tuple[int, int] = (8, 20)
    n_components: int = 2
    n_epochs: int = 200
    _declared: ClassVar[Declaration] = {
        **NeighborhoodGenerator._declared,
        "n_neighbors": (Integer(1), IntegerRange(1)),
    }

    def _batches(
        self, found: Neighborhood, counts: ClusterCounts, rng: np.random.RandomState
    ) -> Iterator[Any]:
        tree = tree_edges(found)
        starts = range(0, self.n_partitions, _PER_EMBEDDING)
        for start, n_neighbors in zip(starts, spaced(self.n_neighbors, len(starts)), strict=True):
            size = min(_PER_EMBEDDING, self.n_partitions - start)
            cuts = _Cuts(counts.usual(_PER_EMBEDDING - 1, rng), counts.draw(1, rng)[0], size)
            seed = int(rng.randint(LARGEST_SEED))
            shape = _Shape(n_neighbors, self.n_components, self.n_epochs)
            yield delayed(_embed_and_cut)(found, tree, shape, cuts, seed)


class _Shape(NamedTuple):
    n_neighbors: int
    n_components: int
    n_epochs: int


class _Cuts(NamedTuple):
    """Numbers of clusters of the partitions of one embedding, and how many of them to make."""

    usual: list[int]
    drawn: int
    size: int


def embedded_points(
    found: Neighborhood, tree: sparse.csr_array, *, n_neighbors: int, seed: int
) -> Array:
    """Coordinates of the points in two dimensions, without partitions."""
    shape = _Shape(n_neighbors, NeighborEmbedding.n_components, NeighborEmbedding.n_epochs)
    return _embed(found, tree, shape, seed)


def _embed_and_cut(
    found: Neighborhood, tree: sparse.csr_array, shape: _Shape, cuts: _Cuts, seed: int
) -> list[Array]:
    n = found.n_points
    if n <= 2 or min(cuts.usual) >= n:
        return [np.arange(n)] * cuts.size
    embedded = _embed(found, tree, shape, seed)
    rng = np.random.RandomState(seed)
    partitions = [fit_mixture(embedded, found.sizes, cuts.usual[0], seed)]
    if cuts.size > 1:
        near = nearest_neighbors(embedded, _N_NEIGHBORS, None)
        on_embedding = spanning_tree(embedded, *near)
        partitions += cut_tree(on_embedding, found.sizes, _THRESHOLD, [cuts.usual[1]])
    for k in (cuts.usual[2], cuts.drawn)[: max(0, cuts.size - 2)]:
        partitions.append(
            best_kmeans(embedded, min(k, n), n_init=_N_INIT, rng=rng, weights=found.sizes)[1]
        )
    return partitions


def _embed(found: Neighborhood, tree: sparse.csr_array, shape: _Shape, seed: int) -> Array:
    """Coordinates of the points in few dimensions."""
    rng = np.random.RandomState(seed)
    count = min(shape.n_neighbors, found.neighbors.shape[1])
    directed = neighbor_graph(found, fuzzy_weights(found.distances[:, :count]))
    graph = sparse.csr_array(directed + directed.T - directed.multiply(directed.T))
    start = np.zeros((found.n_points, shape.n_components))
    vectors = graph_spectrum(graph + tree, shape.n_components + 1, rng)[:, 1:]
    start[:, : vectors.shape[1]] = _WIDTH * vectors / np.abs(vectors).max(axis=0)
    start += rng.normal(scale=_NOISE, size=start.shape)
    # Points are moved in a random order: similar ones follow each other in the canonical one.
    place = rng.permutation(found.n_points)
    edges = graph[place][:, place].tocoo()
    first, second = (ends.astype(np.int64) for ends in edges.coords)
    strong = edges.data >= edges.data.max() / shape.n_epochs  # others are never due
    moved = start[place]
    lay_out(moved, first[strong], second[strong], edges.data[strong], shape.n_epochs, seed + 1)
    embedded = np.empty_like(moved)
    embedded[place] = moved
    return embedded
