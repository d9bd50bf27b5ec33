"""Overlaps of the clusters: stored, or counted cluster by cluster if there are too many.

A sparse matrix of the overlaps has an entry for each pair of clusters that share a sample: up to
n m² of them for n samples and m partitions, 32 GB for 300 samples and 3,000 partitions. Above
`MOST_PAIRS` the overlaps of one cluster at a time are counted, used and forgotten: in time O(n m²)
for all, and memory for the labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.hashing import mix, salted
from consensa._machine.memory import require_bytes
from consensa._machine.progress import track
from consensa._machine.threads import over_row_blocks, share_among_threads
from consensa.ensemble import _overlap_kernels as kernels
from consensa.ensemble.rows import offsets

if TYPE_CHECKING:
    from consensa.ensemble._ensemble import Ensemble

__all__ = [
    "BYTES_OF_A_LABEL",
    "BYTES_OF_A_PAIR",
    "MOST_PAIRS",
    "CountedOverlaps",
    "StoredOverlaps",
    "labeled_by_partition",
    "most_pairs",
    "overlaps_of",
    "require_pairs",
    "require_table",
]

MOST_PAIRS = 2**26  # pairs of clusters whose overlaps are stored
BYTES_OF_A_LABEL = 24  # its code, its cluster, its place in the list of members, copies
BYTES_OF_A_PAIR = 40  # its entry in the matrix, in a block that is added, and in another order
_CLUSTERS = 256  # of a task
_ENTRIES = 2**22  # of a stored matrix, used at a time
_SALT = 3
_ENTROPY_UNIT = 2.0**40  # sums of whole multiples of its inverse are the same in every order


def most_pairs(cluster_counts: Array, n_samples: int) -> int:
    """Maximum number of pairs of clusters that share a sample.

    Two partitions have at most as many such pairs as there are samples.
    """
    counts, times = np.unique(cluster_counts, return_counts=True)
    pairs = np.minimum(np.multiply.outer(counts, counts), n_samples)
    return int(times @ pairs @ times)


def require_pairs(cluster_counts: Array, n_samples: int) -> None:
    """Raise `NotEnoughMemoryError` unless the overlaps of the clusters fit in memory, sparse."""
    pairs = most_pairs(cluster_counts, n_samples)
    require_bytes(
        float(pairs) * BYTES_OF_A_PAIR,
        step=f"The overlap of {int(cluster_counts.sum())} clusters",
        why=f"{pairs} pairs of clusters that can share a sample",
        remedy="Use fewer partitions, partitions with fewer clusters, or a machine with more "
        "memory.",
        often=True,
    )


def require_table(n_clusters: int, n_labels: int, *, copies: int) -> None:
    """Raise `NotEnoughMemoryError` unless tables of clusters and consensus clusters fit."""
    require_bytes(
        8.0 * copies * n_clusters * n_labels,
        step="The overlap of base clusters and consensus clusters",
        why=f"{copies} tables of {n_clusters} × {n_labels}",
        remedy="Use fewer partitions or clusters, or a machine with more memory.",
        often=True,
    )


def overlaps_of(ensemble: Ensemble) -> StoredOverlaps | CountedOverlaps:
    """The overlaps of the clusters of an ensemble."""
    if ensemble.stores_overlap:
        return StoredOverlaps(ensemble.overlap)
    return CountedOverlaps(ensemble)


def labeled_by_partition(overlap: sparse.csr_array, cluster_counts: Array) -> Array:
    """Number of samples of each cluster, a row of `overlap`, that each partition labels.

    Each of them lies in one cluster of the partition: it is the sum of the overlaps with these.
    """
    n_partitions = len(cluster_counts)
    partition = np.repeat(np.arange(n_partitions), cluster_counts)
    cells = overlap.tocoo().row, partition[overlap.indices]
    shape = (overlap.shape[0], n_partitions)
    return sparse.coo_array((overlap.data, cells), shape=shape).toarray()


class StoredOverlaps:
    """Overlaps in a sparse matrix."""

    def __init__(self, matrix: sparse.csr_array) -> None:
        self.matrix = matrix
        self.sizes = matrix.diagonal()

    def hashes_seen(self, hashes: Array) -> Array:
        """For each cluster, the sum of mix(hash + overlap) over the clusters that it overlaps."""
        seen = np.empty(len(self.sizes), np.uint64)
        for rows in self.blocks():
            part = self.matrix[rows]
            shares = mix(hashes[part.indices] + part.data.astype(np.uint64), _SALT)
            seen[rows] = np.add.reduceat(shares, part.indptr[:-1])
        return seen

    def shared(self, clusters: Array, others: Array) -> Array:
        """Number of samples in both of two clusters, for each pair of `clusters` and `others`."""
        return np.asarray(self.matrix[clusters, others]).ravel()

    def of(self, clusters: slice) -> sparse.csr_array:
        """Overlaps of these clusters with all clusters."""
        return self.matrix[clusters]

    def blocks(self) -> list[slice]:
        """Slices of the clusters, with a bounded number of entries each if no row has more."""
        ends, n_clusters = self.matrix.indptr, len(self.sizes)
        cuts = np.searchsorted(ends, np.arange(_ENTRIES, ends[-1], _ENTRIES), side="right") - 1
        bounds = np.unique([0, *cuts, n_clusters])
        return [slice(int(a), int(b)) for a, b in pairwise(bounds)]


class CountedOverlaps:
    """Overlaps that are counted when they are needed."""

    def __init__(self, ensemble: Ensemble) -> None:
        require_bytes(
            float(ensemble.n_samples) * ensemble.n_partitions * BYTES_OF_A_LABEL,
            step=f"Counting the overlaps of {ensemble.n_clusters} clusters",
            why="all labels",
            remedy="Use fewer samples or partitions, or a machine with more memory.",
        )
        self.ids = np.ascontiguousarray(ensemble.cluster_ids.T)  # (partitions, samples)
        # The first cluster of each partition, then the number of clusters.
        self.first = np.append(offsets(ensemble.cluster_counts), ensemble.n_clusters)
        # The samples of each cluster, and a one for each.
        self.membership = ensemble.membership(np.int8).tocsc()
        self.sizes = np.diff(self.membership.indptr).astype(np.int64)

    def hashes_seen(self, hashes: Array) -> Array:
        """For each cluster, the sum of mix(hash + overlap) over the clusters that it overlaps."""
        salt = salted(_SALT)[0]
        starts = range(0, len(self.sizes), _CLUSTERS)

        def add_up(starts: Sequence[int]) -> Array:
            sums = np.zeros(len(self.sizes), np.uint64)
            for start in starts:
                stop = min(start + _CLUSTERS, len(sums))
                kernels.add_hashes(*self._labels, start, stop, hashes, salt, sums)
                advance()
            return sums

        with track("overlap of the clusters", len(starts)) as advance:
            parts = share_among_threads(add_up, starts)
        return np.asarray(np.sum(parts, axis=0, dtype=np.uint64))

    def shared(self, clusters: Array, others: Array) -> Array:
        """Number of samples in both of two clusters, for each pair of `clusters` and `others`."""
        ones = self.membership.astype(np.int64)
        both = ones[:, clusters] * ones[:, others]
        return np.asarray(both.sum(axis=0)).ravel()

    def of(self, clusters: slice) -> sparse.csr_array:
        """Overlaps of these clusters with all clusters."""
        ones = self.membership.astype(np.int64)
        return sparse.csr_array(ones[:, clusters].T @ ones)

    def entropies(self) -> tuple[Array, Array]:
        """Entropy of the parts of each cluster in all partitions, and how many of them label it.

        Sums of integers, so that they do not depend on the order.
        """
        sums, seen = np.empty((2, len(self.sizes)), np.int64)
        logs = np.log2(np.maximum(np.arange(self.sizes.max() + 1), 1))

        def work(start: int, stop: int) -> None:
            kernels.sum_entropies(*self._labels, start, stop, logs, _ENTROPY_UNIT, sums, seen)
            advance()

        with track("entropy of the clusters", -(-len(sums) // _CLUSTERS)) as advance:
            over_row_blocks(work, len(sums), _CLUSTERS)
        return sums / _ENTROPY_UNIT, seen

    @property
    def _labels(self) -> tuple[Array, Array, Array, Array]:
        return self.ids, self.first, self.membership.indices, self.membership.indptr
