"""The passes of `consensa.ensemble.rows` over blocks of rows on a Dask cluster.

Each block is a task. The size of what is returned to this process depends on the number of
clusters or on a bounded sample, never on the number of samples. Sums are of integers, merged along
a tree: the results depend neither on the chunks nor on the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.hashing import hash_rows
from consensa._machine.row_sample import RowSample, merge_row_samples, sample_rows
from consensa.distributed._cluster import (
    Computes,
    dask_array,
    delay,
    nbytes_of_table,
    part_of,
    persist,
    reduce_as_tree,
    require_on_workers,
    share,
)
from consensa.ensemble.appearance import first_places
from consensa.ensemble.equal_rows import distinct_rows
from consensa.ensemble.missing import MISSING, is_labeled
from consensa.ensemble.overlap_sum import OverlapSum, balance
from consensa.ensemble.overlaps import BYTES_OF_A_PAIR, most_pairs
from consensa.ensemble.passes import Numbered
from consensa.ensemble.rows import (
    Assign,
    cluster_ids,
    count_meetings,
    in_blocks,
    sizes_of_clusters,
)

__all__ = ["Coding", "DaskRows", "MergeSamples"]

_ROWS = 2**16  # whose codes are in memory at once


class Coding(Protocol):
    """Converts blocks of rows to codes: a `Numbering` of labels, or a look-up of points."""

    distinct: tuple[Array, ...]

    def codes(self, block: Any) -> Array:
        """Codes of a block: int32 of shape (rows, partitions), -1 for a missing label."""


class DaskRows:
    """Passes over delayed blocks of labels, with their lengths and the numbering of the labels."""

    def __init__(
        self,
        blocks: Sequence[Any],
        lengths: Sequence[int],
        numbering: Coding,
        log: Computes,
        n_missing: int = 0,
    ) -> None:
        self.blocks, self.lengths, self.compute = blocks, list(lengths), log
        self.numbering, self.n_missing = numbering, n_missing
        self.starts = [0, *accumulate(lengths)]
        self.n_samples = self.starts[-1]
        self.cluster_counts = np.array([len(values) for values in numbering.distinct])
        self.n_clusters = int(self.cluster_counts.sum())
        # One task that all others depend on: sent to each worker once.
        self.coder = delay(_Coder, numbering, self.cluster_counts)
        self._counted: tuple[Any, list[Any]] | None = None  # labels and their counts
        self._numbered: tuple[Any, Numbered, Array] | None = None
        self._overlap: sparse.csr_array | None = None

    def brought_here(self) -> DaskRows:
        """The same with blocks in this process, if these are small and cannot be read again."""
        if not getattr(self.numbering, "blocks_are_small", False):
            return self
        found = self.compute("points of samples", delay(list, self.blocks))
        blocks = [share(block) for block in found]
        here = DaskRows(blocks, self.lengths, self.numbering, self.compute, self.n_missing)
        here._overlap = self._overlap
        return here

    def codes(self) -> Any:
        """Codes of all rows, as a Dask array."""
        shape = len(self.cluster_counts)
        blocks = [delay(_codes, block, self.coder) for block in self.blocks]
        return self._array(blocks, np.int32, shape)

    def overlap(self) -> sparse.csr_array:
        """Number of samples in each pair of clusters; summed once."""
        if self._overlap is None:
            self._overlap = self._sum_overlap("overlap", None)
        return self._overlap

    def balanced_overlap(self, cluster_weights: Array) -> sparse.csr_array:
        """The overlap with weight 1/d for each sample, where d is the weight of its clusters."""
        weigh, unit = balance(cluster_weights, self.n_samples)
        return self._sum_overlap("weighted overlap", weigh) * unit

    def sizes(self) -> Array:
        """Number of samples in each cluster."""
        parts = [delay(_sizes, block, self.coder) for block in self.blocks]
        return self.compute("cluster sizes", reduce_as_tree(_add, parts))

    def take(self, numbers: Array) -> Array:
        """Codes of these samples."""
        order = np.argsort(numbers)
        ordered = np.asarray(numbers)[order]
        ends = np.searchsorted(ordered, self.starts)
        parts = [
            delay(_take, block, self.coder, ordered[low:high] - start)
            for block, start, low, high in zip(
                self.blocks, self.starts, ends, ends[1:], strict=False
            )
            if high > low
        ]
        taken = self.compute("sample of rows", delay(np.concatenate, parts))
        codes = np.empty_like(taken)
        codes[order] = taken
        return codes

    def sample(self, keys: Array, limit: int) -> RowSample:
        """Up to `limit` distinct rows: those of the smallest hashes, from a key per cluster."""
        shared = share(keys)
        parts = [
            delay(_sample, block, self.coder, start, shared, limit)
            for block, start in zip(self.blocks, self.starts, strict=False)
        ]
        return self.compute("sample of rows", reduce_as_tree(MergeSamples(limit), parts))

    def label(self, assign: Assign) -> Any:
        """Label of each sample, as a Dask array that is being computed."""
        shared = share(assign)
        # Labels are counted now, so that their block is not read again.
        blocks = persist(
            [
                delay(_label_and_count, block, self.coder, shared, start)
                for block, start in zip(self.blocks, self.starts, strict=False)
            ]
        )
        labels = self._array([part_of(block, 0) for block in blocks], np.int64)
        self._counted = labels, [part_of(block, 1) for block in blocks]
        return labels

    def meetings(self, labels: Any, n_labels: int) -> Array:
        """Number of samples with each cluster and label; the last row counts the labels."""
        if self._numbered is None or labels is not self._numbered[1].labels:
            pieces = self._pieces(labels)
            parts = [
                delay(_meet, block, own, self.coder)
                for block, own in zip(self.blocks, pieces, strict=True)
            ]
            return _padded(self.compute("meetings", reduce_as_tree(_add_padded, parts)), n_labels)
        _, numbered, met = self._numbered
        columns = np.flatnonzero(is_labeled(numbered.rank))
        return met[:, columns[np.argsort(numbered.rank[columns])]]

    def score(self, function: Callable[[Array, Array], Array], labels: Any) -> Any:
        """A number for each sample, as a lazy Dask array."""
        shared = share(function)
        blocks = [
            delay(_score, block, own, self.coder, shared)
            for block, own in zip(self.blocks, self._pieces(labels), strict=True)
        ]
        return self._array(blocks, np.float64)

    def distinct(self, limit: int) -> Array:
        """Distinct rows of codes, in lexicographic order."""
        parts = [delay(_distinct, block, self.coder, limit) for block in self.blocks]
        merged = reduce_as_tree(_Distinct(limit), parts)
        return self.compute("distinct rows", merged)

    def number(self, labels: Any) -> Numbered:
        """Number labels, integers from 0, by first appearance."""
        if self._numbered is not None and labels is self._numbered[1].labels:
            return self._numbered[1]
        pieces = self._pieces(labels)
        if self._counted is not None and labels is self._counted[0]:
            counted = self._counted[1]
        else:
            counted = [
                delay(_count, block, own, self.coder, start)
                for block, own, start in zip(self.blocks, pieces, self.starts, strict=False)
            ]
        first, met = self.compute("numbering", reduce_as_tree(_merge_counts, counted))
        occurs = np.flatnonzero(first < self.n_samples)
        rank = np.full(len(first), MISSING)
        rank[occurs[np.argsort(first[occurs])]] = np.arange(len(occurs))
        blocks = persist([delay(np.take, rank, own) for own in pieces])
        numbered = Numbered(self._array(blocks, np.int64), rank)
        self._numbered = labels, numbered, met
        return numbered

    def _sum_overlap(self, step: str, weigh: Any) -> sparse.csr_array:
        if OverlapSum.has_table(self.n_clusters, compiled=True):
            needed = 3 * nbytes_of_table(self.n_clusters)
        else:
            needed = BYTES_OF_A_PAIR * most_pairs(self.cluster_counts, self.n_samples)
        require_on_workers(needed, "The overlap of the clusters")
        shared = share(weigh)
        parts = [delay(_overlap, block, self.coder, shared) for block in self.blocks]
        total = OverlapSum(0, compiled=False)
        total.table = self.compute(step, reduce_as_tree(_add, parts))
        return total.matrix()

    def _pieces(self, labels: Any) -> list[Any]:
        """The labels of each block."""
        if isinstance(labels, np.ndarray):
            ranges = zip(self.starts, self.lengths, strict=False)
            return [share(labels[start : start + length]) for start, length in ranges]
        return list(labels.to_delayed())

    def _array(self, blocks: Sequence[Any], dtype: Any, *columns: int) -> Any:
        da = dask_array()
        return da.concatenate(
            [
                da.from_delayed(block, shape=(length, *columns), dtype=dtype)
                for block, length in zip(blocks, self.lengths, strict=True)
            ],
            allow_unknown_chunksizes=True,
        )


class _Coder:
    """Conversion of a block to codes and cluster ids."""

    def __init__(self, numbering: Coding, cluster_counts: Array) -> None:
        self.numbering, self.cluster_counts = numbering, cluster_counts
        self.n_clusters = int(cluster_counts.sum())

    def ids(self, block: Any) -> Iterator[Array]:
        """Cluster ids, in parts that fit in the caches; a few parts are in memory."""
        n_rows = len(block[0]) if isinstance(block, list) else len(block)
        for start in range(0, n_rows, _ROWS):
            codes = self.numbering.codes(_part(block, slice(start, start + _ROWS)))
            yield from in_blocks(cluster_ids(codes, self.cluster_counts))


def _part(block: Any, rows: Any) -> Any:
    """Rows of a block: an array, or a list of columns."""
    return [column[rows] for column in block] if isinstance(block, list) else block[rows]


# ---- tasks -----------------------------------------------------------------------------------


def _codes(block: Any, coder: _Coder) -> Array:
    return coder.numbering.codes(block)


def _overlap(block: Any, coder: _Coder, weigh: Any) -> Any:
    total = OverlapSum(coder.n_clusters, compiled=True)
    for ids in coder.ids(block):
        total.add(ids, None if weigh is None else weigh(ids))
    return total.table


def _sizes(block: Any, coder: _Coder) -> Array:
    sizes = np.zeros(coder.n_clusters, np.int64)
    for ids in coder.ids(block):
        sizes += sizes_of_clusters(ids, coder.n_clusters)
    return sizes


def _take(block: Any, coder: _Coder, places: Array) -> Array:
    return coder.numbering.codes(_part(block, places))


def _sample(block: Any, coder: _Coder, start: int, keys: Array, limit: int) -> RowSample:
    none = np.empty((0, len(coder.cluster_counts)), np.int32)
    numbered = _from(start, coder.ids(block))
    return sample_rows(numbered, partial(hash_rows, keys=keys), limit, none)


def _from(start: int, parts: Iterator[Array]) -> Iterator[tuple[int, Array]]:
    for part in parts:
        yield start, part
        start += len(part)


def _label_and_count(block: Any, coder: _Coder, assign: Assign, start: int) -> tuple[Array, Any]:
    parts = [assign(ids).astype(np.int64) for ids in coder.ids(block)]
    labels = np.concatenate([np.empty(0, np.int64), *parts])
    return labels, _count(block, labels, coder, start)


def _count(block: Any, labels: Array, coder: _Coder, start: int) -> tuple[Array, Array]:
    """First row of each label, and its overlap with each cluster."""
    return _first(labels, start), _meet(block, labels, coder)


def _merge_counts(parts: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    places, met = zip(*parts, strict=True)
    return _earliest(places), _add_padded(met)


def _score(block: Any, labels: Array, coder: _Coder, function: Any) -> Array:
    parts, start = [np.empty(0)], 0
    for ids in coder.ids(block):
        parts.append(function(ids, labels[start : start + len(ids)]))
        start += len(ids)
    return np.concatenate(parts)


def _meet(block: Any, labels: Array, coder: _Coder) -> Array:
    shape = (coder.n_clusters + 1, int(labels.max(initial=-1)) + 1)
    met, start = np.zeros(shape, np.int64), 0
    for ids in coder.ids(block):
        met += count_meetings(ids, labels[start : start + len(ids)], shape)
        start += len(ids)
    return met


def _first(labels: Array, start: int) -> Array:
    n_labels = int(labels.max(initial=-1)) + 1
    first = first_places(labels, n_labels)
    return np.where(first < len(labels), first + start, _NOWHERE)


_NOWHERE = np.iinfo(np.int64).max


def _earliest(parts: Sequence[Array]) -> Array:
    first = np.full(max(map(len, parts)), _NOWHERE)
    for part in parts:
        first[: len(part)] = np.minimum(first[: len(part)], part)
    return first


def _add(parts: Sequence[Any]) -> Any:
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def _add_padded(parts: Sequence[Array]) -> Array:
    widest = max(part.shape[1] for part in parts)
    return _add([_padded(part, widest) for part in parts])


def _padded(table: Array, width: int) -> Array:
    return np.pad(table, ((0, 0), (0, max(width - table.shape[1], 0))))


def _distinct(block: Any, coder: _Coder, limit: int) -> Array:
    return distinct_rows([coder.numbering.codes(block)], limit)


class _Distinct:
    """Merges distinct rows, up to a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __call__(self, parts: Sequence[Array]) -> Array:
        return distinct_rows(parts, self.limit)


class MergeSamples:
    """Merges samples of rows, up to a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __call__(self, parts: Sequence[RowSample]) -> RowSample:
        return merge_row_samples(parts, self.limit)
