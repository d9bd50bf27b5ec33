"""Operations on some rows of an ensemble: a block, or representatives.

Rows are given by their cluster ids: the clusters of all partitions are numbered consecutively,
starting with the first partition. The result for a row depends on that row alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.compile import compiling_pays
from consensa.ensemble import _row_kernels as kernels
from consensa.ensemble.missing import MISSING, is_labeled, is_missing

__all__ = [
    "Assign",
    "add_rows_of_table",
    "cluster_ids",
    "cluster_slices",
    "count_meetings",
    "in_blocks",
    "mean_company",
    "membership",
    "nearest_centers",
    "offsets",
    "sizes_of_clusters",
    "sums_by_partition",
]

Assign = Callable[[Array], Array]
"""Function from the cluster ids of some rows, of shape (rows, partitions), to their labels."""

_BLOCK = 2**14  # rows of one step: a few arrays of them fit in the L2 cache


def offsets(cluster_counts: Array) -> Array:
    """Number of the first cluster of each partition, numbered over all partitions."""
    return np.cumsum(cluster_counts) - cluster_counts


def cluster_slices(cluster_counts: Array) -> list[slice]:
    """Slice of the clusters of each partition among those of all partitions."""
    pairs = zip(offsets(cluster_counts), cluster_counts, strict=True)
    return [slice(first, first + count) for first, count in pairs]


def sums_by_partition(values: Array, cluster_counts: Array, axis: int = 0) -> Array:
    """Sums over the clusters of each partition, which are consecutive along the axis."""
    return np.asarray(np.add.reduceat(values, offsets(cluster_counts), axis=axis))


def cluster_ids(codes: Array, cluster_counts: Array) -> Array:
    """Codes numbered over all partitions, as int32; -1 stays -1."""
    first = offsets(cluster_counts).astype(np.int32)
    ids = np.add(codes, first, dtype=np.int32, casting="unsafe")
    if codes.dtype.kind == "i" and codes.size and is_missing(codes.min()):
        ids[is_missing(codes)] = MISSING
    return ids


def membership(ids: Array, n_clusters: int, dtype: Any = np.float64) -> sparse.csr_array:
    """Membership of the rows in the clusters: sparse (rows, clusters), a one for each label."""
    present = is_labeled(ids)
    ends = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    ones = np.ones(int(ends[-1]), dtype)
    return sparse.csr_array((ones, ids[present], ends), shape=(len(ids), n_clusters))


def sizes_of_clusters(ids: Array, n_clusters: int) -> Array:
    """Number of the rows in each cluster."""
    return np.bincount(ids[is_labeled(ids)], minlength=n_clusters)


def in_blocks(ids: Array) -> Iterator[Array]:
    """The rows in parts that fit in the caches."""
    return (ids[start : start + _BLOCK] for start in range(0, len(ids), _BLOCK))


def add_rows_of_table(ids: Array, table: Array) -> Array:
    """For each row of `ids`, the sum of the rows of `table` with these numbers.

    Added in the order of the partitions, compiled or not: bitwise equal.
    """
    if compiling_pays(ids.size * table.shape[1]):
        out = np.empty((len(ids), table.shape[1]))
        kernels.add_rows_of_table(np.ascontiguousarray(ids), table, out)
        return out
    padded = np.vstack([table, np.zeros(table.shape[1])])  # for the id -1
    total = np.zeros((len(ids), table.shape[1]))
    for column in ids.T:
        total += padded[column]
    return total


def nearest_centers(points: Array, centers: Array) -> Array:
    """Number of the center, a row of `centers`, nearest to each point; the first on ties.

    Squares are added in the order of the dimensions, compiled or not: bitwise equal.
    """
    columns = np.ascontiguousarray(centers.T, dtype=np.float64)
    if compiling_pays(points.size * len(centers)):
        labels = np.empty(len(points), np.int64)
        kernels.nearest_centers(np.ascontiguousarray(points, dtype=np.float64), columns, labels)
        return labels
    distance = np.zeros((len(points), len(centers)))
    for x, center in zip(points.T, columns, strict=True):
        distance += np.square(x[:, None] - center)
    return np.argmin(distance, axis=1)


def count_meetings(ids: Array, labels: Array, shape: tuple[int, int]) -> Array:
    """Number of the rows with each cluster and label; the last row counts the labels."""
    n_labels = shape[1]
    met = np.zeros(shape, np.int64)
    if compiling_pays(2 * ids.size):
        kernels.add_meetings(ids, labels, met)
        return met
    for column in ids.T:
        present = is_labeled(column)
        pairs = column[present].astype(np.int64) * n_labels + labels[present]
        counts = np.bincount(pairs)
        met.ravel()[: len(counts)] += counts
    met[-1] = np.bincount(labels, minlength=n_labels)
    return met


def mean_company(ids: Array, labels: Array, met: Array, sizes: Array, alone: Array) -> Array:
    """Mean proportion of the other samples of its base clusters that have its label.

    `met` are the overlaps of clusters and labels, `sizes` the sizes of the clusters, `alone` is
    true for labels with one sample. A base cluster of one sample counts 1 if its label has one
    sample too, else it is ignored. Added in the order of the partitions, compiled or not.
    """
    if compiling_pays(8 * ids.size):
        out = np.empty(len(ids))
        kernels.mean_company(ids, labels, met, sizes, alone, out)
        return out
    padded, total, counted = np.append(sizes, 0), np.zeros(len(ids)), np.zeros(len(ids), np.int64)
    for column in ids.T:
        size = padded[column]
        single = size == 1
        counts = is_labeled(column) & (~single | alone[labels])
        share = np.where(single, 1.0, (met[column, labels] - 1) / np.maximum(size - 1, 1))
        total += np.where(counts, share, 0.0)
        counted += counts
    return total / np.maximum(counted, 1)
