"""Compiled loops of TRCE, over all pairs of microclusters, on blocks of rows; without the GIL."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from consensa._machine.compile import REORDERED, compiled

__all__ = ["BLOCK", "graph_rows", "row_root", "row_threshold"]

BLOCK = 64  # rows of a task
_ROUNDING = 1e-14  # relative
_LEAST = 1e-12  # smaller weights are rounding, and no edges


@compiled(fastmath=REORDERED)
def row_root(evidence: Any, pulled: Any, sizes: Any, own: int) -> float:
    """The x > 0 with Σ s c / (h + x) = 1, where h is 0 at `own`.

    Newton's method for 1/Σ, which is concave and almost a line. From below it never passes the
    root, and at c s of `own` alone the sum is 1 or more.
    """
    root = sizes[own] * evidence[own]
    for _ in range(100):
        value, slope = 0.0, 0.0
        for k in range(len(evidence)):
            inverse = 1 / (pulled[k] + root)
            term = sizes[k] * evidence[k] * inverse
            value += term
            slope += term * inverse
        if value <= 1 + _ROUNDING:
            break
        root += value * (value - 1) / slope
    return root


@compiled(fastmath=REORDERED)
def row_threshold(values: Any, sizes: Any) -> float:
    """The t with Σ s max(v − t, 0) = 1: values above it stay, until none is below any more."""
    threshold, before = -np.inf, np.inf
    while True:
        total, count = 0.0, 0.0
        for k in range(len(values)):
            kept = sizes[k] if values[k] > threshold else 0.0
            total += kept * values[k]
            count += kept
        if count >= before:
            return threshold
        threshold, before = (total - 1) / count, count


@compiled(fastmath=REORDERED)
def graph_rows(
    partitions: Any, shares: Any, weights: Any, sizes: Any, embedding: Any, penalty: float,
    pull: float, graph: Any, divergence: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Rows of A, and divergences KL(A^(k), B) of these rows, for the B that they have then.

    `partitions` has a row for each partition. `shares` and `weights` have a row for each
    microcluster: the entry of A^(k) for each pair of its cluster, and its weight in H.
    """
    pulled, row = np.empty(len(sizes)), np.empty(len(sizes))
    for i in range(start, stop):
        pulled[:] = 0
        for dimension in range(len(embedding)):
            own = embedding[dimension, i]
            for k in range(len(row)):
                pulled[k] += (embedding[dimension, k] - own) ** 2
        row[:] = 0
        for j in range(len(partitions)):
            label, add = partitions[j, i], weights[i, j]
            for k in range(len(row)):
                row[k] += add if partitions[j, k] == label else 0.0
        distances = graph[i]
        distances[:] = pulled
        pulled *= penalty
        root = row_root(row, pulled, sizes, i)
        for k in range(len(row)):
            row[k] /= pulled[k] + root
        for k in range(len(row)):
            pulled[k] = sizes[k] * log(row[k]) if row[k] > 0 else 0.0
        for j in range(len(partitions)):
            label, share, inside = partitions[j, i], shares[i, j], 0.0
            for k in range(len(row)):
                inside += pulled[k] if partitions[j, k] == label else 0.0
            divergence[i, j] = max(log(share) - share * inside, 0.0) if share > 0 else 0.0
        row -= pull * distances
        threshold = row_threshold(row, sizes)
        for k in range(len(row)):
            weight = row[k] - threshold
            distances[k] = weight if weight > _LEAST else 0.0
