"""The distinct samples, their space and their nearest neighbors: computed once for all kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from consensa.features.stored_features import StoredFeatures
from consensa.generation._device_neighbors import search_among
from consensa.generation._given_distances import (
    GivenDistances,
    check_distances,
    coordinates,
    distinct_samples,
    nearest_given,
)
from consensa.generation._labels_of_points import LabelsOfPoints
from consensa.generation._models import NearestSample
from consensa.generation._neighbors import LOST, TREE_UP_TO, distinct_rows
from consensa.generation._spanning_tree import SpanningTree, spanning_tree
from consensa.generation.landmarks import (
    DrawnRows,
    FeaturePasses,
    RowNumbers,
    in_order,
    passes_over,
    seed_of,
)

__all__ = ["Neighborhood", "find_neighborhood", "find_neighborhoods"]

N_NEIGHBORS = 30  # enough for every kind of partition
_BLOCK = 512


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The points that partitions are computed on, and their nearest neighbors.

    Points are distinct, and in an order given by their values, so that whatever is computed from
    them is order-free. If there are more than `max_samples` distinct samples, the points are as
    many of them, drawn by a hash of their values; every other sample has the label of the nearest
    point.

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
    first : ndarray of shape (n_points,) or None
        Number of the first sample of each point, if the samples are on disk, so that their labels
        are looked up when they are read.
    n_landmarks : int or None
        Number of distinct samples that were drawn; None if all are points.
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
    first: Array | None = None
    n_landmarks: int | None = None
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

    def labels_and_model(self, labels: Array) -> tuple[Any, NearestSample | None]:
        """Labels of all samples from those of the points, and the model for new samples."""
        if isinstance(self.space, GivenDistances):
            return labels[self.point_of_sample], None
        model = NearestSample(self.points, labels, self.space)
        if self.first is not None:
            return LabelsOfPoints(labels, self.point_of_sample, self.first), model
        return labels.astype(np.int32)[self.point_of_sample], model


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
    found = find_neighborhoods(
        features,
        lambda rows: (metric,),
        scaling=scaling,
        n_components=n_components,
        max_samples=max_samples,
        n_jobs=n_jobs,
        rng=rng,
        device=device,
    )
    return found[0]


def find_neighborhoods(
    features: Features,
    metrics: Callable[[Any], tuple[str, ...]],
    *,
    scaling: str,
    n_components: int | None = None,
    max_samples: int,
    n_jobs: int | None,
    rng: np.random.RandomState,
    device: Any = None,
) -> tuple[Neighborhood, ...]:
    """The same in the space of each of the metrics, which may depend on the rows that are used.

    If there are more than `max_samples` samples, distinct rows are drawn by a hash of their
    values, and everything is learned from these alone; `features` may then be on disk.
    """
    if metrics(None) == (PRECOMPUTED,):
        found = _among_distances(check_distances(features), max_samples, rng)
        return (replace(found, device=device),)
    drawn, of_all = _drawn(features, max_samples, rng)
    spaces = [
        learn_space(
            drawn.for_space(max_samples),
            scaling=SCALED_BEFORE if features.is_scaled else scaling,
            metric=metric,
            n_components=n_components,
        )
        for metric in metrics(drawn.rows)
    ]
    points = [drawn.points(space) for space in spaces]
    if of_all is None:
        numbers = _numbered(passes_over(features), drawn, points, spaces, device)
    else:
        numbers = [of_all] * len(spaces)
    stored = isinstance(features, StoredFeatures)
    return tuple(
        Neighborhood(
            points[i],
            numbers[i].sizes,
            *nearest_neighbors(points[i], N_NEIGHBORS, n_jobs, device),
            numbers[i].of_sample,
            space,
            first=numbers[i].first if stored else None,
            n_landmarks=None if drawn.complete else len(drawn.counts),
            device=device,
        )
        for i, space in enumerate(spaces)
    )


def _drawn(
    features: Features, limit: int, rng: np.random.RandomState
) -> tuple[DrawnRows, RowNumbers | None]:
    """The distinct rows that are used, and if these are all samples, the row of each."""
    if features.n_samples <= limit:
        distinct = distinct_rows(features.points)
        counts = np.bincount(distinct.row_of_sample)
        drawn = DrawnRows(features.points[distinct.first], counts, complete=True)
        return drawn, RowNumbers(distinct.row_of_sample, counts, distinct.first)
    seed = seed_of(rng)
    return in_order(passes_over(features).draw(limit, seed), seed), None


def _numbered(
    passes: FeaturePasses,
    drawn: DrawnRows,
    points: Sequence[Array],
    spaces: Sequence[Space],
    device: Any,
) -> list[RowNumbers]:
    """Point of each sample in each space; the same in all if the points are all rows."""
    apart = 1 if drawn.complete else len(spaces)
    finders = [drawn.finder(points[i], spaces[i], device) for i in range(apart)]
    numbers = passes.number(finders, [len(points[i]) for i in range(apart)])
    return numbers * (len(spaces) // apart)


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
