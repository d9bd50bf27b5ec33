"""What the methods that are linear in the samples do to the rows of an ensemble, by blocks.

Six passes: how clusters overlap, the same weighted, some rows by number, some by hash, a label
for each row, distinct rows. `LocalRows` does them on one machine with never more than a few
blocks of rows in memory; `consensa.distributed` has the same on a cluster. All sums are of whole
numbers, and so exact: neither the blocks nor the number of threads or machines can change them.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.memory import require_square
from consensa._machine.progress import track
from consensa._machine.threads import n_threads, share_among_threads
from consensa.ensemble.labels import MISSING, number_by_appearance
from consensa.ensemble.row_sample import RowSample, merge_row_samples, sample_rows

__all__ = [
    "TABLE_UP_TO",
    "Assign",
    "LocalRows",
    "Numbered",
    "OverlapSum",
    "Rows",
    "add_rows_of_table",
    "balance",
    "cluster_ids",
    "count_meetings",
    "distinct_rows",
    "mean_company",
    "nearest_centers",
]

Assign = Callable[[Array], Array]
"""From the cluster ids of some rows, of shape (rows, partitions), to a label for each."""

_BLOCK = 2**14  # rows worked on at once: a few arrays of them stay in the second cache
_COMPILED_FROM = 20_000  # samples; below, the sparse product is quicker than loading the compiler
_COMPILED_BLOCK = 2**14  # rows; below, NumPy is quick enough
TABLE_UP_TO = 8_000  # clusters; above, most of a table of all pairs could be zeros


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
        """How many labels occur."""
        return int(self.rank.max()) + 1


class Rows(Protocol):
    """The passes over the rows of an ensemble."""

    def overlap(self) -> sparse.csr_array:
        """Number of samples in each pair of clusters: whole numbers, symmetric."""

    def sizes(self) -> Array:
        """Number of samples in each cluster."""

    def balanced_overlap(self, cluster_weights: Array) -> sparse.csr_array:
        """The overlap with the weight 1/d for each sample, d the weight of its clusters."""

    def take(self, numbers: Array) -> Array:
        """Codes of these samples: int32 of shape (len(numbers), n_partitions)."""

    def sample(self, keys: Array, limit: int) -> RowSample:
        """Up to `limit` distinct rows: those of the smallest hashes, from a key per cluster."""

    def label(self, assign: Assign) -> Any:
        """Label of each sample."""

    def meetings(self, labels: Any, n_labels: int) -> Array:
        """Samples that each cluster shares with each label: (clusters + 1, labels).

        The last row counts the samples of each label.
        """

    def score(self, function: Callable[[Array, Array], Array], labels: Any) -> Any:
        """A number for each sample, from its cluster ids and its label."""

    def distinct(self, limit: int) -> Array:
        """Different rows of codes, in lexicographic order; any `limit` of them if more."""

    def number(self, labels: Any) -> Numbered:
        """Number labels, whole numbers from 0, by first appearance."""


class LocalRows:
    """Passes over rows that this machine reads, by blocks that its threads share.

    `ends` are the rows at which blocks begin, and the end; `read` gives the codes of a range.
    """

    def __init__(
        self, read: Callable[[int, int], Array], ends: Sequence[int], cluster_counts: Array
    ) -> None:
        self.read = read
        self.blocks = [(a, b) for a, b in pairwise(ends) if b > a]
        self.n_samples = int(ends[-1])
        self.cluster_counts = cluster_counts

    def overlap(self) -> sparse.csr_array:
        """Number of samples in each pair of clusters."""
        return self._sum_overlap(lambda ids: None)

    def sizes(self) -> Array:
        """Number of samples in each cluster."""
        n_clusters = int(self.cluster_counts.sum())
        sizes = np.zeros(n_clusters, np.int64)
        for start, stop in self.blocks:
            ids = cluster_ids(self.read(start, stop), self.cluster_counts)
            sizes += np.bincount(ids[ids != MISSING], minlength=n_clusters)
        return sizes

    def balanced_overlap(self, cluster_weights: Array) -> sparse.csr_array:
        """The overlap with the weight 1/d for each sample, d the weight of its clusters."""
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
        """Up to `limit` distinct rows: those of the smallest hashes, from a key per cluster."""

        def parts(blocks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Array]]:
            for start, stop in blocks:
                ids = cluster_ids(self.read(start, stop), self.cluster_counts)
                for place in range(0, len(ids), _BLOCK):
                    yield start + place, ids[place : place + _BLOCK]
                advance()

        def draw(blocks: Sequence[tuple[int, int]]) -> RowSample:
            return sample_rows(parts(blocks), keys, limit, len(self.cluster_counts))

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
        """Samples that each cluster shares with each label; the last row counts the labels."""
        n_clusters = int(self.cluster_counts.sum())
        met = np.zeros((n_clusters + 1, n_labels), np.int64)
        lock = threading.Lock()

        def work(start: int, ids: Array) -> None:
            counted = count_meetings(ids, labels[start : start + len(ids)], met.shape)
            with lock:
                np.add(met, counted, out=met)

        self._each_block("meetings", work)
        return met

    def score(self, function: Callable[[Array, Array], Array], labels: Any) -> Array:
        """A number for each sample, from its cluster ids and its label."""
        scores = np.empty(self.n_samples)

        def work(start: int, ids: Array) -> None:
            rows = slice(start, start + len(ids))
            scores[rows] = function(ids, labels[rows])

        self._each_block("confidence", work)
        return scores

    def distinct(self, limit: int) -> Array:
        """Different rows of codes, in lexicographic order."""
        rows = np.empty((0, len(self.cluster_counts)), np.int32)
        for start, stop in self.blocks:
            rows = distinct_rows([rows, self.read(start, stop)], limit)
            if len(rows) >= limit:
                break
        return rows

    def number(self, labels: Any) -> Numbered:
        """Number labels, whole numbers from 0, by first appearance."""
        old = np.asarray(labels)
        numbered = number_by_appearance(old).astype(np.int64)
        rank = np.full(int(old.max()) + 1, -1)
        rank[old] = numbered
        return Numbered(numbered, rank)

    def _sum_overlap(self, weigh: Callable[[Array], Array | None]) -> sparse.csr_array:
        n_clusters = int(self.cluster_counts.sum())
        compiled = self.n_samples > _COMPILED_FROM
        threads = n_threads() if compiled else 1
        if OverlapSum.has_table(n_clusters, compiled):
            require_square(
                n_clusters, np.int64, arrays=threads + 2, step="The overlap", of="clusters"
            )

        def add_up(blocks: Sequence[tuple[int, int]]) -> OverlapSum:
            total = OverlapSum(n_clusters, compiled)
            for start, stop in blocks:
                ids = cluster_ids(self.read(start, stop), self.cluster_counts)
                for part in _parts(ids):
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
                ids = cluster_ids(self.read(start, stop), self.cluster_counts)
                for place in range(0, len(ids), _BLOCK):
                    work(start + place, ids[place : place + _BLOCK])
                advance()

        with track(step, len(self.blocks)) as advance:
            share_among_threads(run, self.blocks)


class OverlapSum:
    """Overlap of clusters, added up block by block."""

    def __init__(self, n_clusters: int, compiled: bool) -> None:
        self.n_clusters = n_clusters
        shape = (n_clusters, n_clusters)
        self.table: Any = (
            np.zeros(shape, np.int64)
            if self.has_table(n_clusters, compiled)
            else sparse.csr_array(shape, dtype=np.int64)
        )

    @staticmethod
    def has_table(n_clusters: int, compiled: bool) -> bool:
        """Whether the pairs of clusters are counted in a table, not in a sparse matrix."""
        return compiled and n_clusters <= TABLE_UP_TO

    def add(self, ids: Array, weights: Array | None) -> None:
        """Add rows, each with its weight (1 if None)."""
        weights = np.ones(len(ids), np.int64) if weights is None else weights
        if isinstance(self.table, np.ndarray):
            from consensa.ensemble._row_kernels import add_overlap  # compiles on first use

            add_overlap(np.ascontiguousarray(ids.T), weights, self.table)
            return
        present = ids != MISSING
        ends = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
        columns, shape = ids[present], (len(ids), self.n_clusters)
        ones = sparse.csr_array((np.ones(len(columns), np.int64), columns, ends), shape=shape)
        scaled = sparse.csr_array((np.repeat(weights, np.diff(ends)), columns, ends), shape=shape)
        self.table = self.table + ones.T @ scaled

    def merge(self, other: OverlapSum) -> None:
        """Add what another one has counted."""
        self.table += other.table

    def matrix(self) -> sparse.csr_array:
        """The sums of both halves."""
        if isinstance(self.table, np.ndarray):
            diagonal = np.diagonal(self.table).copy()
            whole = self.table + self.table.T
            np.einsum("ii->i", whole)[...] = diagonal
            return sparse.csr_array(whole)
        whole = sparse.csr_array(self.table)
        whole.sort_indices()
        return whole


def cluster_ids(codes: Array, cluster_counts: Array) -> Array:
    """Codes numbered over all partitions, as int32; -1 stays -1."""
    offsets = (np.cumsum(cluster_counts) - cluster_counts).astype(np.int32)
    ids = np.add(codes, offsets, dtype=np.int32, casting="unsafe")
    if codes.dtype.kind == "i" and codes.size and codes.min() < 0:
        ids[codes < 0] = MISSING
    return ids


def balance(cluster_weights: Array, n_samples: int) -> tuple[Callable[[Array], Array], float]:
    """Weigh samples by 1/d, d the sum of the weights of their clusters, in whole units.

    The units are so small that the weights of all samples together fill 62 bits: sums of them
    are exact, and lose no more than 1 part in 2^62 / n.
    """
    positive = cluster_weights[cluster_weights > 0]
    least = float(positive.min(initial=1.0))  # d is at least this, or 0
    scale = 2.0 ** (61 - math.ceil(math.log2(max(n_samples, 2))))
    padded = np.append(cluster_weights, 0.0)  # where the id is -1

    def weigh(ids: Array) -> Array:
        # In the order of the weights, so that the order of the partitions cannot change a bit.
        total = np.sort(padded[ids], axis=1).sum(axis=1)
        share = np.divide(least, total, out=np.zeros_like(total), where=total > 0)
        return np.rint(scale * share).astype(np.int64)

    return weigh, 1 / (scale * least)


def add_rows_of_table(ids: Array, table: Array) -> Array:
    """Sum of the rows of `table` that each row of `ids` names: (rows, columns of the table).

    Added in the order of the partitions, compiled or not: equal to the last bit.
    """
    if len(ids) >= _COMPILED_BLOCK:
        from consensa.ensemble import _row_kernels as kernels  # compiles on first use

        out = np.empty((len(ids), table.shape[1]))
        kernels.add_rows_of_table(np.ascontiguousarray(ids), table, out)
        return out
    padded = np.vstack([table, np.zeros(table.shape[1])])  # where the id is -1
    total = np.zeros((len(ids), table.shape[1]))
    for column in ids.T:
        total += padded[column]
    return total


def nearest_centers(points: Array, centers: Array) -> Array:
    """Number of the center, a row of `centers`, nearest to each point; the first on ties.

    Squares are added in the order of the dimensions, compiled or not: equal to the last bit.
    """
    columns = np.ascontiguousarray(centers.T, dtype=np.float64)
    if len(points) >= _COMPILED_BLOCK:
        from consensa.ensemble import _row_kernels as kernels  # compiles on first use

        labels = np.empty(len(points), np.int64)
        kernels.nearest_centers(np.ascontiguousarray(points, dtype=np.float64), columns, labels)
        return labels
    distance = np.zeros((len(points), len(centers)))
    for x, center in zip(points.T, columns, strict=True):
        distance += np.square(x[:, None] - center)
    return np.argmin(distance, axis=1)


def count_meetings(ids: Array, labels: Array, shape: tuple[int, int]) -> Array:
    """How many of some rows each cluster shares with each label; the labels in the last row."""
    n_labels = shape[1]
    met = np.zeros(shape, np.int64)
    if len(ids) >= _COMPILED_BLOCK:
        from consensa.ensemble import _row_kernels as kernels  # compiles on first use

        kernels.add_meetings(ids, labels, met)
        return met
    for column in ids.T:
        present = column >= 0
        pairs = column[present].astype(np.int64) * n_labels + labels[present]
        counts = np.bincount(pairs)
        met.ravel()[: len(counts)] += counts
    met[-1] = np.bincount(labels, minlength=n_labels)
    return met


def mean_company(ids: Array, labels: Array, met: Array, sizes: Array, alone: Array) -> Array:
    """Mean share of a sample's companions in its base clusters that have its label.

    `met` are the meetings of clusters and labels, `sizes` those of the clusters, `alone` says
    which labels one sample has. A base cluster of one sample counts 1 if that label is alone too,
    else not at all.
    """
    if len(ids) >= _COMPILED_BLOCK:
        from consensa.ensemble import _row_kernels as kernels  # compiles on first use

        out = np.empty(len(ids))
        kernels.mean_company(ids, labels, met, sizes, alone, out)
        return out
    together, sizes = met[ids, labels[:, None]], np.append(sizes, 0)[ids]
    single = sizes == 1
    part = np.where(single, 1.0, (together - 1) / np.maximum(sizes - 1, 1))
    counts = (ids != MISSING) & (~single | alone[labels][:, None])
    return np.where(counts, part, 0.0).sum(axis=1) / np.maximum(counts.sum(axis=1), 1)


def distinct_rows(parts: Sequence[Array], limit: int) -> Array:
    """Different rows of the parts, in lexicographic order; the first `limit` of them."""
    return np.unique(np.concatenate(parts), axis=0)[:limit]


def _parts(ids: Array) -> list[Array]:
    return [ids[start : start + _BLOCK] for start in range(0, len(ids), _BLOCK)]
