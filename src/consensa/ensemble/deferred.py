"""Numbers of rows that are computed when they are read, and not kept.

The label of a row and its confidence follow from its clusters in the base partitions. Where these
can be looked up at little cost, as those of features on disk, labels need no memory: a pass over
blocks of rows computes them again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa.ensemble.appearance import first_places
from consensa.ensemble.missing import MISSING
from consensa.ensemble.passes import LocalRows, Numbered
from consensa.ensemble.rows import Assign, cluster_ids

__all__ = ["DeferredRows", "RowValues"]

Compute = Callable[[Array, Any], Array]


class RowValues:
    """A number of each row, computed when it is read.

    Supports ranges and lists of rows; ``np.asarray`` computes all of them.

    Parameters
    ----------
    rows : DeferredRows
        The rows.
    compute : callable
        ``compute(ids, where)``: the numbers of rows with these cluster ids, which are at `where`.
    dtype : dtype
        Type of the numbers.
    largest : int or None, default=None
        The largest number, if it is known.
    """

    ndim = 1

    def __init__(
        self, rows: DeferredRows, compute: Compute, dtype: Any, largest: int | None = None
    ) -> None:
        self.rows, self.compute, self.dtype = rows, compute, np.dtype(dtype)
        self.shape = (rows.n_samples,)
        self._largest = largest

    def __len__(self) -> int:
        return self.shape[0]

    def of(self, ids: Array, where: Any) -> Array:
        """Numbers of rows whose cluster ids were read already."""
        return self.compute(ids, where).astype(self.dtype, copy=False)

    def __getitem__(self, where: Any) -> Array:
        if isinstance(where, slice) and where.step in (None, 1):
            start, stop, _ = where.indices(len(self))
            return self.of(self.rows.ids(start, max(start, stop)), slice(start, stop))
        numbers = np.asarray(where)
        return self.of(self.rows.ids_of(numbers), numbers)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        require_bytes(
            8.0 * len(self),
            step="Computing the labels of all rows at once",
            why=f"a number for each of {len(self)} rows",
            remedy="Read them in blocks of rows.",
        )
        every = np.empty(self.shape, self.dtype)
        self.rows.each_block("labels", lambda start, ids: _write(every, start, self, ids))
        return every if dtype is None else every.astype(dtype)

    def astype(self, dtype: Any) -> RowValues:
        """The same numbers in another type."""
        return RowValues(self.rows, self.of, dtype)

    def max(self) -> int:
        """The largest number."""
        if self._largest is None:
            found: list[int] = []
            self.rows.each_block(
                "labels", lambda start, ids: found.append(int(_block(self, start, ids).max()))
            )
            self._largest = max(found)
        return self._largest

    def mean(self) -> float:
        """The mean of the numbers."""
        sums: dict[int, float] = {}

        def add(start: int, ids: Array) -> None:
            sums[start] = float(_block(self, start, ids).sum())

        self.rows.each_block("confidence", add)
        return sum(sums[start] for start in sorted(sums)) / len(self)


def _block(values: RowValues, start: int, ids: Array) -> Array:
    return values.of(ids, slice(start, start + len(ids)))


def _write(every: Array, start: int, values: RowValues, ids: Array) -> None:
    every[start : start + len(ids)] = _block(values, start, ids)


class DeferredRows(LocalRows):
    """Passes over rows on this machine, in which no number of each row is kept."""

    _met: tuple[Any, Array] | None = None  # labels, and their meetings

    def ids(self, start: int, stop: int) -> Array:
        """Cluster ids of a range of rows."""
        return self._ids(start, stop)

    def ids_of(self, numbers: Array) -> Array:
        """Cluster ids of these rows."""
        return cluster_ids(self.take(numbers), self.cluster_counts)

    def each_block(self, step: str, work: Callable[[int, Array], None]) -> None:
        """Call ``work(start, ids)`` for all blocks, in threads."""
        self._each_block(step, work)

    def label(self, assign: Assign) -> Any:
        """Label of each row, computed when it is read."""
        return RowValues(self, lambda ids, where: assign(ids), np.int64)

    def score(self, function: Callable[[Array, Array], Array], labels: Any) -> Any:
        """A number for each row, computed when it is read."""

        def compute(ids: Array, where: Any) -> Array:
            return function(ids, self._labels(labels, ids, where))

        return RowValues(self, compute, np.float64)

    def meetings(self, labels: Any, n_labels: int) -> Array:
        """Number of rows with each cluster and label; those of the last labels are known."""
        if self._met is None or self._met[0] is not labels or self._met[1].shape[1] != n_labels:
            self._met = labels, super().meetings(labels, n_labels)
        return self._met[1]

    def number(self, labels: Any) -> Numbered:
        """Number labels, integers from 0, by first appearance."""
        if not isinstance(labels, RowValues):
            return super().number(labels)
        lock, firsts = threading.Lock(), [np.empty(0, np.int64)]

        def find(start: int, ids: Array) -> None:
            own = _block(labels, start, ids)
            here = first_places(own, int(own.max()) + 1)
            here = np.where(here == len(own), self.n_samples, here + start)
            with lock:
                firsts[0] = _least(firsts[0], here, self.n_samples)

        self._each_block("numbering", find)
        first = firsts[0]
        occurs = np.flatnonzero(first < self.n_samples)
        rank = np.full(len(first), MISSING)
        rank[occurs[np.argsort(first[occurs])]] = np.arange(len(occurs))
        numbered = RowValues(
            self, lambda ids, where: rank[labels.of(ids, where)], np.int64, len(occurs) - 1
        )
        return Numbered(numbered, rank)

    def _labels(self, labels: Any, ids: Array, where: Any) -> Any:
        own = isinstance(labels, RowValues) and labels.rows is self
        return labels.of(ids, where) if own else labels[where]


def _least(one: Array, other: Array, nowhere: int) -> Array:
    """The smaller of each two entries; what only one of them has is that."""
    least = np.full(max(len(one), len(other)), nowhere)
    least[: len(one)] = one
    np.minimum(least[: len(other)], other, out=least[: len(other)])
    return least
