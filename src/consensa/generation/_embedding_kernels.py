"""The compiled loops of the neighbor embedding: weights of the graph, and coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = ["MOST", "NEGATIVE", "A", "B", "fuzzy_weights", "lay_out"]

# 1 / (1 + a d^2b) approximates exp(-d), for a minimum distance of 0.
A, B = 1.929, 0.7915
_MOST_ROUNDS = 2200  # from 1 to the smallest or largest number, and back to the digits
MOST = 4.0  # length of the largest step along a coordinate
NEGATIVE = 5  # points that repel, for one edge that attracts


@compiled()
def fuzzy_weights(distances: Any) -> Any:
    """Weights of the nearest neighbors: 1 for the nearest one, then falling exponentially.

    The scale of each point is such that its weights add up to the logarithm (base 2) of their
    number plus one, if it is at least a thousandth of their mean distance.
    """
    n, count = distances.shape
    weights = np.ones((n, count))
    target = np.log2(count + 1.0)
    for i in range(n):
        nearest = distances[i, 0]
        least = 1e-3 * distances[i].mean()
        if least == 0:  # the neighbors are at the same place
            continue
        low, high, scale = 0.0, np.inf, 1.0
        for _ in range(_MOST_ROUNDS):
            total = 0.0
            for j in range(count):
                total += np.exp(-(distances[i, j] - nearest) / scale)
            if abs(total - target) < 1e-5:
                break
            if total > target:
                high = scale
                if high <= least:
                    break
                scale = (low + high) / 2
            else:
                low = scale
                scale = scale * 2 if high == np.inf else (low + high) / 2
        scale = max(scale, least)
        for j in range(count):
            beyond = distances[i, j] - nearest
            weights[i, j] = np.exp(-beyond / scale) if beyond > 0 else 1.0
    return weights


@compiled()
def lay_out(points: Any, first: Any, second: Any, weights: Any, n_epochs: int, seed: int) -> None:
    """Move `points`, in place, by stochastic gradient descent.

    Small differences grow from step to step, so sums are not reordered: the result must be the
    same on every machine.

    In each epoch an edge pulls its two points together with a probability proportional to its
    weight, at fixed intervals, and the first one is pushed away from a few random points.
    """
    n, n_components = points.shape
    interval = weights.max() / weights
    due = interval.copy()
    pushed = interval / NEGATIVE
    state = np.uint64(seed) * np.uint64(2654435761) + np.uint64(88172645463325252)
    for epoch in range(n_epochs):
        rate = 1.0 - epoch / n_epochs
        for e in range(len(first)):
            if due[e] > epoch:
                continue
            due[e] += interval[e]
            i, j = first[e], second[e]
            square = 0.0
            for c in range(n_components):
                square += (points[i, c] - points[j, c]) ** 2
            if square > 0:
                power = square ** (B - 1)
                pull = -2 * A * B * power / (1 + A * power * square)
                for c in range(n_components):
                    step = pull * (points[i, c] - points[j, c])
                    step = rate * min(MOST, max(-MOST, step))
                    points[i, c] += step
                    points[j, c] -= step
            every = interval[e] / NEGATIVE
            n_pushes = int((epoch - pushed[e]) / every)
            pushed[e] += n_pushes * every
            for _ in range(n_pushes):
                state ^= state << np.uint64(13)
                state ^= state >> np.uint64(7)
                state ^= state << np.uint64(17)
                j = int(state % np.uint64(n))
                square = 0.0
                for c in range(n_components):
                    square += (points[i, c] - points[j, c]) ** 2
                if square > 0:
                    push = 2 * B / ((0.001 + square) * (1 + A * square**B))
                    for c in range(n_components):
                        step = push * (points[i, c] - points[j, c])
                        points[i, c] += rate * min(MOST, max(-MOST, step))
