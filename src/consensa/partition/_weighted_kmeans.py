"""Weighted k-means on sparse points: the last step of spectral ensemble clustering."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._random import random_source
from consensa.ensemble.appearance import number_by_appearance
from consensa.partition.kmeans import sample_for_starts

__all__ = ["WeightedKMeans", "weighted_kmeans"]


class WeightedKMeans(NamedTuple):
    """The best of several runs of weighted k-means.

    Attributes
    ----------
    labels : ndarray of shape (n_points,)
        Cluster of each point, numbered in order of first appearance.
    objective : float
        Weighted sum of squared distances to the centers.
    n_iter : int
        Number of iterations of the run that was kept.
    converged : bool
        Whether that run converged before `max_iter`.
    centers : ndarray of shape (n_clusters, n_features)
        Weighted mean of each cluster.
    """

    labels: Array
    objective: float
    n_iter: int
    converged: bool
    centers: Array


def weighted_kmeans(
    points: Any,
    weights: Array,
    n_clusters: int,
    *,
    n_init: int = KMEANS_STARTS,
    max_iter: int = 300,
    tol: float = 1e-7,
    random_state: Any = None,
) -> WeightedKMeans:
    r"""Best of several runs of k-means on weighted points.

    .. math:: \min_{\ell, \mu} \sum_i w_i \| x_i - \mu_{\ell_i} \|^2,

    where :math:`\mu_k` is the weighted mean of cluster :math:`k`.

    Parameters
    ----------
    points : array or sparse matrix of shape (n_points, n_features)
        Points; they are kept sparse.
    weights : ndarray of shape (n_points,)
        Weight of each point, above 0.
    n_clusters : int
        Number of clusters.
    n_init : int, default=20
        Number of starts, each seeded by weighted k-means++; the one with the smallest
        objective is kept.
    max_iter : int, default=300
        Maximum number of iterations of a run.
    tol : float, default=1e-7
        A run stops when no label changes, or when the relative decrease of the objective in an
        iteration is smaller.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Returns
    -------
    WeightedKMeans
        Named tuple (labels, objective, n_iter, converged, centers). There are fewer than
        `n_clusters` clusters only if there are fewer distinct points.

    See Also
    --------
    kmeans_labels : The same for dense points of equal weight.

    Notes
    -----
    A cluster that becomes empty is given the point with the largest contribution to the
    objective. An iteration takes time :math:`O(K)` per nonzero entry of `points`, and memory for
    K numbers per point.

    Above 20,000 points and 50 points per cluster, the starts run on that many points drawn at
    random, and only the best of them is continued on all points.

    Examples
    --------
    Three points on a line: the last one, if it weighs most, is left alone.

    >>> import numpy as np
    >>> from consensa.partition import weighted_kmeans
    >>> points = np.array([[0.0], [2.0], [3.0]])
    >>> weighted_kmeans(points, np.array([1, 1, 1]), 2, random_state=0).labels
    array([0, 1, 1])
    >>> weighted_kmeans(points, np.array([1, 10, 100]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    problem = _Problem.of(points, weights)
    sample = sample_for_starts(problem.n_points, n_clusters, rng)
    tried = problem if sample is None else problem.at(sample)
    runs = (_lloyd(tried, _seed(tried, n_clusters, rng), max_iter, tol) for _ in range(n_init))
    best = min(runs, key=lambda run: run.objective)
    if sample is not None:
        best = _lloyd(problem, best.centers, max_iter, tol)
    return best._replace(labels=best.labels.astype(np.int64))


class _Problem(NamedTuple):
    points: sparse.csr_array  # X: (points, features)
    weights: Array
    squares: Array  # ||x_i||²

    @classmethod
    def of(cls, points: Any, weights: Array) -> _Problem:
        read = sparse.csr_array(points, dtype=np.float64)
        return cls(read, np.asarray(weights, np.float64), read.power(2).sum(axis=1))

    @property
    def n_points(self) -> int:
        return len(self.weights)

    def at(self, chosen: Array) -> _Problem:
        return _Problem(self.points[chosen], self.weights[chosen], self.squares[chosen])

    def distances(self, centers: Array) -> Array:
        """Squared distances: (points, centers)."""
        squared = self.points @ centers.T
        squared *= -2
        squared += self.squares[:, None]
        squared += np.square(centers).sum(axis=1)
        return np.maximum(squared, 0, out=squared)

    def centers(self, labels: Array) -> Array:
        """Weighted means: (clusters, features)."""
        where = (self.weights, (labels, np.arange(self.n_points)))
        sums = sparse.csr_array(where) @ self.points
        return sums.toarray() / np.bincount(labels, weights=self.weights)[:, None]

    def run(self, labels: Array, n_iter: int, converged: bool) -> WeightedKMeans:
        """A run that ended with these labels.

        Its objective is the weighted sum of squares of the points, less that of the centers.
        """
        centers = self.centers(labels)
        mass = np.bincount(labels, weights=self.weights)
        explained = mass @ np.square(centers).sum(axis=1)
        objective = max(float(self.weights @ self.squares - explained), 0.0)
        return WeightedKMeans(labels, objective, n_iter, converged, centers)


def _seed(problem: _Problem, n_clusters: int, rng: np.random.RandomState) -> Array:
    """Centers by greedy k-means++: of a few points drawn by their cost, the most useful."""
    n_trials = 2 + int(np.log(n_clusters))
    chosen: list[int] = []
    cost = problem.weights
    nearest = np.full(problem.n_points, np.inf)
    for _ in range(n_clusters):
        total = np.cumsum(cost)
        if total[-1] <= 0:  # every point is a center already
            break
        drawn = np.searchsorted(total, rng.uniform(size=n_trials) * total[-1], side="right")
        drawn = np.minimum(drawn, problem.n_points - 1)
        after = np.minimum(problem.distances(problem.points[drawn].toarray()), nearest[:, None])
        best = int(np.argmin(problem.weights @ after))
        chosen.append(int(drawn[best]))
        nearest = after[:, best]
        nearest[drawn[best]] = 0
        cost = problem.weights * nearest
    return problem.points[chosen].toarray()


def _lloyd(problem: _Problem, centers: Array, max_iter: int, tol: float) -> WeightedKMeans:
    """Nearest center, weighted mean, and again, until nothing changes."""
    labels, cost = _nearest(problem, centers)
    for n_iter in range(1, max_iter + 1):
        before, cost_before = labels, cost
        labels, cost = _nearest(problem, problem.centers(labels))
        if cost_before - cost <= tol * cost_before or np.array_equal(labels, before):
            return problem.run(labels, n_iter, True)
    return problem.run(labels, max_iter, False)


def _nearest(problem: _Problem, centers: Array) -> tuple[Array, float]:
    """Cluster of the nearest center, numbered in order of appearance, and what it all costs.

    A center that is nearest to no point moves to the point that costs most, if it is not
    alone in its cluster.
    """
    distances = problem.distances(centers)
    labels = np.argmin(distances, axis=1)
    cost = problem.weights * distances[np.arange(problem.n_points), labels]
    sizes = np.bincount(labels, minlength=len(centers))
    for empty in np.flatnonzero(sizes == 0):
        worst = int(np.argmax(np.where(sizes[labels] > 1, cost, 0)))
        if cost[worst] <= 0:
            break
        sizes[labels[worst]] -= 1
        labels[worst] = empty
        sizes[empty], cost[worst] = 1, 0
    return number_by_appearance(labels), float(cost.sum())
