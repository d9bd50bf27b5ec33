"""Points, their neighbors and what is computed from them: shared by all numbers of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from consensa._array import Array
from consensa.features import Features
from consensa.features.space import SPACE_SCALINGS, learn_space
from consensa.generation._genie_kernels import genie_merges
from consensa.generation._genie_trees import cut_tree
from consensa.generation._neighborhood import Neighborhood, find_neighborhood, nearest_neighbors
from consensa.generation._neighbors import distinct_rows
from consensa.generation._spanning_tree import SpanningTree, graph_of, spanning_tree
from consensa.generation.base import LARGEST_SEED, generated
from consensa.generation.neighborhood_generator import NeighborhoodGenerator
from consensa.partition.graph_spectrum import graph_spectrum

__all__ = ["Landscape", "Sources", "first_of_distinct", "points_of", "scaling_of"]

_THRESHOLD = 0.3  # of Genie
_FAINT = 1e-3  # weight of an edge of the spanning tree
_MOST_SAMPLES = 10_000


@dataclass(frozen=True, eq=False)
class Landscape:
    """Distinct points, their nearest neighbors, and the trees and spectra computed from them.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_components)
        Coordinates.
    neighbors, distances : ndarray of shape (n_points, n_neighbors)
        The nearest other points, the nearest first, and their distances.
    embeddings : tuple of ndarray of shape (n_points, 2)
        Embeddings of the points that a generator computed, if any.
    """

    points: Array
    neighbors: Array
    distances: Array
    embeddings: tuple[Array, ...] = field(default=())

    @classmethod
    def of(cls, points: Array, n_neighbors: int) -> Landscape:
        """The landscape of distinct points."""
        return cls(points, *nearest_neighbors(points, n_neighbors, 1))

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.points)

    @cached_property
    def tree(self) -> SpanningTree:
        """The minimum spanning tree."""
        return spanning_tree(self.points, self.neighbors, self.distances)

    @cached_property
    def edges(self) -> tuple[Array, Array, Array]:
        """Ends and lengths of all edges to nearest neighbors, and of the spanning tree."""
        count = self.neighbors.shape[1]
        first = np.repeat(np.arange(self.n_points), count)
        return (
            np.concatenate([first, self.tree.first]),
            np.concatenate([self.neighbors.ravel(), self.tree.second]),
            np.concatenate([self.distances.ravel(), self.tree.lengths]),
        )

    @cached_property
    def dimension(self) -> float:
        """Mean local dimension, by the maximum likelihood from distances to neighbors."""
        count = self.distances.shape[1]
        if count < 3:
            return 1.0
        near = np.maximum(self.distances, np.finfo(float).tiny)
        growth = np.log(near[:, -1:] / near[:, :-1]).sum(axis=1) / (count - 2)
        return float(1 / max(growth.mean(), 1e-2))

    def graph(self, n_neighbors: int) -> sparse.csr_array:
        """Symmetric graph of the nearest neighbors, connected by faint edges of the tree."""
        count = min(n_neighbors, self.neighbors.shape[1])
        n = self.n_points
        ends = np.arange(0, n * count + 1, count)
        near = self.neighbors[:, :count].ravel()
        own = sparse.csr_array((np.ones(n * count), near, ends), shape=(n, n))
        faint = np.full(n - 1, _FAINT)
        tree = sparse.csr_array((faint, (self.tree.first, self.tree.second)), shape=(n, n))
        return sparse.csr_array(own + own.T + tree + tree.T)

    def spectrum(self, n_neighbors: int, count: int) -> tuple[Array, Array]:
        """Eigenvalues of the random walk on the graph, the largest first, and their functions."""
        graph = self.graph(n_neighbors)
        functions = graph_spectrum(graph, count, np.random.RandomState(0))
        degrees = np.asarray(graph.sum(axis=1)).ravel()
        step = graph @ functions
        values = (functions * step).sum(axis=0) / (degrees[:, None] * functions**2).sum(axis=0)
        return values, functions

    def tree_cuts(self, numbers: Sequence[int]) -> list[Array]:
        """Partitions by the merges of Genie, into each number of clusters."""
        ones = np.ones(self.n_points, np.int64)
        return cut_tree(self.tree, ones, _THRESHOLD, list(numbers))

    def merge_lengths(self) -> Array:
        """Lengths of the edges by which Genie merges clusters, the last merge first."""
        ones = np.ones(self.n_points, np.int64)
        order = genie_merges(self.tree.first, self.tree.second, ones, _THRESHOLD)
        return np.asarray(self.tree.lengths[order][::-1])

    def subset(self, rows: Array, n_neighbors: int) -> Landscape:
        """The landscape of some of the points."""
        return Landscape.of(self.points[rows], n_neighbors)

    def graph_of(self, weights: Array, first: Array, second: Array) -> sparse.csr_array:
        """The graph of the points with these edges."""
        return graph_of(weights, first, second, self.n_points)

    def steps_across(self) -> float:
        """Number of steps of the graph between two points that are far from each other."""
        first, second, _ = self.edges
        graph = self.graph_of(np.ones(len(first)), first, second)
        far = 0
        steps = np.zeros(1)
        for _ in range(2):
            steps = shortest_path(graph, directed=False, unweighted=True, indices=[far])[0]
            far = int(steps.argmax())
        return float(steps.max())


def points_of(rows: Any, scaling: str = "auto") -> Array:
    """Distinct rows of features in the space that the default generator learns."""
    distinct = distinct_rows(rows)
    return learn_space(rows[distinct.order], scaling=scaling).apply(rows[distinct.first])


def first_of_distinct(rows: Any) -> Array:
    """A row for each of the points of `points_of`."""
    return distinct_rows(rows).first


def scaling_of(generator: Any) -> str:
    """The scaling of a generator, or "auto" if it has none of its own."""
    own = getattr(generator, "scaling", "auto")
    return own if own in SPACE_SCALINGS else "auto"


class Sources:
    """Base partitions for any number of clusters, from one search for neighbors.

    Attributes
    ----------
    landscape : Landscape
        Of the distinct samples; with the embeddings once partitions were made.
    point_of_sample : ndarray of shape (n_samples,)
        Point of each sample.
    """

    def __init__(self, generator: Any, features: Features, rng: np.random.RandomState) -> None:
        self.features = features
        self.generator = generator
        if isinstance(generator, NeighborhoodGenerator):
            self.generator = generator.shared(features, rng)
            found = self.generator._find_neighborhoods(features, rng)[0]
        else:
            found = find_neighborhood(
                features,
                scaling=scaling_of(generator),
                metric="euclidean",
                max_samples=_MOST_SAMPLES,
                n_jobs=None,
                rng=rng,
            )
        self._found: Neighborhood = found
        self.point_of_sample = found.point_of_sample
        self.seed = int(rng.randint(LARGEST_SEED))

    @property
    def landscape(self) -> Landscape:
        """The points, with all embeddings that were computed so far."""
        found = self._found
        # Threads finish in any order, and sums of floating-point numbers depend on it.
        seen = tuple(found.embeddings[key] for key in sorted(found.embeddings))
        return Landscape(found.points, found.neighbors, found.distances, seen)

    def ensemble(self, n_clusters: int) -> Any:
        """Base partitions for a consensus of `n_clusters` clusters."""
        rng = np.random.RandomState(self.seed)
        return generated(self.generator, self.features, n_clusters, rng)
