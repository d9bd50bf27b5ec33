"""Compiled loops of the fused engine. Arrays are C-contiguous; all run without the GIL.

Matrices are stored transposed, entry (i, j) of the paper at [j, i], so that the Fourier transform
runs along rows. A pair of matrices is one complex matrix, P1 + iP2, in blocks of rows in lanes
(`_lanes.py`), with rows and columns of zeros up to whole tiles.

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
from consensa.tensor._lanes import move, turn

__all__ = [
    "PLANE", "TILE", "pairs_before", "sweep", "wake_up", "whole_tiles", "write_affinity",
    "write_error", "write_links",
]  # fmt: skip

TILE = 32  # rows and columns of a tile
PLANE = TILE * TILE + 16  # planes must not begin at the same place of the cache

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
def whole_tiles(n: int) -> int:
    """The next multiple of the side of a tile: rows and columns that are stored."""
    return (n + TILE - 1) // TILE * TILE


@compiled()
def _place(row: int, column: int, side: int, lanes: int) -> int:
    """Where the first slice has an entry; the second one has it `lanes` on."""
    return 2 * lanes * (row // lanes * side + column) + row % lanes


@compiled()
def sweep(
    PT: Any, D: Any, E: Any, A: Any, linked: Any, lanes: int, start: int, stop: int,
    ratio: Any, keep: Any, gain: Any, carry: Any, totals: Any,
) -> None:  # fmt: skip
    """Update E and D, and overwrite P by the next T, for tile rows [start, stop) and mirrors.

    D = (Λ1, Λ3)/μ; Λ2 = −2λE at all times. `ratio` is μ over the next μ, `gain` is μ/(2λ + μ),
    `keep` is 2λ/(2λ + μ), `carry` is 1 − 2λ over the next μ. The largest gaps and the sum of E² go
    to `totals`.
    """
    n = A.shape[0]
    side = whole_tiles(n)
    tile = np.zeros(6 * PLANE, A.dtype)
    worst = np.zeros(3 * TILE, A.dtype)  # largest gaps by row of the tile
    energy = 0.0
    for top in range(start, stop, TILE):
        pair = pairs_before(top, n)
        for left in range(top, n, TILE):
            _load_target(A, linked, top, left, tile)
            _load(PT, top, left, side, lanes, tile)
            _update_links(tile, D, 4 * PLANE * pair, worst, ratio)
            squares = _update_affinity(
                tile, D, 4 * PLANE * pair, E, 2 * PLANE * pair, worst, ratio, keep, gain, carry
            )
            energy += squares if left > top else squares / 2  # a diagonal tile is its own mirror
            _store(tile, PT, top, left, side, lanes)
            pair += 1
    for gap in range(3):
        totals[gap] = worst[gap * TILE : (gap + 1) * TILE].max()
    totals[3] = energy


@compiled()
def _load_target(A: Any, linked: Any, top: int, left: int, tile: Any) -> None:
    """Planes of A and of the links, which are symmetric; zero outside."""
    kind, n = A.dtype.type, A.shape[0]
    height, width = min(TILE, n - top), min(TILE, n - left)
    if height < TILE or width < TILE:
        tile[:] = 0
    row, column = uintp(left), uintp(top)
    for i in range(uintp(width)):
        first, second = uintp(_A) + i * uintp(TILE), uintp(_LINKED) + i * uintp(TILE)
        for j in range(uintp(height)):
            tile[first + j] = A[row + i, column + j]
        for j in range(uintp(height)):
            tile[second + j] = kind(linked[row + i, column + j])


@compiled()
def _load(PT: Any, top: int, left: int, side: int, lanes: int, tile: Any) -> None:
    """Planes of a tile, a row of it in a lane, and of the mirrored tile, turned."""
    for row in range(0, TILE, lanes):
        first = _place(top + row, left, side, lanes)
        for column in range(TILE):
            here, to = first + 2 * lanes * column, TILE * column + row
            move(PT, here, tile, _P1 + to)
            move(PT, here + lanes, tile, _P2 + to)
        first = _place(left + row, top, side, lanes)
        for column in range(0, TILE, lanes):
            here, to = first + 2 * lanes * column, TILE * row + column
            turn(PT, here, 2 * lanes, tile, _P1_MIRROR + to, TILE)
            turn(PT, here + lanes, 2 * lanes, tile, _P2_MIRROR + to, TILE)


@compiled()
def _store(tile: Any, PT: Any, top: int, left: int, side: int, lanes: int) -> None:
    """The next T of a tile and, turned back, of the mirrored one."""
    for row in range(0, TILE, lanes):
        first = _place(top + row, left, side, lanes)
        for column in range(TILE):
            here, to = first + 2 * lanes * column, TILE * column + row
            move(tile, _P1 + to, PT, here)
            move(tile, _P2 + to, PT, here + lanes)
        first = _place(left + row, top, side, lanes)
        for column in range(0, TILE, lanes):
            here, to = first + 2 * lanes * column, TILE * row + column
            turn(tile, _P1_MIRROR + to, TILE, PT, here, 2 * lanes)
            turn(tile, _P2_MIRROR + to, TILE, PT, here + lanes, 2 * lanes)


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
            for i in range(min(TILE, n - left)):
                for j in range(min(TILE, n - top)):
                    place, a = i * TILE + j, A[left + i, top + j]
                    link = -d if linked[left + i, top + j] else 0
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
            for i in range(min(TILE, n - left)):
                for j in range(min(TILE, n - top)):
                    error[left + i, top + j] = E[first + _E + i * TILE + j]
                    error[top + j, left + i] = E[first + _E_MIRROR + i * TILE + j]
            pair += 1


@compiled()
def write_links(
    T: Any, D: Any, linked: Any, links: Any, lanes: int, start: int, stop: int
) -> None:
    """B = T1 + D1, 1 on the links, for tile rows [start, stop) and mirrors."""
    n = links.shape[0]
    side = whole_tiles(n)
    for top in range(start, stop, TILE):
        pair = pairs_before(top, n)
        for left in range(top, n, TILE):
            first = 4 * PLANE * pair
            for i in range(min(TILE, n - left)):
                for j in range(min(TILE, n - top)):
                    row, column, place = top + j, left + i, i * TILE + j
                    here = T[_place(row, column, side, lanes)] + D[first + _P1 + place]
                    there = T[_place(column, row, side, lanes)] + D[first + _P1_MIRROR + place]
                    b = min(max((here + there) / 2, 0), 1)  # equal but for rounding
                    b = 1 if linked[row, column] else b
                    links[row, column] = links[column, row] = b
            pair += 1


@compiled()
def write_affinity(P: Any, affinity: Any, lanes: int, start: int, stop: int) -> None:
    """P2, symmetric and clipped, for rows [start, stop)."""
    n = affinity.shape[0]
    side = whole_tiles(n)
    for i in range(start, stop):
        for j in range(n):
            here = P[_place(i, j, side, lanes) + lanes]
            there = P[_place(j, i, side, lanes) + lanes]
            affinity[i, j] = min(max((here + there) / 2, 0), 1)
