"""Compiled loops of the fused engine. Arrays are C-contiguous; all run without the GIL.

Matrices are stored transposed, entry (i, j) of the paper at [j, i], so that the Fourier transform
runs along contiguous rows. A pair of matrices is one complex matrix, P1 + iP2, given here as
n × 2n numbers.

What only the sweep needs lies in the order in which the sweep comes by: the plane of a tile, then
that of the mirrored tile, turned, so that mirrored entries stand in the same place.

How the loops are written matters: each has to become vector instructions. Indices are unsigned,
because a signed one might count from the end; the length of the inner loop is known; planes are a
known distance apart in one array, because the compiler must check at run time that arrays do not
overlap, and gives up at more than eight comparisons; the largest gaps are kept by column, because
a single maximum would be taken one by one. Reordered sums come in the same order whatever the
number of threads, since a task is always the same rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import uintp

from consensa._machine.compile import REORDERED, compiled

__all__ = [
    "PLANE", "TILE", "add_gram", "multiply", "pairs_before", "sweep", "wake_up", "write_affinity",
    "write_error", "write_links",
]  # fmt: skip

TILE = 32  # rows and columns of a tile
PLANE = TILE * TILE + 16  # planes must not begin at the same place of the cache
_STRETCH = 64  # frequencies taken at a time

# Planes of the local tile: P1 and P2, those of the mirrored tile, A and the links. Multipliers
# have the first four, D1 and D3 in place of P1 and P2; errors have two, E and its mirror.
_P1, _P2, _P1_MIRROR, _P2_MIRROR, _A, _LINKED = (plane * PLANE for plane in range(6))
_E, _E_MIRROR = 0, PLANE


@compiled()
def pairs_before(top: int, n: int) -> int:
    """Number of pairs of mirrored tiles in the tile rows above row `top`."""
    above, tiles = top // TILE, (n + TILE - 1) // TILE
    return above * tiles - above * (above - 1) // 2


@compiled()
def sweep(
    PT: Any, D: Any, E: Any, A: Any, linked: Any, start: int, stop: int,
    ratio: Any, keep: Any, gain: Any, carry: Any, totals: Any,
) -> None:  # fmt: skip
    """Update E and D, and overwrite P by the next T, for tile rows [start, stop) and mirrors.

    D = (Λ1, Λ3)/μ; Λ2 = −2λE at all times. `ratio` is μ over the next μ, `gain` is μ/(2λ + μ),
    `keep` is 2λ/(2λ + μ), `carry` is 1 − 2λ over the next μ. The largest gaps and the sum of E² go
    to `totals`.
    """
    n = A.shape[0]
    tile = np.zeros(6 * PLANE, A.dtype)
    worst = np.zeros(3 * TILE, A.dtype)  # largest gaps by column of the tile
    energy = 0.0
    for top in range(start, stop, TILE):
        pair = pairs_before(top, n)
        height = min(TILE, n - top)
        for left in range(top, n, TILE):
            width = min(TILE, n - left)
            if height < TILE or width < TILE:
                tile[:] = 0
            _load(PT, A, linked, top, left, height, width, tile)
            _load_mirror(PT, top, left, height, width, tile)
            _update_links(tile, D, 4 * PLANE * pair, worst, ratio)
            squares = _update_affinity(
                tile, D, 4 * PLANE * pair, E, 2 * PLANE * pair, worst, ratio, keep, gain, carry
            )
            energy += squares if left > top else squares / 2  # a diagonal tile is its own mirror
            _store(tile, PT, top, left, height, width)
            _store_mirror(tile, PT, top, left, height, width)
            pair += 1
    for gap in range(3):
        totals[gap] = worst[gap * TILE : (gap + 1) * TILE].max()
    totals[3] = energy


@compiled()
def _load(
    P: Any, A: Any, linked: Any, top: int, left: int, height: int, width: int, tile: Any
) -> None:
    """Planes of one tile."""
    kind = A.dtype.type
    row, column, one, two = uintp(top), uintp(left), uintp(1), uintp(2)
    for i in range(uintp(height)):
        first, second = uintp(_P1) + i * uintp(TILE), uintp(_P2) + i * uintp(TILE)
        for j in range(uintp(width)):
            tile[first + j] = P[row + i, two * (column + j)]
            tile[second + j] = P[row + i, two * (column + j) + one]
        third, fourth = uintp(_A) + i * uintp(TILE), uintp(_LINKED) + i * uintp(TILE)
        for j in range(uintp(width)):
            tile[third + j] = A[row + i, column + j]
        for j in range(uintp(width)):
            tile[fourth + j] = kind(linked[row + i, column + j])


@compiled()
def _load_mirror(P: Any, top: int, left: int, height: int, width: int, tile: Any) -> None:
    """Planes of the mirrored tile, turned."""
    row, column, one, two, side = uintp(left), uintp(top), uintp(1), uintp(2), uintp(TILE)
    for j in range(uintp(width)):
        for i in range(uintp(height)):
            tile[uintp(_P1_MIRROR) + i * side + j] = P[row + j, two * (column + i)]
            tile[uintp(_P2_MIRROR) + i * side + j] = P[row + j, two * (column + i) + one]


@compiled()
def _store(tile: Any, T: Any, top: int, left: int, height: int, width: int) -> None:
    """The next T of one tile."""
    row, column, one, two = uintp(top), uintp(left), uintp(1), uintp(2)
    for i in range(uintp(height)):
        first, second = uintp(_P1) + i * uintp(TILE), uintp(_P2) + i * uintp(TILE)
        for j in range(uintp(width)):
            T[row + i, two * (column + j)] = tile[first + j]
            T[row + i, two * (column + j) + one] = tile[second + j]


@compiled()
def _store_mirror(tile: Any, T: Any, top: int, left: int, height: int, width: int) -> None:
    """The next T of the mirrored tile, turned back."""
    row, column, one, two, side = uintp(left), uintp(top), uintp(1), uintp(2), uintp(TILE)
    for j in range(uintp(width)):
        for i in range(uintp(height)):
            T[row + j, two * (column + i)] = tile[uintp(_P1_MIRROR) + i * side + j]
            T[row + j, two * (column + i) + one] = tile[uintp(_P2_MIRROR) + i * side + j]


@compiled(fastmath=REORDERED)
def _update_links(tile: Any, D: Any, first: int, worst: Any, ratio: Any) -> None:
    """Multipliers, gaps and next T of the first slice of a pair of tiles.

    B is the nearest matrix that is symmetric, in [0, 1], and 1 on the links.
    """
    kind = tile.dtype.type
    half, zero, unit = kind(0.5), kind(0), kind(1)
    for i in range(uintp(TILE)):
        here, there = uintp(_P1) + i * uintp(TILE), uintp(_P1_MIRROR) + i * uintp(TILE)
        links, start = uintp(_LINKED) + i * uintp(TILE), uintp(first)
        for j in range(uintp(TILE)):
            p, q = tile[here + j], tile[there + j]
            sum_p, sum_q = p + D[start + here + j], q + D[start + there + j]
            b = max(min(max(half * (sum_p + sum_q), zero), unit), tile[links + j])
            worst[j] = max(worst[j], max(abs(p - b), abs(q - b)))
            d_p, d_q = ratio * (sum_p - b), ratio * (sum_q - b)
            D[start + here + j], D[start + there + j] = d_p, d_q
            tile[here + j], tile[there + j] = b - d_p, b - d_q


@compiled(fastmath=REORDERED)
def _update_affinity(
    tile: Any, D: Any, first_d: int, E: Any, first_e: int, worst: Any,
    ratio: Any, keep: Any, gain: Any, carry: Any,
) -> float:  # fmt: skip
    """Errors, multipliers, gaps and next T of the second slice of a pair of tiles; sum of E².

    C is the nearest matrix that is symmetric and in [0, 1].
    """
    kind = tile.dtype.type
    half, zero, unit = kind(0.5), kind(0), kind(1)
    gap2, gap3 = uintp(TILE), uintp(2 * TILE)
    energy = 0.0
    for i in range(uintp(TILE)):
        here, there = uintp(_P2) + i * uintp(TILE), uintp(_P2_MIRROR) + i * uintp(TILE)
        target, start = uintp(_A) + i * uintp(TILE), uintp(first_d)
        error = uintp(first_e) + uintp(_E) + i * uintp(TILE)
        mirror = uintp(first_e) + uintp(_E_MIRROR) + i * uintp(TILE)
        squares = zero
        for j in range(uintp(TILE)):
            p, q, a = tile[here + j], tile[there + j], tile[target + j]
            e_p = gain * (a - p) + keep * E[error + j]
            e_q = gain * (a - q) + keep * E[mirror + j]
            E[error + j], E[mirror + j] = e_p, e_q
            squares += e_p * e_p + e_q * e_q
            worst[gap2 + j] = max(worst[gap2 + j], max(abs(p + e_p - a), abs(q + e_q - a)))
            sum_p, sum_q = p + D[start + here + j], q + D[start + there + j]
            c = min(max(half * (sum_p + sum_q), zero), unit)
            worst[gap3 + j] = max(worst[gap3 + j], max(abs(p - c), abs(q - c)))
            d_p, d_q = ratio * (sum_p - c), ratio * (sum_q - c)
            D[start + here + j], D[start + there + j] = d_p, d_q
            tile[here + j] = half * (c - d_p + (a - carry * e_p))
            tile[there + j] = half * (c - d_q + (a - carry * e_q))
        energy += squares
    return energy


@compiled()
def wake_up(A: Any, linked: Any, d: Any, e: Any, D: Any, E: Any, start: int, stop: int) -> None:
    """D1 = −d on the links, D3 = 0, E = e·A, for tile rows [start, stop) and mirrors."""
    n = A.shape[0]
    for top in range(start, stop, TILE):
        pair = pairs_before(top, n)
        for left in range(top, n, TILE):
            for i in range(min(TILE, n - top)):
                for j in range(min(TILE, n - left)):
                    place, a = i * TILE + j, A[top + i, left + j]
                    link = -d if linked[top + i, left + j] else 0
                    for plane in (_P1, _P1_MIRROR):
                        D[4 * PLANE * pair + plane + place] = link
                    for plane in (_E, _E_MIRROR):
                        E[2 * PLANE * pair + plane + place] = e * a
            pair += 1


@compiled()
def write_error(E: Any, error: Any, start: int, stop: int) -> None:
    """E as a matrix, for tile rows [start, stop) and mirrors."""
    n = error.shape[0]
    for top in range(start, stop, TILE):
        pair = pairs_before(top, n)
        for left in range(top, n, TILE):
            first = 2 * PLANE * pair
            for i in range(min(TILE, n - top)):
                for j in range(min(TILE, n - left)):
                    error[top + i, left + j] = E[first + _E + i * TILE + j]
                    error[left + j, top + i] = E[first + _E_MIRROR + i * TILE + j]
            pair += 1


@compiled()
def write_links(T: Any, D: Any, linked: Any, links: Any, start: int, stop: int) -> None:
    """B = T1 + D1, 1 on the links, for tile rows [start, stop) and mirrors."""
    n = links.shape[0]
    for top in range(start, stop, TILE):
        pair = pairs_before(top, n)
        for left in range(top, n, TILE):
            first = 4 * PLANE * pair
            for i in range(min(TILE, n - top)):
                for j in range(min(TILE, n - left)):
                    here = T[top + i, 2 * (left + j)] + D[first + _P1 + i * TILE + j]
                    there = T[left + j, 2 * (top + i)] + D[first + _P1_MIRROR + i * TILE + j]
                    b = min(max((here + there) / 2, 0), 1)  # equal but for rounding
                    b = 1 if linked[top + i, left + j] else b
                    links[top + i, left + j] = links[left + j, top + i] = b
            pair += 1


# Columns f and n − f of a spectrum belong together. They are taken in stretches, one read from its
# end; columns 0 and, for even n, n/2 are their own partners and a stretch each.


@compiled()
def _stretch(n: int, first: int) -> tuple[int, int]:
    """Number of columns of the stretch from `first`, and the partner of that column."""
    count = 1 if first in (0, n - first) else min(_STRETCH, (n + 1) // 2 - first)
    return count, (n - first) % n


@compiled(fastmath=REORDERED)
def add_gram(spectrum: Any, sums: Any) -> None:
    """Add to `sums` the Gram entries of the columns f and n − f, this conjugate, of some rows.

    The spectrum is that of the complex pair, as interleaved real and imaginary parts; the sums
    are (4, n//2 + 1) and in double precision.
    """
    n = spectrum.shape[1] // 2
    here = np.empty(4 * _STRETCH)
    first = 0
    while first <= n // 2:
        count, partner = _stretch(n, first)
        here[:] = 0
        _add_gram(spectrum, first, partner, count, here)
        for k in range(4):
            sums[k, first : first + count] += here[k * _STRETCH : k * _STRETCH + count]
        first += count


@compiled(fastmath=REORDERED)
def _add_gram(spectrum: Any, first: int, partner: int, count: int, sums: Any) -> None:
    one, two, tile = uintp(1), uintp(2), uintp(_STRETCH)
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


@compiled(fastmath=REORDERED)
def multiply(spectrum: Any, by: Any, product: Any) -> None:
    """Multiply each pair of columns with its 2 × 2 Hermitian matrix, of (4, n//2 + 1) numbers."""
    n = spectrum.shape[1] // 2
    here = np.empty(4 * _STRETCH, by.dtype)
    first = 0
    while first <= n // 2:
        count, partner = _stretch(n, first)
        for k in range(4):
            here[k * _STRETCH : k * _STRETCH + count] = by[k, first : first + count]
        _multiply(spectrum, first, partner, count, here, product)
        first += count


@compiled(fastmath=REORDERED)
def _multiply(spectrum: Any, first: int, partner: int, count: int, by: Any, product: Any) -> None:
    one, two, tile, last = uintp(1), uintp(2), uintp(_STRETCH), uintp(count - 1)
    low, high = uintp(2 * first), uintp(2 * partner)
    for row in range(uintp(spectrum.shape[0])):
        for f in range(uintp(count)):
            a, b = spectrum[row, low + two * f], spectrum[row, low + two * f + one]
            c, d = spectrum[row, high - two * f], spectrum[row, high - two * f + one]
            p, r, s = by[f], by[two * tile + f], by[(one + two) * tile + f]
            product[row, low + two * f] = a * p + c * r - d * s
            product[row, low + two * f + one] = b * p - c * s - d * r
        for k in range(uintp(count)):  # upwards, for vectors are not written downwards
            g = last - k
            a, b = spectrum[row, low + two * g], spectrum[row, low + two * g + one]
            c, d = spectrum[row, high - two * g], spectrum[row, high - two * g + one]
            q, r, s = by[tile + g], by[two * tile + g], by[(one + two) * tile + g]
            product[row, high - two * g] = a * r - b * s + c * q
            product[row, high - two * g + one] = d * q - a * s - b * r


@compiled()
def write_affinity(P: Any, affinity: Any, start: int, stop: int) -> None:
    """P2, symmetric and clipped, for rows [start, stop)."""
    for i in range(start, stop):
        for j in range(affinity.shape[0]):
            affinity[i, j] = min(max((P[i, 2 * j + 1] + P[j, 2 * i + 1]) / 2, 0), 1)
