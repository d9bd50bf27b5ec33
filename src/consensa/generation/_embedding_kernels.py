"""The compiled loops of the neighbor embedding: weights of the graph, and coordinates."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.compile import compiled

__all__ = ["MOST", "NEGATIVE", "A", "B", "fuzzy_weights", "lay_out", "pulls", "pushes"]

# 1 / (1 + a d^2b) approximates exp(-d), for a minimum distance of 0.
A, B = 1.929, 0.7915
_MOST_ROUNDS = 2200  # from 1 to the smallest or largest number, and back to the digits
MOST = 4.0  # length of the largest step along a coordinate
NEGATIVE = 5  # points that repel, for one edge that attracts

# Tables of forces: cubic polynomials in cells that follow the bits of a squared distance.
_OCTAVE = 40  # squared distances from 2^-40 to 2^40; others have the force of the nearest cell
_CELL_BITS = 5  # of the fraction of a number, that with its exponent are the number of its cell
_CELLS = 2**_CELL_BITS  # in an octave
_FRACTION_BITS = 52
_ONE = 1023 << _FRACTION_BITS  # the bits of 1.0
_FORCE_BITS = 26  # of a force in the tables


@compiled()
def fuzzy_weights(distances: Any) -> Any:
    """Weights of the nearest neighbors: 1 for the nearest one, then falling exponentially.

    The scale of each point is such that its weights add up to the logarithm (base 2) of their
    number plus one, if it is at least a thousandth of their mean distance.
    """
    n, count = distances.shape
    weights = np.ones((n, count))
    target = np.log2(count + 1.0)
    for i in range(n):
        nearest = distances[i, 0]
        least = 1e-3 * distances[i].mean()
        if least == 0:  # the neighbors are at the same place
            continue
        low, high, scale = 0.0, np.inf, 1.0
        for _ in range(_MOST_ROUNDS):
            total = 0.0
            for j in range(count):
                total += np.exp(-(distances[i, j] - nearest) / scale)
            if abs(total - target) < 1e-5:
                break
            if total > target:
                high = scale
                if high <= least:
                    break
                scale = (low + high) / 2
            else:
                low = scale
                scale = scale * 2 if high == np.inf else (low + high) / 2
        scale = max(scale, least)
        for j in range(count):
            beyond = distances[i, j] - nearest
            weights[i, j] = np.exp(-beyond / scale) if beyond > 0 else 1.0
    return weights


def lay_out(
    points: Array, first: Array, second: Array, weights: Array, n_epochs: int, seed: int
) -> None:
    """Move `points`, in place, by stochastic gradient descent.

    In each epoch an edge pulls its two points together with a probability proportional to its
    weight, at fixed intervals, and the first one is pushed away from a few random points.
    """
    axes = tuple(range(points.shape[1]))  # so that their number is known to the compiler
    _move(points, axes, first, second, weights, n_epochs, seed, *_tables())


@compiled()
def _move(
    points: Any,
    axes: Any,
    first: Any,
    second: Any,
    weights: Any,
    n_epochs: int,
    seed: int,
    pull_table: Any,
    push_table: Any,
) -> None:
    """Move the points one after the other.

    Small differences grow from step to step, so sums are not reordered: the result must be the
    same on every machine.
    """
    n = np.uint64(len(points))
    interval = weights.max() / weights
    due = interval.copy()
    pushed = interval / NEGATIVE
    state = np.uint64(seed) * np.uint64(2654435761) + np.uint64(88172645463325252)
    for epoch in range(n_epochs):
        rate = 1.0 - epoch / n_epochs
        for e in range(len(first)):
            if due[e] > epoch:
                continue
            due[e] += interval[e]
            i, j = first[e], second[e]
            square = 0.0
            for c in range(len(axes)):
                square += (points[i, c] - points[j, c]) ** 2
            if square > 0:
                pull = _force(square, pull_table)
                for c in range(len(axes)):
                    step = pull * (points[i, c] - points[j, c])
                    step = rate * min(MOST, max(-MOST, step))
                    points[i, c] += step
                    points[j, c] -= step
            every = interval[e] / NEGATIVE
            n_pushes = int((epoch - pushed[e]) / every)
            pushed[e] += n_pushes * every
            for _ in range(n_pushes):
                state ^= state << np.uint64(13)
                state ^= state >> np.uint64(7)
                state ^= state << np.uint64(17)
                j = int(state % n)
                square = 0.0
                for c in range(len(axes)):
                    square += (points[i, c] - points[j, c]) ** 2
                if square > 0:
                    push = _force(square, push_table)
                    for c in range(len(axes)):
                        step = push * (points[i, c] - points[j, c])
                        points[i, c] += rate * min(MOST, max(-MOST, step))


@compiled()
def _force(square: float, table: Any) -> float:
    """The force at a squared distance: a few products instead of a power and a division."""
    bits = np.float64(square).view(np.int64)
    cell: Any = (bits - _ONE) >> (_FRACTION_BITS - _CELL_BITS)
    cell = min(max(cell + _OCTAVE * _CELLS, 0), 2 * _OCTAVE * _CELLS - 1)
    within = np.int64((bits & ((1 << (_FRACTION_BITS - _CELL_BITS)) - 1)) | _ONE).view(np.float64)
    within -= 1 + 0.5 / _CELLS
    low = table[cell, 0] + table[cell, 1] * within
    return low + within * within * (table[cell, 2] + table[cell, 3] * within)


@cache
def _tables() -> tuple[Array, Array]:
    """Coefficients of the pulls and the pushes in each cell: those of four points of the cell.

    They are rounded to a part of the force, because their last digits depend on the processor.
    """
    octaves = np.repeat(2.0 ** np.arange(-_OCTAVE, _OCTAVE), _CELLS)[:, None]
    middles = 1 + (np.tile(np.arange(_CELLS), 2 * _OCTAVE)[:, None] + 0.5) / _CELLS
    within = np.cos(np.pi * (np.arange(4) + 0.5) / 4) / (2 * _CELLS)  # Chebyshev's points
    coefficients = np.linalg.inv(np.vander(within, increasing=True)).T
    squares = octaves * (middles + within)
    return _rounded(pulls(squares) @ coefficients), _rounded(pushes(squares) @ coefficients)


def _rounded(table: Array) -> Array:
    """The coefficients of each cell, so that every term has the same number of bits.

    Each power of the place within a cell is smaller than the one before by the width of the cell.
    """
    smaller = (_CELL_BITS + 1) * np.arange(table.shape[1])
    unit = 2.0 ** (np.frexp(table[:, :1])[1] + smaller - _FORCE_BITS)
    return np.asarray(np.rint(table / unit) * unit)


def pulls(squares: Any) -> Any:
    """Force between the points of an edge at squared distances."""
    powers = squares ** (B - 1)
    return -2 * A * B * powers / (1 + A * powers * squares)


def pushes(squares: Any) -> Any:
    """Force between a point and one that repels it, at squared distances."""
    return 2 * B / ((0.001 + squares) * (1 + A * squares**B))
