"""Passes over the rows of an ensemble, by blocks, for methods that are linear in the samples.

Six passes: overlaps of the clusters, weighted overlaps, rows by number, rows by hash, a label for
each row, distinct rows. `LocalRows` runs them on one machine with a few blocks of rows in memory;
`consensa.distributed` has the same on a Dask cluster. All sums are of integers and exact: they
depend neither on the blocks nor on the number of threads or machines.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.compile import compiling_pays
from consensa._machine.hashing import hash_rows
from consensa._machine.memory import require_square
from consensa._machine.progress import track
from consensa._machine.row_sample import RowSample, merge_row_samples, sample_rows
from consensa._machine.threads import n_threads, share_among_threads
from consensa.ensemble.appearance import number_by_appearance
from consensa.ensemble.equal_rows import distinct_rows
from consensa.ensemble.missing import MISSING
from consensa.ensemble.overlap_sum import OverlapSum, balance
from consensa.ensemble.overlaps import require_pairs, require_table
from consensa.ensemble.rows import (
    Assign,
    cluster_ids,
    count_meetings,
    in_blocks,
    sizes_of_clusters,
)

__all__ = ["LocalRows", "Numbered", "Rows"]


class Numbered(NamedTuple):
    """Labels numbered by first appearance.

    Attributes
    ----------
    labels : array of shape (n_samples,)
        The new labels.
    rank : ndarray
        New label of each old one; -1 for those that do not occur.
    """

    labels: Any
    rank: Array

    @property
    def n_labels(self) -> int:
        """Number of labels that occur."""
        return int(self.rank.max()) + 1


class Rows(Protocol):
    """The passes over the rows of an ensemble."""

    def overlap(self) -> sparse.csr_array:
        """Number of samples in each pair of clusters: integers, symmetric."""

    def sizes(self) -> Array:
        """Number of samples in each cluster."""

    def balanced_overlap(self, cluster_weights: Array) -> sparse.csr_array:
        """The overlap with weight 1/d for each sample, where d is the weight of its clusters."""

    def take(self, numbers: Array) -> Array:
        """Codes of these samples: int32 of shape (len(numbers), n_partitions)."""

    def sample(self, keys: Array, limit: int) -> RowSample:
        """Up to `limit` distinct rows with the smallest hashes, from a key per cluster."""

    def label(self, assign: Assign) -> Any:
        """Label of each sample."""

    def meetings(self, labels: Any, n_labels: int) -> Array:
        """Number of samples with each cluster and label: (clusters + 1, labels).

        The last row counts the samples of each label.
        """

    def score(self, function: Callable[[Array, Array], Array], labels: Any) -> Any:
        """A number for each sample, from its cluster ids and its label."""

    def distinct(self, limit: int) -> Array:
        """Different rows of codes, in lexicographic order; any `limit` of them if more."""

    def number(self, labels: Any) -> Numbered:
        """Number labels, integers from 0, by first appearance."""


class LocalRows:
    """Passes over rows on this machine, with blocks distributed over threads.

    `ends` are the first rows of the blocks, and the end; `read` returns the codes of a range.
    """

    def __init__(
        self, read: Callable[[int, int], Array], ends: Sequence[int], cluster_counts: Array
    ) -> None:
        self.read = read
        self.blocks = [(a, b) for a, b in pairwise(ends) if b > a]
        self.n_samples = int(ends[-1])
        self.cluster_counts = cluster_counts

    def _ids(self, start: int, stop: int) -> Array:
        return cluster_ids(self.read(start, stop), self.cluster_counts)

    def overlap(self) -> sparse.csr_array:
        """Number of samples in each pair of clusters."""
        return self._sum_overlap(lambda ids: None)

    def sizes(self) -> Array:
        """Number of samples in each cluster."""
        n_clusters = int(self.cluster_counts.sum())
        sizes = np.zeros(n_clusters, np.int64)
        for start, stop in self.blocks:
            sizes += sizes_of_clusters(self._ids(start, stop), n_clusters)
        return sizes

    def balanced_overlap(self, cluster_weights: Array) -> sparse.csr_array:
        """The overlap with weight 1/d for each sample, where d is the weight of its clusters."""
        weigh, unit = balance(cluster_weights, self.n_samples)
        return self._sum_overlap(weigh) * unit

    def take(self, numbers: Array) -> Array:
        """Codes of these samples."""
        codes = np.empty((len(numbers), len(self.cluster_counts)), np.int32)
        order = np.argsort(numbers)
        ordered = np.asarray(numbers)[order]
        for start, stop in self.blocks:
            low, high = np.searchsorted(ordered, [start, stop])
            if high > low:
                codes[order[low:high]] = self.read(start, stop)[ordered[low:high] - start]
        return codes

    def sample(self, keys: Array, limit: int) -> RowSample:
        """Up to `limit` distinct rows with the smallest hashes, from a key per cluster."""

        def parts(blocks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Array]]:
            for start, stop in blocks:
                place = start
                for part in in_blocks(self._ids(start, stop)):
                    yield place, part
                    place += len(part)
                advance()

        def draw(blocks: Sequence[tuple[int, int]]) -> RowSample:
            none = np.empty((0, len(self.cluster_counts)), np.int32)
            return sample_rows(parts(blocks), partial(hash_rows, keys=keys), limit, none)

        with track("sample of rows", len(self.blocks)) as advance:
            return merge_row_samples(share_among_threads(draw, self.blocks), limit)

    def label(self, assign: Assign) -> Array:
        """Label of each sample."""
        labels = np.empty(self.n_samples, np.int64)

        def work(start: int, ids: Array) -> None:
            labels[start : start + len(ids)] = assign(ids)

        self._each_block("labels", work)
        return labels

    def meetings(self, labels: Any, n_labels: int) -> Array:
        """Number of samples with each cluster and label; the last row counts the labels."""
        n_clusters = int(self.cluster_counts.sum())
        require_table(n_clusters + 1, n_labels, copies=1 + n_threads())
        met = np.zeros((n_clusters + 1, n_labels), np.int64)
        lock = threading.Lock()

        def work(start: int, ids: Array) -> None:
            own = self._labels(labels, ids, slice(start, start + len(ids)))
            counted = count_meetings(ids, own, met.shape)
            with lock:
                np.add(met, counted, out=met)

        self._each_block("meetings", work)
        return met

    def score(self, function: Callable[[Array, Array], Array], labels: Any) -> Array:
        """A number for each sample, from its cluster ids and its label."""
        scores = np.empty(self.n_samples)

        def work(start: int, ids: Array) -> None:
            rows = slice(start, start + len(ids))
            scores[rows] = function(ids, self._labels(labels, ids, rows))

        self._each_block("confidence", work)
        return scores

    def _labels(self, labels: Any, ids: Array, where: Any) -> Any:
        """Labels of rows at `where`, whose cluster ids were read already."""
        return labels[where]

    def distinct(self, limit: int) -> Array:
        """Different rows of codes, in lexicographic order."""
        rows = np.empty((0, len(self.cluster_counts)), np.int32)
        for start, stop in self.blocks:
            rows = distinct_rows([rows, self.read(start, stop)], limit)
            if len(rows) >= limit:
                break
        return rows

    def number(self, labels: Any) -> Numbered:
        """Number labels, integers from 0, by first appearance."""
        old = np.asarray(labels)
        numbered = number_by_appearance(old).astype(np.int64)
        rank = np.full(int(old.max()) + 1, MISSING)
        rank[old] = numbered
        return Numbered(numbered, rank)

    def _sum_overlap(self, weigh: Callable[[Array], Array | None]) -> sparse.csr_array:
        n_clusters = int(self.cluster_counts.sum())
        steps = 4 * self.n_samples * len(self.cluster_counts) ** 2
        compiled = compiling_pays(steps, alone=True)
        threads = n_threads() if compiled else 1
        if OverlapSum.has_table(n_clusters, compiled):
            require_square(
                n_clusters, np.int64, arrays=threads + 2, step="The overlap", of="clusters"
            )
        else:
            require_pairs(self.cluster_counts, self.n_samples)

        def add_up(blocks: Sequence[tuple[int, int]]) -> OverlapSum:
            total = OverlapSum(n_clusters, compiled)
            for start, stop in blocks:
                for part in in_blocks(self._ids(start, stop)):
                    total.add(part, weigh(part))
                advance()
            return total

        with track("overlap of the clusters", len(self.blocks)) as advance:
            if threads == 1:
                return add_up(self.blocks).matrix()
            sums = share_among_threads(add_up, self.blocks)
        for other in sums[1:]:
            sums[0].merge(other)
        return sums[0].matrix()

    def _each_block(self, step: str, work: Callable[[int, Array], None]) -> None:
        def run(blocks: Sequence[tuple[int, int]]) -> None:
            for start, stop in blocks:
                place = start
                for part in in_blocks(self._ids(start, stop)):
                    work(place, part)
                    place += len(part)
                advance()

        with track(step, len(self.blocks)) as advance:
            share_among_threads(run, self.blocks)
