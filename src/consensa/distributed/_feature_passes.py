"""The passes over features of `consensa.generation`, on a Dask cluster.

Each block is a task. The first pass draws rows, which are merged along a tree and returned to this
process: they are as many as points, whatever the number of samples. Here the points are made and
partitioned, once. The second pass finds the point of each row; the numbers stay on the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._machine.hashing import hash_features
from consensa._machine.row_sample import RowSample, sample_rows
from consensa._machine.threads import one_thread_in_each
from consensa.distributed._cluster import (
    Computes,
    delay,
    part_of,
    persist,
    reduce_as_tree,
    share,
)
from consensa.distributed._ensemble import DaskEnsemble
from consensa.distributed._rows import DaskRows, MergeSamples
from consensa.ensemble import Ensemble
from consensa.ensemble.numbering import Numbering
from consensa.generation.landmarks import RowNumbers, counted

__all__ = ["Block", "DaskPasses"]

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
    """The passes over blocks of features; `none` has no rows."""

    def __init__(self, blocks: Sequence[Block], none: Array, compute: Computes) -> None:
        self.blocks, self.none, self.compute = list(blocks), none, compute

    @property
    def lengths(self) -> list[int]:
        """Number of rows of each block."""
        return [block.stop - block.start for block in self.blocks]

    def draw(self, limit: int, seed: int) -> RowSample:
        """Up to `limit` distinct rows with the smallest hashes, and their counts."""
        drawn = [
            delay(_draw, source, parts, limit, seed, self.none) for source, parts in self.blocks
        ]
        return self.compute("sample of rows", reduce_as_tree(MergeSamples(limit), drawn))

    def number(self, finders: Sequence[Any], n_points: Sequence[int]) -> list[RowNumbers]:
        """The point that each finder gives every row; each finder has so many points."""
        shared = share(list(finders))
        counts = [int(n) for n in n_points]
        # The numbers stay on the cluster; if they are lost, they are computed again.
        found = persist(
            [delay(_number, source, parts, shared, counts) for source, parts in self.blocks]
        )
        totals = self.compute(
            "nearest points", reduce_as_tree(_merge_counts, [part_of(task, 1) for task in found])
        )
        numbers = [part_of(task, 0) for task in found]
        return [RowNumbers(_Numbers(numbers, i), *total) for i, total in enumerate(totals)]

    def look_up(self, tables: Sequence[Array], numbers: Sequence[_Numbers]) -> Ensemble:
        """The ensemble whose rows are those of the points, looked up when they are needed."""
        coding = _CodesOfPoints(tables, [own.place for own in numbers])
        return DaskEnsemble.of(DaskRows(numbers[0].blocks, self.lengths, coding, self.compute))

    def spread(self, made: Ensemble) -> DaskEnsemble:
        """An ensemble that was made in this process, in blocks on the cluster."""
        codes = np.asarray(made.codes)
        tasks = [share(codes[block.start : block.stop]) for block in self.blocks]
        numbering = Numbering([np.arange(count) for count in made.cluster_counts])
        rows = DaskRows(tasks, self.lengths, numbering, self.compute, made.n_missing)
        return DaskEnsemble.of(
            rows,
            partition_names=made.partition_names,
            models=made.models,
            weights=made.weights,
            details=made.details,
        )

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
    numbers = [
        np.empty(stop - start, np.uint16 if n <= _MOST_SMALL else np.int64) for n in n_points
    ]
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
