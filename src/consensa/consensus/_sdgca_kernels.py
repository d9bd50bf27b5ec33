"""Compiled loops of SDGCA, on matrices in the short form of `_exchangeable`.

`weights` has the size of each microcluster and a 1 for the diagonal: entry (i, j) represents
weights[i] weights[j] entries of the n × n matrix. All run without the GIL, on blocks of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import REORDERED, compiled

__all__ = ["BLOCK", "aim_rows", "free_rows", "settle_rows"]

BLOCK = 64  # rows of a task, rows and columns of a tile: it stays in the first cache


@compiled()
def read_mirror(matrix: Any, mirror: Any, left: int, width: int, start: int, stop: int) -> None:
    """The tile of the transpose in rows [start, stop) and `width` columns from `left`."""
    for j in range(width):
        for i in range(stop - start):
            mirror[i, j] = matrix[left + j, start + i]


@compiled(fastmath=REORDERED)
def aim_rows(
    copy: Any, other: Any, multiplier: Any, target: Any, step: float, start: int, stop: int
) -> None:
    """Target = 2 step copy − other' − multiplier."""
    n_groups = len(copy)
    mirror = np.empty((BLOCK, BLOCK))
    for left in range(0, n_groups, BLOCK):
        width = min(BLOCK, n_groups - left)
        read_mirror(other, mirror, left, width, start, stop)
        for i in range(stop - start):
            for j in range(width):
                row, column = start + i, left + j
                aim = 2 * step * copy[row, column] - mirror[i, j]
                target[row, column] = aim - multiplier[row, column]
    for i in range(start, stop):
        aim = 2 * step * copy[i, n_groups] - other[i, n_groups]
        target[i, n_groups] = aim - multiplier[i, n_groups]


@compiled(fastmath=REORDERED)
def free_rows(
    moved: Any, before: Any, multiplier: Any, known: Any, free: Any, weights: Any,
    step: float, start: int, stop: int,
) -> float:  # fmt: skip
    """The copy before it is symmetrized; the squared norm of moved − before.

    It is multiplier / (2 step) + moved, clipped to [0, 1], where no entry is known.
    """
    total = 0.0
    for i in range(start, stop):
        change = 0.0
        for j in range(moved.shape[1]):
            change += weights[j] * (moved[i, j] - before[i, j]) ** 2
            unknown = min(max(multiplier[i, j] / (2 * step) + moved[i, j], 0.0), 1.0)
            free[i, j] = known[i, j] if known[i, j] > 0 else unknown
        # s (s − 1) entries between the samples of one microcluster, not s².
        total += weights[i] * (change - (moved[i, i] - before[i, i]) ** 2)
    return total


@compiled(fastmath=REORDERED)
def settle_rows(
    free: Any, matrix: Any, copy: Any, multiplier: Any, weights: Any,
    step: float, start: int, stop: int,
) -> float:  # fmt: skip
    """The copy is free made symmetric; the multiplier goes a step along the gap; its square."""
    n_groups = len(copy)
    mirror = np.empty((BLOCK, BLOCK))
    total = 0.0
    for left in range(0, n_groups, BLOCK):
        width = min(BLOCK, n_groups - left)
        read_mirror(free, mirror, left, width, start, stop)
        for i in range(stop - start):
            row = start + i
            gaps = 0.0
            for j in range(width):
                column = left + j
                mean = (free[row, column] + mirror[i, j]) / 2
                gap = matrix[row, column] - mean
                copy[row, column] = mean
                multiplier[row, column] += step * gap
                w = weights[column] - 1 if column == row else weights[column]
                gaps += w * gap**2
            total += weights[row] * gaps
    for i in range(start, stop):
        gap = matrix[i, n_groups] - free[i, n_groups]
        copy[i, n_groups] = free[i, n_groups]
        multiplier[i, n_groups] += step * gap
        total += weights[i] * gap**2
    return total
