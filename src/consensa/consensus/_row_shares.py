"""Rows of base clusters, and what methods that improve several starts on them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._result import ConsensusResult
from consensa.consensus._representatives import (
    KnownRows,
    LargestSum,
    Representatives,
    label_all,
)
from consensa.consensus._row_moves_kernels import descend
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import Assign, membership, sums_by_partition

__all__ = ["Descent", "RowShares", "Run", "best_run", "distinct_rows", "result_of"]

_TINY = np.finfo(np.float64).tiny


class Run(NamedTuple):
    """What became of one start.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Label of each row.
    score : float
        What is maximized.
    table : ndarray of shape (c, K)
        For each base cluster and label: the sum over the clusters of a row, with the base, is
        largest for its label.
    n_iter : int
        Number of iterations.
    converged : bool
        Whether more iterations would change nothing.
    partition_weights : ndarray of shape (n_partitions,) or None, default=None
        Weight of each partition, where the method computes them.
    base : ndarray of shape (K,) or float, default=0.0
        What the sums of the table begin with.
    """

    labels: Array
    score: float
    table: Array
    n_iter: int
    converged: bool
    partition_weights: Array | None = None
    base: Array | float = 0.0


class RowShares(NamedTuple):
    """Some samples as rows of base clusters.

    Attributes
    ----------
    ids : ndarray of shape (n, n_partitions)
        Clusters of each sample, numbered as in `Ensemble.cluster_ids`.
    weights : ndarray of shape (n,)
        Number of samples that each represents.
    members : sparse array of shape (n, c)
        The same clusters, as a matrix of zeros and ones.
    counts : ndarray of shape (n_partitions,)
        Number of clusters of each partition.
    """

    ids: Array
    weights: Array
    members: sparse.csr_array
    counts: Array

    @classmethod
    def of(cls, ensemble: Ensemble, chosen: Representatives) -> RowShares:
        """The rows of the representatives."""
        members = membership(chosen.ids, ensemble.n_clusters)
        return cls(chosen.ids, chosen.weights, members, ensemble.cluster_counts)

    def one_hot(self, labels: Array, n_clusters: int) -> sparse.csr_array:
        """The weight of each row at its label: (n, K)."""
        places = (np.arange(len(labels)), labels)
        weights = self.weights.astype(np.float64)
        return sparse.csr_array((weights, places), shape=(len(labels), n_clusters))

    def shares(self, assigned: Any) -> Array:
        """Proportions of the base clusters in each cluster, among the labeled samples: (c, K).

        `assigned` has the weight of each row in each cluster.
        """
        met = self.members.T @ assigned
        met = np.asarray(met.todense() if sparse.issparse(met) else met)
        labeled = np.maximum(sums_by_partition(met, self.counts), _TINY)
        return np.asarray(met / np.repeat(labeled, self.counts, axis=0))

    def start(self, n_clusters: int, rng: np.random.RandomState) -> Array:
        """Labels by the nearest of some rows, drawn as by k-means++.

        The distance of two rows is the number of partitions that separate them.
        """
        n = len(self.ids)
        nearest, labels = np.full(n, np.inf), np.zeros(n, np.int64)
        odds = self.weights.astype(np.float64)
        for number in range(n_clusters):
            total = np.cumsum(odds)
            if total[-1] <= 0:  # every distinct row was drawn
                break
            drawn = int(np.searchsorted(total, rng.uniform() * total[-1], side="right"))
            own = self.ids[min(drawn, n - 1)]
            differs = self.ids != own
            both = is_labeled(self.ids) & is_labeled(own)
            distance = (differs & both).sum(axis=1) + 0.5 * (differs & ~both).sum(axis=1)
            labels[distance < nearest] = number
            nearest = np.minimum(nearest, distance)
            odds = self.weights * nearest
        return labels


class Descent(NamedTuple):
    """Where moves of single rows have led: the clusters, and the sums and sizes of each."""

    labels: Array
    sums: Array  # (K, c)
    sizes: Array  # (K,)
    n_iter: int
    converged: bool

    @classmethod
    def of(
        cls, rows: RowShares, labels: Array, values: Array, balance: float, max_iter: int
    ) -> Descent:
        """Move rows as long as the objective grows."""
        one_hot = rows.one_hot(labels, int(labels.max()) + 1)
        sums = np.ascontiguousarray((rows.members.T @ one_hot).todense().T, dtype=np.float64)
        sizes = np.asarray(one_hot.sum(axis=0), dtype=np.float64).ravel()
        weights, labels = rows.weights.astype(np.float64), labels.copy()
        ids = np.ascontiguousarray(rows.ids, dtype=np.int64)
        found = descend(ids, weights, values, balance, labels, sums, sizes, max_iter)
        return cls(labels, sums, sizes, int(found[0]), bool(found[1]))

    def explained(self, values: Array) -> float:
        """Sum of ‖s_k‖² / n_k."""
        return float(np.sum(self.sums**2 @ values / self.sizes))

    def table(self, values: Array, n_partitions: int) -> Array:
        """For each base cluster and center: the sum over a row is largest for the nearest."""
        centers = (self.sums / self.sizes[:, None]).T
        return 2 * values[:, None] * centers - values @ centers**2 / n_partitions


def distinct_rows(chosen: Representatives) -> tuple[Representatives, Array]:
    """Each distinct row once, with its weight, and the number of each representative in them."""
    # Equal rows are neighbors, since the representatives are in lexicographic order.
    new = np.append(True, np.any(chosen.ids[1:] != chosen.ids[:-1], axis=1))
    number = np.cumsum(new) - 1
    weights = np.bincount(number, chosen.weights).astype(np.int64)
    return Representatives(chosen.numbers[new], chosen.ids[new], weights, False), number


def best_run(
    rows: RowShares,
    n_clusters: int,
    improve: Callable[[Array], Run],
    n_init: int,
    rng: np.random.RandomState,
) -> Run:
    """The best of several starts; the first of equal ones. Two are kept at a time."""
    runs = (improve(rows.start(n_clusters, rng)) for _ in range(n_init))
    return max(runs, key=lambda run: run.score)


def result_of(
    ensemble: Ensemble,
    chosen: Representatives,
    run: Run,
    labels: Array,
    *,
    kept: bool = False,
    **details: Any,
) -> ConsensusResult:
    """The result of a run, from the labels of the representatives.

    If there are other samples, the representatives are assigned as these are, unless their labels
    are `kept`.
    """
    assign: Assign = LargestSum(run.table, run.base)
    if kept and not chosen.are_all:
        assign = KnownRows(chosen.ids, labels, ensemble.n_clusters, assign)
    everyone = label_all(ensemble, chosen, labels, assign)
    known = {**details, "n_iter": run.n_iter, "converged": run.converged}
    return ConsensusResult(everyone, ensemble, details=known)
