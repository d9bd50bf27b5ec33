"""Exact nearest rows of a table: candidates by products of matrices, measured again directly.

A product in single precision takes half the time of one in double precision, and bounds on its
rounding say which rows may be among the nearest. These few are measured, in double precision and
without expanding squares, so that the result does not depend on blocks, threads or the processor.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from consensa._array import Array

__all__ = ["ExactSearch", "Room"]

_BLOCK = 2**20  # products at a time, so that they stay in the cache
_LEAST_HEIGHT = 32  # rows of a block; fewer waste the product of matrices
_GROUPS = 8  # of the products of a row, for each of the nearest: their maxima bound the last one
_LEAST_GROUPS = 256  # so that maxima are taken of many neighboring products at a time
_MANY = 4  # candidates for each of the nearest, above which double precision chooses them
_LEAST_MANY = 32


class Room:
    """Arrays that are used again for the next block of rows.

    Memory that the system gives anew for each block takes longer than the product that is written
    to it, where it is returned at once: Dask tells its workers to.
    """

    def __init__(self) -> None:
        self._kept: dict[Any, Array] = {}

    def array(self, shape: tuple[int, ...], kind: Any) -> Array:
        """An array with any content; it is overwritten by the next one of the same type."""
        size, kind = math.prod(shape), np.dtype(kind)
        if kind not in self._kept or self._kept[kind].size < size:
            self._kept[kind] = np.empty(size, kind)
        return self._kept[kind][:size].reshape(shape)


class ExactSearch:
    """Finds the `count` nearest of the rows `targets`: by distance, equal distances by number."""

    def __init__(self, targets: Array, count: int) -> None:
        self.targets = np.asarray(targets, np.float64)
        self.count = min(count, len(targets))
        self.squares = np.square(self.targets).sum(axis=1)
        self.reach = float(np.sqrt(self.squares.max()))
        # A power of two changes no digit, and keeps single precision from overflow.
        self.unit = 2.0 ** np.frexp(self.reach)[1] if self.reach > 0 else 1.0
        self.single = self._table(np.float32)

    @cached_property
    def double(self) -> Array:
        """The same table in double precision, if it is needed."""
        return self._table(np.float64)

    def __call__(self, rows: Array) -> tuple[Array, Array]:
        """Numbers of the nearest targets of each row, the nearest first, and their distances."""
        height, n_rows = self._height(), max(1, len(rows))  # none are a block, too
        room = Room()
        blocks = [self._of_block(rows[i : i + height], room) for i in range(0, n_rows, height)]
        numbers, distances = (np.concatenate(part) for part in zip(*blocks, strict=True))
        return numbers, distances

    def _height(self) -> int:
        """Number of rows of a block."""
        return max(_LEAST_HEIGHT, _BLOCK // len(self.targets))

    def _of_block(self, rows: Array, room: Room) -> tuple[Array, Array]:
        """The nearest targets of a block of rows."""
        return self._nearest(rows, self.single, room)

    def _table(self, kind: Any) -> Array:
        """The matrix whose product with (x, 1) is x·t - t·t / 2 for each target t."""
        table = np.column_stack([self.targets / self.unit, -self.squares / self.unit**2 / 2])
        return np.ascontiguousarray(table.T, dtype=kind)

    def _nearest(self, rows: Array, table: Array, room: Room) -> tuple[Array, Array]:
        """The nearest targets of rows, of candidates by one of the tables."""
        may_be = np.flatnonzero(self._candidates(rows, table, room))
        row, target = np.divmod(may_be, len(self.targets))
        n_found = np.bincount(row, minlength=len(rows))
        sure = (n_found >= self.count) & (n_found <= max(_LEAST_MANY, _MANY * self.count))
        kept = sure[row]
        row, target = row[kept], target[kept]
        measured = np.linalg.norm(self.targets[target] - rows[row], axis=1)
        order = np.lexsort((measured, row))  # stable: equal distances stay in order of number
        starts = np.concatenate([[0], np.cumsum(n_found[sure])[:-1]]).astype(np.int64)
        first = order[starts[:, None] + np.arange(self.count)] if sure.any() else order[:0]
        numbers = np.empty((len(rows), self.count), np.int64)
        distances = np.empty(numbers.shape)
        numbers[sure], distances[sure] = (
            part[first].reshape(-1, self.count) for part in (target, measured)
        )
        unsure = np.flatnonzero(~sure)
        if len(unsure):
            numbers[unsure], distances[unsure] = (
                self._nearest(rows[unsure], self.double, room)
                if table is self.single
                else self._one_by_one(rows[unsure], room)
            )
        return numbers, distances

    def _one_by_one(self, rows: Array, room: Room) -> tuple[Array, Array]:
        """The same for rows with many targets at nearly the same distance."""
        found = []
        for row, may_be in zip(rows, self._candidates(rows, self.double, room), strict=True):
            target = np.flatnonzero(may_be)
            measured = np.linalg.norm(self.targets[target] - row, axis=1)
            first = np.argsort(measured, kind="stable")[: self.count]
            found.append((target[first], measured[first]))
        numbers, distances = (np.stack(part) for part in zip(*found, strict=True))
        return numbers, distances

    def _candidates(self, rows: Array, table: Array, room: Room) -> Array:
        """Which targets may be among the nearest of each row, as far as rounding tells."""
        n = len(self.targets)
        n_groups = min(n, max(_LEAST_GROUPS, _GROUPS * self.count))
        last = n_groups - self.count
        given = np.column_stack([rows / self.unit, np.ones(len(rows))])
        rounding = self._rounding(rows, table.dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # then there are no candidates
            products = room.array((len(rows), n), table.dtype)
            np.matmul(given.astype(table.dtype), table, out=products)
            grouped = products[:, : n - n % n_groups].reshape(len(rows), n // n_groups, n_groups)
            bound = np.partition(grouped.max(axis=1), last, axis=1)[:, last]
            least = (bound - rounding).astype(table.dtype)[:, None]
            return np.greater_equal(products, least, out=room.array(products.shape, bool))

    def _rounding(self, rows: Array, kind: Any) -> Array:
        """Bound on the error of the difference of two products of each row, and of measuring."""
        lengths = (np.linalg.norm(rows, axis=1) + self.reach) / self.unit
        return np.asarray((self.targets.shape[1] + 4) * np.finfo(kind).eps * np.square(lengths))
