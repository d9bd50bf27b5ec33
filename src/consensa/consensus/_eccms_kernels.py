"""Compiled loops of EC-CMS, on matrices in the short form of `_exchangeable`.

`weights` has the size of each microcluster and a 1 for the diagonal: entry (i, j) represents
weights[i] weights[j] entries of the n × n matrix. All run without the GIL, on blocks of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import REORDERED, compiled

__all__ = ["BLOCK", "aim_rows", "bound_rows", "update_rows"]

BLOCK = 64  # rows of a task, rows and columns of a tile: it stays in the first cache


@compiled(fastmath=REORDERED)
def update_rows(
    C: Any, previous: Any, X: Any, A: Any, V: Any, F: Any, certain: Any, weights: Any,
    start: int, stop: int, share: float, old_share: float, totals: Any,
) -> None:  # fmt: skip
    """X and V from the new C, and the sums of squares of what changes.

    E = share · X where no pair is certain, Y1 = X − E, Y2 = V − F. `totals` gets the squared
    change and the squared norm before of C, of E, of Y1, and the squared norm of Y2.
    """
    totals[:] = 0
    own = weights.copy()
    for i in range(start, stop):
        own[i] -= 1  # s (s − 1) entries between the samples of one microcluster, not s²
        c_change = c_norm = e_change = e_norm = y1_change = y1_norm = y2_norm = 0.0
        for j in range(C.shape[1]):
            w = own[j]
            open_ = 0.0 if certain[i, j] else 1.0
            x_before = X[i, j]
            e_before = open_ * old_share * x_before
            y1_before = x_before - e_before
            y2_before = V[i, j] - F[i, j]
            x = y1_before + A[i, j] - C[i, j]
            e = open_ * share * x
            X[i, j] = x
            V[i, j] = y2_before + C[i, j]
            c_change += w * (C[i, j] - previous[i, j]) ** 2
            c_norm += w * previous[i, j] ** 2
            e_change += w * (e - e_before) ** 2
            e_norm += w * e_before**2
            y1_change += w * (x - e - y1_before) ** 2
            y1_norm += w * y1_before**2
            y2_norm += w * y2_before**2
        own[i] += 1
        totals[0] += weights[i] * c_change
        totals[1] += weights[i] * c_norm
        totals[2] += weights[i] * e_change
        totals[3] += weights[i] * e_norm
        totals[4] += weights[i] * y1_change
        totals[5] += weights[i] * y1_norm
        totals[6] += weights[i] * y2_norm


@compiled(fastmath=REORDERED)
def bound_rows(V: Any, bounded: Any, start: int, stop: int) -> None:
    """V made symmetric and clipped to [0, 1]."""
    n_groups = len(V)
    mirror = np.empty((BLOCK, BLOCK))
    for left in range(0, n_groups, BLOCK):
        width = min(BLOCK, n_groups - left)
        for j in range(width):
            for i in range(stop - start):
                mirror[i, j] = V[left + j, start + i]
        for i in range(stop - start):
            for j in range(width):
                mean = (V[start + i, left + j] + mirror[i, j]) / 2
                bounded[start + i, left + j] = min(max(mean, 0.0), 1.0)
    for i in range(start, stop):
        bounded[i, n_groups] = min(max(V[i, n_groups], 0.0), 1.0)


@compiled(fastmath=REORDERED)
def aim_rows(
    V: Any, F: Any, C: Any, X: Any, A: Any, certain: Any, target: Any, weights: Any,
    start: int, stop: int, share: float, totals: Any,
) -> None:  # fmt: skip
    """Take the new F over from `target`, and write the next target = Y1 − E + A + F − Y2 there.

    `totals` gets the squared change and the squared norm before of F, and the squared norm of
    C − F, the change of Y2.
    """
    totals[:] = 0
    own = weights.copy()
    for i in range(start, stop):
        own[i] -= 1
        change = norm = gap = 0.0
        for j in range(C.shape[1]):
            w, f, before = own[j], target[i, j], F[i, j]
            change += w * (f - before) ** 2
            norm += w * before**2
            gap += w * (C[i, j] - f) ** 2
            F[i, j] = f
            kept = 1.0 if certain[i, j] else 1 - 2 * share
            target[i, j] = kept * X[i, j] + A[i, j] + 2 * f - V[i, j]
        own[i] += 1
        totals[0] += weights[i] * change
        totals[1] += weights[i] * norm
        totals[2] += weights[i] * gap
