"""The passes over features of `consensa.generation`, on a Dask cluster.

Each block is a task. The first pass draws rows, which are merged along a tree and returned to this
process: they are as many as points, whatever the number of samples. Here the points are made and
partitioned, once. The second pass finds the point of each row; the numbers stay on the cluster,
and if the run has a state, they are brought here too and kept, as on one machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._machine.hashing import hash_features
from consensa._machine.row_sample import RowSample, sample_rows
from consensa._machine.run_state import RunState
from consensa._machine.threads import one_thread_in_each
from consensa.distributed._cluster import (
    Computes,
    delay,
    part_of,
    persist,
    reduce_as_tree,
    share,
)
from consensa.distributed._ensemble import DaskEnsemble, spread_ensemble
from consensa.distributed._rows import DaskRows, MergeSamples
from consensa.ensemble import Ensemble
from consensa.generation.landmarks import RowNumbers, counted, kept_points, kept_sample

__all__ = ["Block", "DaskPasses"]

_STEP = "nearest points"
_MOST_SMALL = 2**16  # points whose numbers have 16 bits
Part = tuple[int, int]


class Block(NamedTuple):
    """Rows of features: a task whose result is a `StoredFeatures`, and consecutive parts of it."""

    source: Any
    parts: tuple[Part, ...]

    @property
    def start(self) -> int:
        """Number of the first row."""
        return self.parts[0][0]

    @property
    def stop(self) -> int:
        """The end."""
        return self.parts[-1][1]


class _Numbers(NamedTuple):
    """The point of each sample in one space: a place in the result of each of the tasks."""

    blocks: list[Any]
    place: int


class DaskPasses:
    """The passes over blocks of features; `none` has no rows.

    With the `state` of a run, what an earlier one finished, here or on one machine, is not
    computed again.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        none: Array,
        compute: Computes,
        state: RunState | None = None,
    ) -> None:
        self.blocks, self.none, self.compute = list(blocks), none, compute
        self.state = state

    def with_state(self, state: RunState) -> DaskPasses:
        """The same passes, which keep what they finish in the state of a run."""
        return DaskPasses(self.blocks, self.none, self.compute, state)

    @property
    def lengths(self) -> list[int]:
        """Number of rows of each block."""
        return [block.stop - block.start for block in self.blocks]

    def draw(self, limit: int, seed: int) -> RowSample:
        """Up to `limit` distinct rows with the smallest hashes, and their counts."""
        return kept_sample(self.state, partial(self._draw, limit, seed))

    def _draw(self, limit: int, seed: int) -> RowSample:
        drawn = [
            delay(_draw, source, parts, limit, seed, self.none) for source, parts in self.blocks
        ]
        found: RowSample = self.compute(
            "sample of rows", reduce_as_tree(MergeSamples(limit), drawn)
        )
        return found

    def number(self, finders: Sequence[Any], n_points: Sequence[int]) -> list[RowNumbers]:
        """The point that each finder gives every row; each finder has so many points."""
        counts = [int(n) for n in n_points]
        if self.state is not None:
            return self._number_and_keep(self.state, finders, counts)
        found = self._start(self.blocks, finders, counts)
        totals = self.compute(
            _STEP, reduce_as_tree(_merge_counts, [part_of(task, 1) for task in found])
        )
        numbers = [part_of(task, 0) for task in found]
        return [RowNumbers(_Numbers(numbers, i), *total) for i, total in enumerate(totals)]

    def _start(
        self, blocks: Sequence[Block], finders: Sequence[Any], counts: Sequence[int]
    ) -> list[Any]:
        """Start to number blocks; the numbers stay on the cluster, or are computed again."""
        shared = share(list(finders))
        return persist([delay(_number, source, parts, shared, counts) for source, parts in blocks])

    def _number_and_keep(
        self, state: RunState, finders: Sequence[Any], counts: Sequence[int]
    ) -> list[RowNumbers]:
        """The same, with numbers that are written as blocks are done, or were written before."""
        kept = kept_points(state, [_type_of(n) for n in counts], self.blocks[-1].stop)
        done = kept.finished()
        left = [block for block in self.blocks if not done.issuperset(block.parts)]
        started = [part_of(task, 0) for task in self._start(left, finders, counts)]
        for block, numbers in zip(left, self.compute.one_by_one(_STEP, started), strict=True):
            for start, stop in block.parts:
                rows = slice(start - block.start, stop - block.start)
                kept.write((start, stop), [own[rows] for own in numbers])
        arrays = kept.arrays
        there = {block.start: task for block, task in zip(left, started, strict=True)}
        tasks = [
            there[block.start] if block.start in there else _sent(arrays, block)
            for block in self.blocks
        ]
        return [
            RowNumbers(_Numbers(tasks, i), *counted(own, n)[1:])
            for i, (own, n) in enumerate(zip(arrays, counts, strict=True))
        ]

    def look_up(self, tables: Sequence[Array], numbers: Sequence[_Numbers]) -> Ensemble:
        """The ensemble whose rows are those of the points, looked up when they are needed."""
        coding = _CodesOfPoints(tables, [own.place for own in numbers])
        return DaskEnsemble.of(DaskRows(numbers[0].blocks, self.lengths, coding, self.compute))

    def spread(self, made: Ensemble) -> DaskEnsemble:
        """An ensemble that was made in this process, in blocks on the cluster."""
        return spread_ensemble(made, self.lengths, self.compute)

    def take(self) -> Array:
        """All rows, in this process."""
        taken = [delay(_take, source, parts) for source, parts in self.blocks]
        found: Array = self.compute("features", delay(np.concatenate, taken))
        return found


