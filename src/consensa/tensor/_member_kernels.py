"""Compiled loops over some columns of GTLEC's tensor, in lanes; all run without the GIL.

Two slices are one complex matrix, T_v + iT_{v+1}, whose columns lie in the lanes of a vector
(`_lanes.py`): entry [slice // 2, row, slice % 2, lane] of a flat block. Of an odd number of slices
the last one has no partner, and zeros in its place.

The spectra of a pair at a frequency f are a unitary matrix times its complex spectrum at f and,
conjugate, at n − f, but for a factor: these are the columns of which the Gram matrix is taken.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import uintp

from consensa._machine.compile import REORDERED, compiled

__all__ = ["LANES", "WIDTH", "add_gram", "load", "multiply", "store"]

LANES = 8  # numbers of double precision in a vector
WIDTH = 4 * LANES  # columns that are read and written at a time: whole lines of memory
_HALF = math.sqrt(0.5)


@compiled()
def load(copies: Any, rests: Any, ratio: Any, first: int, blocks: Any) -> None:
    """T = copies + ratio · rests in `WIDTH` columns from `first` on; zeros beyond the last."""
    m, n, _ = copies.shape
    width = min(WIDTH, n - first)
    if width < WIDTH or m % 2:
        blocks[:] = 0
    for v in range(m):
        for i in range(n):
            to = uintp(2 * LANES * (v // 2 * n + i) + LANES * (v % 2))
            copied, rest = copies[v, i, first : first + width], rests[v, i, first : first + width]
            for k in range(uintp(width)):
                block, lane = k // uintp(LANES), k % uintp(LANES)
                blocks[block, to + lane] = copied[k] + ratio * rest[k]


@compiled(fastmath=REORDERED)
def store(blocks: Any, ratio: Any, first: int, copies: Any, rests: Any, sums: Any) -> None:
    """Replace the copies by the blocks, and the rests by T minus these; add |changes|."""
    m, n, _ = copies.shape
    kind = copies.dtype.type
    width = min(WIDTH, n - first)
    for v in range(m):
        for i in range(n):
            at, change = uintp(2 * LANES * (v // 2 * n + i) + LANES * (v % 2)), 0.0
            copied, rest = copies[v, i, first : first + width], rests[v, i, first : first + width]
            for k in range(uintp(width)):
                block, lane = k // uintp(LANES), k % uintp(LANES)
                before, after = copied[k], kind(blocks[block, at + lane])
                tensor = before + ratio * rest[k]
                change += abs(before - after)
                copied[k] = after
                rest[k] = tensor - after
            sums[v, i] += change


@compiled()
def _columns(block: Any, n: int, m: int, f: int, columns: Any) -> None:
    """The m columns of a frequency, real and imaginary parts in turn, as if T were in slices."""
    partner = n - f if f else 0
    for pair in range(m // 2):
        low, high = 2 * LANES * (pair * n + f), 2 * LANES * (pair * n + partner)
        for lane in range(LANES):
            columns[2 * pair, 0, lane] = _HALF * block[low + lane]
            columns[2 * pair, 1, lane] = _HALF * block[low + LANES + lane]
            columns[2 * pair + 1, 0, lane] = _HALF * block[high + lane]
            columns[2 * pair + 1, 1, lane] = -_HALF * block[high + LANES + lane]
    if m % 2:
        low = 2 * LANES * (m // 2 * n + f)
        for lane in range(LANES):
            columns[m - 1, 0, lane] = block[low + lane]
            columns[m - 1, 1, lane] = block[low + LANES + lane]


@compiled(fastmath=REORDERED)
def add_gram(block: Any, n: int, m: int, gram: Any) -> None:
    """Add to `gram`, (n//2 + 1, m, m, 2), the Gram entries k ≤ l of the columns of a block."""
    columns = np.empty((m, 2, LANES))
    for f in range(n // 2 + 1):
        _columns(block, n, m, f, columns)
        for k in range(m):
            for column in range(k, m):
                real, imag = 0.0, 0.0
                for lane in range(LANES):
                    a, b = columns[k, 0, lane], columns[k, 1, lane]
                    c, d = columns[column, 0, lane], columns[column, 1, lane]
                    real += a * c + b * d
                    imag += a * d - b * c
                gram[f, k, column, 0] += real
                gram[f, k, column, 1] += imag


@compiled(fastmath=REORDERED)
def multiply(block: Any, n: int, m: int, by: Any) -> None:
    """Multiply the columns of each frequency with its Hermitian matrix `by`[f], (m, m, 2)."""
    columns, found = np.empty((m, 2, LANES)), np.empty((m, 2, LANES))
    for f in range(n // 2 + 1):
        _columns(block, n, m, f, columns)
        found[:] = 0
        for k in range(m):
            for column in range(m):
                real, imag = by[f, column, k, 0], by[f, column, k, 1]
                for lane in range(LANES):
                    a, b = columns[column, 0, lane], columns[column, 1, lane]
                    found[k, 0, lane] += a * real - b * imag
                    found[k, 1, lane] += a * imag + b * real
        _write_columns(found, n, m, f, block)


@compiled()
def _write_columns(columns: Any, n: int, m: int, f: int, block: Any) -> None:
    """The inverse of `_columns`; frequency n − f of a slice without a partner is that of f."""
    partner, whole = n - f if f else 0, 1 / _HALF
    for pair in range(m // 2):
        low, high = 2 * LANES * (pair * n + f), 2 * LANES * (pair * n + partner)
        for lane in range(LANES):
            block[low + lane] = whole * columns[2 * pair, 0, lane]
            block[low + LANES + lane] = whole * columns[2 * pair, 1, lane]
            block[high + lane] = whole * columns[2 * pair + 1, 0, lane]
            block[high + LANES + lane] = -whole * columns[2 * pair + 1, 1, lane]
    if m % 2:
        low, high = 2 * LANES * (m // 2 * n + f), 2 * LANES * (m // 2 * n + partner)
        for lane in range(LANES):
            block[high + lane] = columns[m - 1, 0, lane]
            block[high + LANES + lane] = -columns[m - 1, 1, lane]
            block[low + lane] = columns[m - 1, 0, lane]
            block[low + LANES + lane] = columns[m - 1, 1, lane]
