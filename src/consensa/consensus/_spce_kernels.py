"""Compiled loops of SPCE, over all pairs of microclusters, on blocks of rows; without the GIL.

`partitions` has a row for each partition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import REORDERED, compiled

__all__ = ["BLOCK", "evidence_rows", "graph_rows", "misfit_rows"]

BLOCK = 64  # rows of a task


@compiled(fastmath=REORDERED)
def evidence_rows(partitions: Any, importance: Any, evidence: Any, start: int, stop: int) -> None:
    """Co-association of these rows, with weighted partitions."""
    for i in range(start, stop):
        row = evidence[i]
        row[:] = 0
        for j in range(len(partitions)):
            own, add = partitions[j, i], importance[j]
            for k in range(len(row)):
                row[k] += add if partitions[j, k] == own else 0.0


@compiled(fastmath=REORDERED)
def graph_rows(
    evidence: Any, embedding: Any, spread: Any, weights: Any, pull: float, cutoff: float,
    graph: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """S = C − pull D / W², 0 below cutoff / W, and in [0, 1]: 0 where C is 0.

    D has the squared distances between the columns of `embedding`, and the spreads of both.
    """
    for i in range(start, stop):
        row = graph[i]
        row[:] = spread
        row += spread[i]
        for dimension in range(len(embedding)):
            own = embedding[dimension, i]
            for k in range(len(row)):
                row[k] += (embedding[dimension, k] - own) ** 2
        for k in range(len(row)):
            w = weights[i, k]
            strength = min(evidence[i, k] - pull * row[k] / (w * w), 1.0)
            row[k] = strength if strength > 0 and strength >= cutoff / w else 0.0
        row[i] = 1


@compiled(fastmath=REORDERED)
def misfit_rows(
    graph: Any, weights: Any, partitions: Any, sizes: Any, start: int, stop: int
) -> Any:
    """Sum of W² (S − A_j)² over the pairs of these rows, for each partition j.

    It is the sum of W² S² over all pairs and of W² (1 − 2 S) over those that j puts together.
    """
    n_groups = len(graph)
    totals = np.zeros(len(partitions))
    together = np.empty(n_groups)
    for i in range(start, stop):
        everywhere = 0.0
        for k in range(n_groups):
            square = sizes[k] * weights[i, k] ** 2
            everywhere += square * graph[i, k] ** 2
            together[k] = square * (1 - 2 * graph[i, k])
        for j in range(len(partitions)):
            own = partitions[j, i]
            inside = 0.0
            for k in range(n_groups):
                inside += together[k] if partitions[j, k] == own else 0.0
            totals[j] += sizes[i] * (everywhere + inside)
    return totals
