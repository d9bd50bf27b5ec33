"""Compiled loop of CDKM and CDEC: rows move one at a time, as long as the objective grows."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = ["descend"]

_LEAST = 1e-10  # gain of a move; less is rounding


@compiled()
def descend(
    ids: Any, weights: Any, values: Any, balance: float, labels: Any, sums: Any, sizes: Any,
    max_iter: int,
) -> Any:  # fmt: skip
    """Move rows until no move increases the objective; return the passes and if it converged.

    The objective is Σ ‖s_k‖² / n_k − balance / 2 Σ n_k²; `values` are the weights of the base
    clusters in the norm. `sums` has the sum s_k of the rows of each cluster, `sizes` their number
    n_k; they and `labels` are updated.
    """
    n, m = ids.shape
    n_clusters = len(sizes)
    squares = np.zeros(n_clusters)
    rows = np.zeros(n_clusters, np.int64)
    for k in range(n_clusters):
        for c in range(sums.shape[1]):
            squares[k] += values[c] * sums[k, c] * sums[k, c]
    for i in range(n):
        rows[labels[i]] += 1
    dots = np.zeros(n_clusters)
    for passes in range(max_iter):
        moved = False
        for i in range(n):
            own, weight = labels[i], weights[i]
            if rows[own] == 1:
                continue
            for k in range(n_clusters):
                dots[k] = 0.0
                for j in range(m):
                    dots[k] += values[ids[i, j]] * sums[k, ids[i, j]]
            square = 0.0
            for j in range(m):
                square += values[ids[i, j]]
            square *= weight * weight
            left = squares[own] - 2 * weight * dots[own] + square
            loss = squares[own] / sizes[own] - left / (sizes[own] - weight)
            loss -= balance * (sizes[own] - weight / 2) * weight
            best, most = own, loss + _LEAST
            for k in range(n_clusters):
                joined = squares[k] + 2 * weight * dots[k] + square
                gain = joined / (sizes[k] + weight) - squares[k] / sizes[k]
                gain -= balance * (sizes[k] + weight / 2) * weight
                if k != own and gain > most:
                    best, most = k, gain
            if best == own:
                continue
            moved = True
            squares[best] += 2 * weight * dots[best] + square
            squares[own] = left
            labels[i] = best
            sizes[own] -= weight
            sizes[best] += weight
            rows[own] -= 1
            rows[best] += 1
            for j in range(m):
                sums[own, ids[i, j]] -= weight
                sums[best, ids[i, j]] += weight
        if not moved:
            return passes + 1, True
    return max_iter, False