class _CodesOfPoints:
    """Codes of a block of rows from the numbers of their points in each space."""

    blocks_are_small = True

    def __init__(self, tables: Sequence[Array], places: Sequence[int]) -> None:
        self.tables, self.places = list(tables), list(places)
        counts = np.concatenate([table.max(axis=0) + 1 for table in self.tables])
        self.distinct = tuple(np.arange(count) for count in counts)

    def codes(self, block: list[Array]) -> Array:
        """Codes: int32 of shape (rows, partitions)."""
        found = [
            table[block[place]] for table, place in zip(self.tables, self.places, strict=True)
        ]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)


def _type_of(n_points: int) -> Any:
    """Type of the numbers of points."""
    return np.uint16 if n_points <= _MOST_SMALL else np.int64


def _sent(arrays: Sequence[Array], block: Block) -> Any:
    """The numbers of a block, sent to the cluster now: all at once would be a large message."""
    return persist([share([np.array(own[block.start : block.stop]) for own in arrays])])[0]


# ---- tasks -----------------------------------------------------------------------------------


def _stream(source: Any, parts: Sequence[Part]) -> Iterator[tuple[int, Array]]:
    for part in parts:
        yield from source.stream(part)


def _draw(source: Any, parts: Sequence[Part], limit: int, seed: int, none: Array) -> RowSample:
    return sample_rows(_stream(source, parts), partial(hash_features, number=seed), limit, none)


def _number(
    source: Any, parts: Sequence[Part], finders: Sequence[Any], n_points: Sequence[int]
) -> tuple[list[Array], list[tuple[Array, Array]]]:
    """Points of the rows of a block; and of each point the number of rows, and the first."""
    start, stop = parts[0][0], parts[-1][1]
    numbers = [np.empty(stop - start, _type_of(n)) for n in n_points]
    with one_thread_in_each():
        for first, rows in _stream(source, parts):
            for own, find in zip(numbers, finders, strict=True):
                own[first - start : first - start + len(rows)] = find(rows)
    totals = []
    for own, n in zip(numbers, n_points, strict=True):
        _, sizes, seen = counted(own, n)
        totals.append((sizes, np.where(sizes > 0, seen + start, _NOWHERE)))
    return numbers, totals


_NOWHERE = np.iinfo(np.int64).max


def _merge_counts(
    parts: Sequence[list[tuple[Array, Array]]],
) -> list[tuple[Array, Array]]:
    return [
        (
            np.sum([sizes for sizes, _ in own], axis=0),
            np.min([first for _, first in own], axis=0),
        )
        for own in zip(*parts, strict=True)
    ]


def _take(source: Any, parts: Sequence[Part]) -> Array:
    return np.concatenate([rows for _, rows in _stream(source, parts)])
