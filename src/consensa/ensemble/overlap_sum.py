"""Overlaps of the clusters, summed by blocks of rows.

All sums are of integers and exact: they depend neither on the blocks nor on the number of threads
or machines.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.ensemble import _row_kernels as kernels
from consensa.ensemble.rows import membership

__all__ = ["TABLE_UP_TO", "OverlapSum", "balance"]

TABLE_UP_TO = 8_000  # clusters; above it, a table of all pairs could be mostly zeros


class OverlapSum:
    """Overlaps of the clusters, summed block by block."""

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
        """Whether the pairs of clusters are counted in a table instead of a sparse matrix."""
        return compiled and n_clusters <= TABLE_UP_TO

    def add(self, ids: Array, weights: Array | None) -> None:
        """Add rows, each with its weight (1 if None)."""
        weights = np.ones(len(ids), np.int64) if weights is None else weights
        if isinstance(self.table, np.ndarray):
            kernels.add_overlap(np.ascontiguousarray(ids.T), weights, self.table)
            return
        ones = membership(ids, self.n_clusters, np.int64)
        scaled = ones.copy()
        scaled.data *= np.repeat(weights, np.diff(ones.indptr))
        self.table = self.table + ones.T @ scaled

    def merge(self, other: OverlapSum) -> None:
        """Add the counts of another one."""
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


def balance(cluster_weights: Array, n_samples: int) -> tuple[Callable[[Array], Array], float]:
    """Weight samples by 1/d, where d is the sum of the weights of their clusters, as integers.

    The unit is chosen so that the sum over all samples fits in 62 bits: sums are exact, and the
    relative rounding is at most 1 part in 2^62 / n.
    """
    positive = cluster_weights[cluster_weights > 0]
    least = float(positive.min(initial=1.0))  # d is at least this, or 0
    scale = 2.0 ** (61 - math.ceil(math.log2(max(n_samples, 2))))
    padded = np.append(cluster_weights, 0.0)  # for the id -1

    def weigh(ids: Array) -> Array:
        # In the order of the weights, so that the order of the partitions cannot change a bit.
        total = np.sort(padded[ids], axis=1).sum(axis=1)
        share = np.divide(least, total, out=np.zeros_like(total), where=total > 0)
        return np.rint(scale * share).astype(np.int64)

    return weigh, 1 / (scale * least)
