"""Graphs of nearest neighbors, and the base class of generators that cut them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import delayed
from scipy import sparse

from consensa._array import Array
from consensa._params import Declaration, Integer, IntegerRange
from consensa.generation._cluster_counts import ClusterCounts, spaced
from consensa.generation._neighborhood import Neighborhood
from consensa.generation.base import LARGEST_SEED
from consensa.generation.neighborhood_generator import NeighborhoodGenerator

__all__ = ["FAINT", "PER_GRAPH", "GraphGenerator", "NeighborGraph", "tree_edges"]

PER_GRAPH = 4  # partitions
FAINT = 1e-3  # weight of an edge of the spanning tree; that of a near neighbor is about 1


class NeighborGraph(NamedTuple):
    """A graph of nearest neighbors.

    Attributes
    ----------
    found : Neighborhood
        The points, and enough of their neighbors.
    n_neighbors : int
        Number of neighbors of each point, if it has as many.
    tree : sparse array of shape (n_points, n_points)
        Edges of the spanning tree, with faint weights, which connect the graph.
    """

    found: Neighborhood
    n_neighbors: int
    tree: sparse.csr_array

    @property
    def distances(self) -> Array:
        """Distances of the neighbors: (n_points, number of neighbors)."""
        return self.found.distances[:, : self.n_neighbors]

    def directed(self, weights: Array) -> sparse.csr_array:
        """The edges from each point to its neighbors, with `weights` in place of distances."""
        n, count = weights.shape
        ends = np.arange(0, n * count + 1, count)
        columns = self.found.neighbors[:, :count].ravel()
        return sparse.csr_array((weights.ravel(), columns, ends), shape=(n, n))


class GraphGenerator(NeighborhoodGenerator):
    """Base class of generators that compute a few partitions from each of several graphs.

    The graphs differ in their number of nearest neighbors. A subclass has the range of
    `n_neighbors`; `_numbers`, the numbers of clusters of the partitions of one graph; and `_cut`,
    which computes them.
    """

    n_neighbors: int | tuple[int, int]
    _declared: ClassVar[Declaration] = {
        **NeighborhoodGenerator._declared,
        "n_neighbors": (Integer(1), IntegerRange(1)),
    }

    def _batches(
        self, found: Neighborhood, counts: ClusterCounts, rng: np.random.RandomState
    ) -> Iterator[Any]:
        tree = tree_edges(found)
        starts = range(0, self.n_partitions, PER_GRAPH)
        for start, n_neighbors in zip(starts, spaced(self.n_neighbors, len(starts)), strict=True):
            size = min(PER_GRAPH, self.n_partitions - start)
            numbers = self._numbers(size, counts, rng)
            seed = self._seed(start // PER_GRAPH, rng)
            yield delayed(self._cut)(NeighborGraph(found, n_neighbors, tree), numbers, seed)

    def _seed(self, _number: int, rng: np.random.RandomState) -> int:
        """Seed of the partitions of one graph, by its number."""
        return int(rng.randint(LARGEST_SEED))

    def _numbers(self, size: int, counts: ClusterCounts, rng: np.random.RandomState) -> list[int]:
        raise NotImplementedError

    def _cut(self, graph: NeighborGraph, numbers: list[int], seed: int) -> list[Array]:
        raise NotImplementedError


def tree_edges(found: Neighborhood) -> sparse.csr_array:
    """The edges of the spanning tree, with faint weights, which connect the graph."""
    tree = found.tree
    shape = (found.n_points, found.n_points)
    edges = sparse.csr_array(
        (np.full(len(tree.first), FAINT), (tree.first, tree.second)), shape=shape
    )
    return edges + edges.T
