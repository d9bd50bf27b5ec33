"""The compiled loops of k-means on many small problems."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = ["best_of_runs"]

_MOST_ROUNDS = 300


@compiled()
def best_of_runs(points: Any, weights: Any, draws: Any, tolerance: float) -> Any:
    """Labels of the run with the smallest sum of squares.

    `draws` are random numbers in [0, 1): (runs, clusters, trials). A run ends when no label
    changes, or the squared steps of all centers add up to at most `tolerance`.
    """
    best, least = np.zeros(len(points), np.int64), np.inf
    for run in range(len(draws)):
        labels = np.full(len(points), -1)
        cost = _lloyd(points, weights, _seeds(points, weights, draws[run]), labels, tolerance)
        if cost < least:
            best, least = labels, cost
    return best


@compiled()
def _seeds(points: Any, weights: Any, draws: Any) -> Any:
    """Centers by greedy k-means++, one in each column: of a few points, the most useful one.

    There are fewer columns if there are fewer distinct points.
    """
    n, n_columns = points.shape
    k, n_trials = draws.shape
    centers = np.empty((n_columns, k))
    nearest = np.full(n, np.inf)
    after, kept = np.empty(n), np.empty(n)
    for c in range(k):
        total = np.cumsum(weights if c == 0 else weights * nearest)
        if not total[-1] > 0:
            return centers[:, :c].copy()
        least, chosen = np.inf, 0
        for trial in range(n_trials if c > 0 else 1):
            drawn = min(np.searchsorted(total, draws[c, trial] * total[-1], side="right"), n - 1)
            cost = 0.0
            for i in range(n):
                square = 0.0
                for j in range(n_columns):
                    square += (points[i, j] - points[drawn, j]) ** 2
                after[i] = min(square, nearest[i])
                cost += weights[i] * after[i]
            if cost < least:
                least, chosen = cost, drawn
                after, kept = kept, after
        nearest[:] = kept
        nearest[chosen] = 0.0
        centers[:, c] = points[chosen]
    return centers


@compiled()
def _lloyd(points: Any, weights: Any, centers: Any, labels: Any, tolerance: float) -> float:
    """Nearest center, weighted mean, and again; writes `labels`, returns the sum of squares."""
    n_columns, k = centers.shape
    squares = np.empty(len(points))
    for _ in range(_MOST_ROUNDS):
        if not _to_nearest(points, centers, labels, squares):
            break
        moved, total = np.zeros((n_columns, k)), np.zeros(k)
        for i in range(len(points)):
            total[labels[i]] += weights[i]
            for j in range(n_columns):
                moved[j, labels[i]] += weights[i] * points[i, j]
        for c in range(k):
            if total[c] > 0:
                moved[:, c] /= total[c]
            else:  # a center without points goes to the farthest one
                farthest = np.argmax(squares)
                squares[farthest] = 0.0
                moved[:, c] = points[farthest]
        step = np.square(moved - centers).sum()
        centers[:] = moved
        if step <= tolerance:
            _to_nearest(points, centers, labels, squares)
            break
    return (weights * squares).sum()


@compiled()
def _to_nearest(points: Any, centers: Any, labels: Any, squares: Any) -> bool:
    """Write the number and the squared distance of the nearest center; whether any changed."""
    n_columns, k = centers.shape
    changed = False
    to_centers = np.empty(k)
    for i in range(len(points)):
        to_centers[:] = 0.0
        for j in range(n_columns):  # one column of all centers at a time, for the vector units
            own = points[i, j]
            for c in range(k):
                to_centers[c] += (own - centers[j, c]) ** 2
        nearest = 0
        for c in range(1, k):
            if to_centers[c] < to_centers[nearest]:
                nearest = c
        changed |= labels[i] != nearest
        labels[i], squares[i] = nearest, to_centers[nearest]
    return changed
