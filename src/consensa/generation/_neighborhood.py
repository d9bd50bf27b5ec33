"""The distinct samples, their space and their nearest neighbors: computed once for all kinds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from joblib import delayed
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from consensa._array import Array
from consensa._machine.progress import track
from consensa._machine.threads import results_of_threads
from consensa.features import Features
from consensa.features.space import PRECOMPUTED, SCALED_BEFORE, Space, learn_space
from consensa.generation._device_neighbors import search_among
from consensa.generation._given_distances import (
    GivenDistances,
    check_distances,
    coordinates,
    distinct_samples,
    nearest_given,
)
from consensa.generation._models import NearestSample
from consensa.generation._neighbors import (
    LOST,
    TREE_UP_TO,
    Distinct,
    distinct_rows,
    nearest_landmarks,
    with_all_digits,
)
from consensa.generation._spanning_tree import SpanningTree, spanning_tree

__all__ = ["Neighborhood", "find_neighborhood"]

N_NEIGHBORS = 30  # enough for every kind of partition
_BLOCK = 512


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The points that partitions are computed on, and their nearest neighbors.

    Points are distinct, and in an order given by their values, so that whatever is computed from
    them is order-free. If there are more than `max_samples` distinct samples, the points are as
    many of them, drawn at random; every other sample has the label of the nearest point.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_components)
        Coordinates in `space`.
    sizes : ndarray of shape (n_points,)
        Number of samples that each point stands for.
    neighbors : ndarray of shape (n_points, n_neighbors)
        Numbers of the nearest other points, the nearest first.
    distances : ndarray of shape (n_points, n_neighbors)
        Their distances.
    point_of_sample : ndarray of shape (n_samples,)
        Point of each sample.
    space : Space or GivenDistances
        Converts features to points.
    matrix : ndarray of shape (n_points, n_points) or None
        Distances of all points, if they were given instead of features. The points have then
        coordinates in few dimensions, whose distances are near these.
    embeddings : dict
        Embeddings of the points that were computed, by their parameters and seeds.
    device : torch.device or None
        Device on which neighbors, mixtures and embeddings are computed; None is the processor.
    """

    points: Array
    sizes: Array
    neighbors: Array
    distances: Array
    point_of_sample: Array
    space: Space | GivenDistances
    matrix: Array | None = None
    embeddings: dict[Any, Array] = field(default_factory=dict, repr=False)
    device: Any = None

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.points)

    @cached_property
    def tree(self) -> SpanningTree:
        """The minimum spanning tree of the points."""
        with track("spanning tree", 1) as advance:
            tree = spanning_tree(self.points, self.neighbors, self.distances, self.matrix)
            advance()
        return tree

    def labels_and_model(self, labels: Array) -> tuple[Array, NearestSample | None]:
        """Labels of all samples from those of the points, and the model for new samples."""
        if isinstance(self.space, GivenDistances):
            return labels[self.point_of_sample], None
        return labels[self.point_of_sample], NearestSample(self.points, labels, self.space)


def find_neighborhood(
    features: Features,
    *,
    scaling: str,
    metric: str,
    n_components: int | None = None,
    max_samples: int,
    n_jobs: int | None,
    rng: np.random.RandomState,
    device: Any = None,
) -> Neighborhood:
    """Learn the space of the features, and find the nearest neighbors of the distinct samples."""
    if metric == PRECOMPUTED:
        return replace(
            _among_distances(check_distances(features), max_samples, rng), device=device
        )
    rows = features.points
    distinct = distinct_rows(rows)
    chosen = _draw(len(distinct.first), max_samples, rng)
    scaling = SCALED_BEFORE if features.is_scaled else scaling
    space = learn_space(
        _for_space(rows, distinct, max_samples, rng),
        scaling=scaling,
        metric=metric,
        n_components=n_components,
    )
    points = space.apply(rows[distinct.first[chosen]])
    of_distinct = _nearest_point(rows, distinct, chosen, points, space, n_jobs, device)
    point_of_sample = of_distinct[distinct.row_of_sample]
    sizes = np.bincount(point_of_sample, minlength=len(points))
    neighbors, distances = nearest_neighbors(points, N_NEIGHBORS, n_jobs, device)
    return Neighborhood(points, sizes, neighbors, distances, point_of_sample, space, device=device)


