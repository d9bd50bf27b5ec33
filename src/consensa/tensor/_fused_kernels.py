"""Compiled loops of the fused engine. Arrays are C-contiguous; all run without the GIL.

Matrices are stored transposed, entry (i, j) of the paper at [j, i], so that the Fourier transform
runs along contiguous rows. A pair of matrices is one complex matrix, P1 + iP2, given here as
n × 2n numbers: what both slices have in common is then one loop over contiguous numbers.

How the loops are written matters: each has to become vector instructions. Indices are unsigned,
because a signed one might count from the end; a loop writes to few arrays, because the compiler
must check at run time that they do not overlap, and gives up at more than eight comparisons; the
largest gaps are kept by column, because a single maximum would be taken one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, uintp

__all__ = ["TILE", "add_gram", "multiply", "sweep", "write_affinity", "write_links"]

TILE = 64  # rows and columns of a tile
_PAIRS = 2 * TILE
_PADDED = _PAIRS + 8  # a column of a local tile must not fall on one set of the cache
# No NaN gets here, and sums may be taken in the order that suits the vector units: the same one
# whatever the number of threads, since a task is always the same rows.
_FAST = {"nnan", "nsz", "reassoc", "contract"}


@njit(nogil=True, cache=True, fastmath=_FAST)
def sweep(
    PT: Any, D: Any, E: Any, A: Any, linked: Any, start: int, stop: int,
    ratio: Any, keep: Any, gain: Any, carry: Any, totals: Any,
) -> None:  # fmt: skip
    """Update E and D, and overwrite P by the next T, for tile rows [start, stop) and mirrors.

    D = (Λ1 + iΛ3)/μ; Λ2 = −2λE at all times. `ratio` is μ over the next μ, `gain` is μ/(2λ + μ),
    `keep` is 2λ/(2λ + μ), `carry` is 1 − 2λ over the next μ. `linked` is a byte for each number of
    a pair: 1 for the first of a link. The largest gaps and the sum of E² go to `totals`.
    """
    n = A.shape[0]
    local = np.empty((5, TILE, _PADDED), A.dtype)
    here, there, copy, mirror, turned = local[0], local[1], local[2], local[3], local[4]
    share = np.ones(2 * _PAIRS, A.dtype)  # what E adds to the next T; weights of the copies
    share[_PAIRS + 1 :: 2] = 0.5
    worst = np.zeros(_PAIRS + TILE, A.dtype)  # largest gaps by column of the tile
    energy = 0.0
    for top in range(start, stop, TILE):
        height = min(TILE, stop - top)
        for left in range(top, n, TILE):
            width = min(TILE, n - left)
            _add(PT, D, top, left, height, width, here)
            _add(PT, D, left, top, width, height, there)
            _turn(there, turned, height, width)
            _meet(here, turned, linked, top, left, height, width, copy)
            energy += _update(
                PT, D, E, A, top, left, height, width, here, copy, share, worst,
                ratio, keep, gain, carry,
            )  # fmt: skip
            if left != top:
                _turn(copy, mirror, width, height)
                energy += _update(
                    PT, D, E, A, left, top, width, height, there, mirror, share, worst,
                    ratio, keep, gain, carry,
                )  # fmt: skip
    totals[0], totals[1] = worst[:_PAIRS:2].max(), worst[_PAIRS:].max()
    totals[2], totals[3] = worst[1:_PAIRS:2].max(), energy


@njit(nogil=True, cache=True, fastmath=_FAST)
def _add(P: Any, D: Any, top: int, left: int, height: int, width: int, out: Any) -> None:
    """P + Λ/μ on one tile."""
    row, column = uintp(top), uintp(2 * left)
    for i in range(uintp(height)):
        for j in range(uintp(2 * width)):
            out[i, j] = P[row + i, column + j] + D[row + i, column + j]


@njit(nogil=True, cache=True, fastmath=_FAST)
def _turn(tile: Any, out: Any, height: int, width: int) -> None:
    """Transpose a tile of pairs, `width` × `height`; more of it than asked, to whole eights."""
    one, two, eight = uintp(1), uintp(2), uintp(8)
    for top in range(uintp(0), uintp(height), eight):
        for j in range(uintp(width)):
            for k in range(eight):
                out[top + k, two * j] = tile[j, two * (top + k)]
                out[top + k, two * j + one] = tile[j, two * (top + k) + one]


@njit(nogil=True, cache=True, fastmath=_FAST)
def _meet(
    tile: Any, mirror: Any, linked: Any, top: int, left: int, height: int, width: int, out: Any
) -> None:
    """Nearest values that are equal in mirrored places, in [0, 1], and 1 on the links: B, C."""
    kind = tile.dtype.type
    row, column = uintp(top), uintp(2 * left)
    for i in range(uintp(height)):
        for j in range(uintp(2 * width)):
            mean = min(max(kind(0.5) * (tile[i, j] + mirror[i, j]), kind(0)), kind(1))
            out[i, j] = max(mean, kind(linked[row + i, column + j]))


@njit(nogil=True, cache=True, fastmath=_FAST)
def _update(
    PT: Any, D: Any, E: Any, A: Any, top: int, left: int, height: int, width: int,
    tile: Any, copy: Any, share: Any, worst: Any, ratio: Any, keep: Any, gain: Any, carry: Any,
) -> float:  # fmt: skip
    """Errors, multipliers, gaps and next T of one tile, given P + Λ/μ and the copies (B, C)."""
    half = A.dtype.type(0.5)
    one, two, after = uintp(1), uintp(2), uintp(_PAIRS)
    row, column, pairs = uintp(top), uintp(left), two * uintp(left)
    energy = 0.0
    for i in range(uintp(height)):
        squares = A.dtype.type(0)
        for j in range(uintp(width)):
            p, a = PT[row + i, pairs + two * j + one], A[row + i, column + j]
            e = gain * (a - p) + keep * E[row + i, column + j]
            E[row + i, column + j] = e
            worst[after + j] = max(worst[after + j], abs(p + e - a))
            squares += e * e
        energy += squares
        for j in range(uintp(width)):
            share[two * j] = 0
            share[two * j + one] = half * (A[row + i, column + j] - carry * E[row + i, column + j])
        for j in range(two * uintp(width)):
            worst[j] = max(worst[j], abs(PT[row + i, pairs + j] - copy[i, j]))
        for j in range(two * uintp(width)):
            d = ratio * (tile[i, j] - copy[i, j])
            D[row + i, pairs + j] = d
            PT[row + i, pairs + j] = share[after + j] * (copy[i, j] - d) + share[j]
    return energy


# Columns f and n − f of a spectrum belong together. They are taken in stretches, one read from its
# end; columns 0 and, for even n, n/2 are their own partners and a stretch each.


@njit(nogil=True, cache=True)
def _stretch(n: int, first: int) -> tuple[int, int]:
    """Number of columns of the stretch from `first`, and the partner of that column."""
    count = 1 if first in (0, n - first) else min(TILE, (n + 1) // 2 - first)
    return count, (n - first) % n


@njit(nogil=True, cache=True, fastmath=_FAST)
def add_gram(spectrum: Any, sums: Any) -> None:
    """Add to `sums` the Gram entries of the columns f and n − f, this conjugate, of some rows.

    The spectrum is that of the complex pair, as interleaved real and imaginary parts; the sums
    are (4, n//2 + 1) and in double precision.
    """
    n = spectrum.shape[1] // 2
    here = np.empty(4 * TILE)
    first = 0
    while first <= n // 2:
        count, partner = _stretch(n, first)
        here[:] = 0
        _add_gram(spectrum, first, partner, count, here)
        for k in range(4):
            sums[k, first : first + count] += here[k * TILE : k * TILE + count]
        first += count


@njit(nogil=True, cache=True, fastmath=_FAST)
def _add_gram(spectrum: Any, first: int, partner: int, count: int, sums: Any) -> None:
    one, two, tile = uintp(1), uintp(2), uintp(TILE)
    low, high = uintp(2 * first), uintp(2 * partner)
    for row in range(uintp(spectrum.shape[0])):
        for f in range(uintp(count)):
            a, b = spectrum[row, low + two * f], spectrum[row, low + two * f + one]
            c, d = spectrum[row, high - two * f], spectrum[row, high - two * f + one]
            a, b, c, d = np.float64(a), np.float64(b), np.float64(c), np.float64(d)
            sums[f] += a * a + b * b
            sums[tile + f] += c * c + d * d
            sums[two * tile + f] += a * c - b * d
            sums[(one + two) * tile + f] -= a * d + b * c


@njit(nogil=True, cache=True, fastmath=_FAST)
def multiply(spectrum: Any, by: Any, product: Any) -> None:
    """Multiply each pair of columns with its 2 × 2 Hermitian matrix, of (4, n//2 + 1) numbers."""
    n = spectrum.shape[1] // 2
    here = np.empty(4 * TILE, by.dtype)
    first = 0
    while first <= n // 2:
        count, partner = _stretch(n, first)
        for k in range(4):
            here[k * TILE : k * TILE + count] = by[k, first : first + count]
        _multiply(spectrum, first, partner, count, here, product)
        first += count


@njit(nogil=True, cache=True, fastmath=_FAST)
def _multiply(spectrum: Any, first: int, partner: int, count: int, by: Any, product: Any) -> None:
    one, two, tile, last = uintp(1), uintp(2), uintp(TILE), uintp(count - 1)
    low, high = uintp(2 * first), uintp(2 * partner)
    for row in range(uintp(spectrum.shape[0])):
        for f in range(uintp(count)):
            a, b = spectrum[row, low + two * f], spectrum[row, low + two * f + one]
            c, d = spectrum[row, high - two * f], spectrum[row, high - two * f + one]
            p, r, s = by[f], by[two * tile + f], by[(one + two) * tile + f]
            product[row, low + two * f] = a * p + c * r - d * s
            product[row, low + two * f + one] = b * p - c * s - d * r
        for k in range(uintp(count)):  # upwards, for vectors are not written downwards
            f = last - k
            a, b = spectrum[row, low + two * f], spectrum[row, low + two * f + one]
            c, d = spectrum[row, high - two * f], spectrum[row, high - two * f + one]
            q, r, s = by[tile + f], by[two * tile + f], by[(one + two) * tile + f]
            product[row, high - two * f] = a * r - b * s + c * q
            product[row, high - two * f + one] = d * q - a * s - b * r


@njit(nogil=True, cache=True)
def write_affinity(P: Any, affinity: Any, start: int, stop: int) -> None:
    """P2, symmetric and clipped, for rows [start, stop)."""
    for i in range(start, stop):
        for j in range(affinity.shape[0]):
            affinity[i, j] = min(max((P[i, 2 * j + 1] + P[j, 2 * i + 1]) / 2, 0), 1)


@njit(nogil=True, cache=True)
def write_links(T: Any, D: Any, linked: Any, links: Any, start: int, stop: int) -> None:
    """B = T1 + D1, 1 on the links, for rows [start, stop)."""
    for i in range(start, stop):
        for j in range(links.shape[0]):
            here, there = T[i, 2 * j] + D[i, 2 * j], T[j, 2 * i] + D[j, 2 * i]
            b = (here + there) / 2  # equal but for rounding
            links[i, j] = 1 if linked[i, 2 * j] else min(max(b, 0), 1)
