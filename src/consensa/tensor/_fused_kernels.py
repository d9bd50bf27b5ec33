"""Compiled loops of the fused engine. Arrays are C-contiguous; all run without the GIL.

Matrices are stored transposed, entry (i, j) of the paper at [j, i], so that the Fourier
transform runs along contiguous rows. Work buffers have n + 2 columns, to hold the half spectrum
of a row in the place of the row; their last two columns are not part of a matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["add_gram", "finish", "multiply", "sweep"]

TILE = 64  # rows and columns of a tile: four of them stay in the first cache
# No NaN gets here, and sums may be taken in the order that suits the vector units: the same one
# whatever the number of threads, since a task is always the same rows.
_FAST = {"nnan", "nsz", "reassoc", "contract"}


@njit(nogil=True, cache=True, fastmath=_FAST)
def sweep(
    P1: Any, P2: Any, T1: Any, T2: Any, D1: Any, D3: Any, E: Any, A: Any, linked: Any,
    start: int, stop: int, ratio: Any, keep: Any, gain: Any, carry: Any, totals: Any,
) -> None:  # fmt: skip
    """Update E, D1, D3 from P and write the next T, for tile rows [start, stop) and mirrors.

    D1 = Λ1/μ and D3 = Λ3/μ; Λ2 = −2λE at all times. `ratio` is μ over the next μ, `gain` is
    μ/(2λ + μ), `keep` is 2λ/(2λ + μ), `carry` is 1 − 2λ over the next μ. The largest gaps and the
    sum of E² go to `totals`.
    """
    n = A.shape[0]
    b, c = np.empty((TILE, TILE), A.dtype), np.empty((TILE, TILE), A.dtype)
    mirror_b, mirror_c = np.empty((TILE, TILE), A.dtype), np.empty((TILE, TILE), A.dtype)
    worst = np.zeros((3, TILE), A.dtype)  # largest gaps by column of the tile
    totals[:] = 0
    for top in range(start, stop, TILE):
        height = min(TILE, stop - top)
        for left in range(top, n, TILE):
            width = min(TILE, n - left)
            _add(P1, D1, top, left, height, width, b)
            _add(P2, D3, top, left, height, width, c)
            _add(P1, D1, left, top, width, height, mirror_b)
            _add(P2, D3, left, top, width, height, mirror_c)
            _symmetrise(b, mirror_b, height, width)
            _symmetrise(c, mirror_c, height, width)
            for i in range(height):
                for j in range(width):
                    if linked[top + i, left + j]:
                        b[i, j] = mirror_b[j, i] = 1
            _update(P1, T1, D1, top, left, height, width, b, ratio, worst)
            _update_second(
                P2, T2, D3, E, A, top, left, height, width, c,
                ratio, keep, gain, carry, worst, totals,
            )  # fmt: skip
            if left != top:
                _update(P1, T1, D1, left, top, width, height, mirror_b, ratio, worst)
                _update_second(
                    P2, T2, D3, E, A, left, top, width, height, mirror_c,
                    ratio, keep, gain, carry, worst, totals,
                )  # fmt: skip
    for gap in range(3):
        totals[gap] = worst[gap].max()


# Inner loops run over views of rows from 0, where the compiler need not think of negative indices,
# and over few rows at a time, so that it can check that they do not overlap: then it vectorises.


@njit(nogil=True, cache=True, fastmath=_FAST)
def _add(P: Any, D: Any, top: int, left: int, height: int, width: int, tile: Any) -> None:
    """P + Λ/μ on one tile."""
    for i in range(height):
        out = tile[i]
        p, d = P[top + i, left : left + width], D[top + i, left : left + width]
        for j in range(width):
            out[j] = p[j] + d[j]


@njit(nogil=True, cache=True, fastmath=_FAST)
def _symmetrise(tile: Any, mirror: Any, height: int, width: int) -> None:
    """Nearest pair of mirrored tiles that is symmetric and in [0, 1]."""
    zero, one, half = tile.dtype.type(0), tile.dtype.type(1), tile.dtype.type(0.5)
    for i in range(height):
        for j in range(width):
            mean = min(max(half * (tile[i, j] + mirror[j, i]), zero), one)
            tile[i, j] = mean
            mirror[j, i] = mean


@njit(nogil=True, cache=True, fastmath=_FAST)
def _update(
    P: Any, T: Any, D: Any, top: int, left: int, height: int, width: int, tile: Any, ratio: Any,
    worst: Any,
) -> None:  # fmt: skip
    """First slice on one tile: multiplier, gap and next T, given B."""
    gap = worst[0]
    for i in range(height):
        b = tile[i]
        p, t = P[top + i, left : left + width], T[top + i, left : left + width]
        d = D[top + i, left : left + width]
        for j in range(width):
            u = ratio * (p[j] + d[j] - b[j])
            d[j] = u
            t[j] = b[j] - u
        for j in range(width):
            gap[j] = max(gap[j], abs(p[j] - b[j]))


@njit(nogil=True, cache=True, fastmath=_FAST)
def _update_second(
    P: Any, T: Any, D: Any, E: Any, A: Any, top: int, left: int, height: int, width: int,
    tile: Any, ratio: Any, keep: Any, gain: Any, carry: Any, worst: Any, totals: Any,
) -> None:  # fmt: skip
    """Second slice on one tile: error, multiplier, gaps and next T, given C."""
    gap2, gap3 = worst[1], worst[2]
    half = P.dtype.type(0.5)
    energy = 0.0
    for i in range(height):
        c = tile[i]
        p, t = P[top + i, left : left + width], T[top + i, left : left + width]
        d, e = D[top + i, left : left + width], E[top + i, left : left + width]
        a = A[top + i, left : left + width]
        squares = P.dtype.type(0)
        for j in range(width):
            error = gain * (a[j] - p[j]) + keep * e[j]
            gap2[j] = max(gap2[j], abs(p[j] + error - a[j]))
            squares += error * error
            e[j] = error
        for j in range(width):
            gap3[j] = max(gap3[j], abs(p[j] - c[j]))
            d[j] = ratio * (p[j] + d[j] - c[j])
        for j in range(width):
            t[j] = half * (a[j] - carry * e[j] + c[j] - d[j])
        energy += squares
    totals[3] += energy


@njit(nogil=True, cache=True, fastmath=_FAST)
def add_gram(first: Any, second: Any, sums: Any) -> None:
    """Add to `sums` the Gram entries of each frequency over a block of rows.

    Spectra are given as interleaved real and imaginary parts; the sums are in double precision.
    """
    for row in range(first.shape[0]):
        for f in range(sums.shape[1]):
            a, b = np.float64(first[row, 2 * f]), np.float64(first[row, 2 * f + 1])
            c, d = np.float64(second[row, 2 * f]), np.float64(second[row, 2 * f + 1])
            sums[0, f] += a * a + b * b
            sums[1, f] += c * c + d * d
            sums[2, f] += a * c + b * d
            sums[3, f] += a * d - b * c


@njit(nogil=True, cache=True, fastmath=_FAST)
def multiply(first: Any, second: Any, by: Any, out1: Any, out2: Any) -> None:
    """Multiply the pair of each frequency with its 2 × 2 Hermitian matrix, row by row."""
    for row in range(first.shape[0]):
        for f in range(by.shape[1]):
            a, b = first[row, 2 * f], first[row, 2 * f + 1]
            c, d = second[row, 2 * f], second[row, 2 * f + 1]
            p, q, r, s = by[0, f], by[1, f], by[2, f], by[3, f]
            out1[row, 2 * f] = a * p + c * r + d * s
            out1[row, 2 * f + 1] = b * p + d * r - c * s
            out2[row, 2 * f] = a * r - b * s + c * q
            out2[row, 2 * f + 1] = a * s + b * r + d * q


@njit(nogil=True, cache=True)
def finish(
    P2: Any, D1: Any, T1: Any, linked: Any, affinity: Any, links: Any, start: int, stop: int
) -> None:
    """Write the answer for rows [start, stop): P2 symmetric and clipped, and B = T1 + D1."""
    n = D1.shape[0]
    for i in range(start, stop):
        for j in range(n):
            affinity[i, j] = min(max((P2[i, j] + P2[j, i]) / 2, 0), 1)
            b = ((T1[i, j] + D1[i, j]) + (T1[j, i] + D1[j, i])) / 2  # equal but for rounding
            links[i, j] = 1 if linked[i, j] else min(max(b, 0), 1)