def _among_distances(matrix: Array, max_samples: int, rng: np.random.RandomState) -> Neighborhood:
    """The same from given distances."""
    distinct = distinct_samples(matrix)
    chosen = _draw(len(distinct.first), max_samples, rng)
    samples = distinct.first[chosen]
    of_distinct = np.concatenate(
        [
            matrix[np.ix_(distinct.first[start : start + _BLOCK], samples)].argmin(axis=1)
            for start in range(0, len(distinct.first), _BLOCK)
        ]
    )
    of_distinct[chosen] = np.arange(len(chosen))
    point_of_sample = of_distinct[distinct.row_of_sample]
    between = matrix[np.ix_(samples, samples)].astype(np.float64)
    between = (between + between.T) / 2
    np.fill_diagonal(between, 0.0)
    return Neighborhood(
        coordinates(between),
        np.bincount(point_of_sample, minlength=len(samples)),
        *nearest_given(between, N_NEIGHBORS),
        point_of_sample,
        GivenDistances(),
        between,
    )


def _draw(n_distinct: int, limit: int, rng: np.random.RandomState) -> Array:
    """Numbers of at most `limit` distinct samples."""
    if n_distinct <= limit:
        return np.arange(n_distinct)
    return np.sort(rng.permutation(n_distinct)[:limit])


def _for_space(rows: Any, distinct: Distinct, limit: int, rng: np.random.RandomState) -> Any:
    """Samples that the space is learned from, with their duplicates, in canonical order."""
    order = distinct.order
    if len(order) > limit:
        order = order[np.sort(rng.permutation(len(order))[:limit])]
    return rows[order]


def _nearest_point(
    rows: Any,
    distinct: Distinct,
    chosen: Array,
    points: Array,
    space: Space,
    n_jobs: int | None,
    device: Any,
) -> Array:
    """Point of each distinct sample: itself, or the nearest one."""
    nearest = np.empty(len(distinct.first), np.int64)
    nearest[chosen] = np.arange(len(chosen))
    if len(chosen) < len(nearest):
        others = np.setdiff1d(np.arange(len(nearest)), chosen, assume_unique=True)
        coordinates = space.apply(rows[distinct.first[others]])
        found = nearest_landmarks(coordinates, points, 1, n_jobs, device)[:, 0]
        nearest[others] = with_all_digits(coordinates, points, found)
    return nearest


def nearest_neighbors(
    points: Array, count: int, n_jobs: int | None, device: Any = None
) -> tuple[Array, Array]:
    """The `count` nearest other points of each point, and their distances, the nearest first."""
    count = min(count, len(points) - 1)
    if count < 1:
        return np.empty((len(points), 0), np.int64), np.empty((len(points), 0))
    by_tree = points.shape[1] <= TREE_UP_TO
    search = _ByTree(points, count + 1) if by_tree else search_among(points, count + 1, device)
    starts = range(0, len(points), _BLOCK)
    calls = (delayed(_search)(search, points, start, count) for start in starts)
    found = []
    with track("neighbors", len(starts)) as advance:
        for block in results_of_threads(calls, n_jobs):
            found.append(block)
            advance()
    neighbors, distances = (np.concatenate(part) for part in zip(*found, strict=True))
    return neighbors, distances


class _ByTree:
    """Finds nearest points of few columns by a tree.

    The tree is SciPy's: scikit-learn's search by a tree changes the filters of warnings of the
    whole process, so that it cannot run in several threads.
    """

    def __init__(self, points: Array, count: int) -> None:
        self.points, self.count = points, count
        self.tree = cKDTree(points)

    def __call__(self, block: Array) -> tuple[Array, Array]:
        """Numbers of the nearest points of each row, the nearest first, and their distances."""
        numbers = self.tree.query(block, self.count)[1].reshape(len(block), self.count)
        distances = np.linalg.norm(self.points[numbers] - block[:, None], axis=2)
        lost = distances[:, -1] ** 2 < LOST * np.square(block).sum(axis=1)
        if lost.any():
            whole = cdist(block[lost], self.points)
            numbers[lost] = np.argsort(whole, axis=1, kind="stable")[:, : self.count]
            distances[lost] = np.take_along_axis(whole, numbers[lost], axis=1)
        return numbers, distances


def _search(search: Any, points: Array, start: int, count: int) -> tuple[Array, Array]:
    """The `count` nearest other points of each point of a block, and their distances."""
    numbers, distances = search(points[start : start + _BLOCK])
    itself = numbers == np.arange(start, start + len(numbers))[:, None]
    itself[~itself.any(axis=1), -1] = True  # rounding put others first
    distances[itself] = np.inf  # last, and left out
    order = np.lexsort((numbers, distances), axis=1)[:, :count]
    return (
        np.take_along_axis(numbers, order, axis=1).astype(np.int64),
        np.take_along_axis(distances, order, axis=1),
    )
