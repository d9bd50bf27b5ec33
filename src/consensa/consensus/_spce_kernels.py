"""The compiled loop of SPCE: over all pairs of microclusters, and for each over the partitions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["BLOCK", "misfit_rows"]

BLOCK = 64  # rows of a task
_FAST = {"nnan", "nsz", "reassoc", "contract"}  # sums in the order that suits the vector units


@njit(nogil=True, cache=True, fastmath=_FAST)
def misfit_rows(
    graph: Any, weights: Any, partitions: Any, sizes: Any, start: int, stop: int
) -> Any:
    """Sum of W² (S − A_j)² over the pairs of these rows, for each partition j.

    It is the sum of W² S² over all pairs and of W² (1 − 2 S) over those that j puts together.
    `partitions` has a row for each partition.
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
