"""Rows of base clusters, and what methods that improve several starts on them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._result import ConsensusResult
from consensa.consensus._representatives import LargestSum, Representatives, label_all
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import membership

__all__ = ["RowShares", "Run", "best_run", "result_of"]

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
        For each base cluster and label: the sum over the clusters of a row is largest for its
        label.
    n_iter : int
        Number of iterations.
    converged : bool
        Whether more iterations would change nothing.
    """

    labels: Array
    score: float
    table: Array
    n_iter: int
    converged: bool


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
    partition : ndarray of shape (c,)
        Partition of each cluster.
    """

    ids: Array
    weights: Array
    members: sparse.csr_array
    partition: Array

    @classmethod
    def of(cls, ensemble: Ensemble, chosen: Representatives) -> RowShares:
        """The rows of the representatives."""
        counts = ensemble.cluster_counts
        members = membership(chosen.ids, ensemble.n_clusters)
        partition = np.repeat(np.arange(len(counts)), counts)
        return cls(chosen.ids, chosen.weights, members, partition)

    def one_hot(self, labels: Array, n_clusters: int) -> sparse.csr_array:
        """The weight of each row at its label: (n, K)."""
        places = (np.arange(len(labels)), labels)
        weights = self.weights.astype(np.float64)
        return sparse.csr_array((weights, places), shape=(len(labels), n_clusters))

    def shares(self, assigned: Any) -> Array:
        """Proportions of the base clusters in each cluster, among the labeled samples: (c, K).

        `assigned` has the weight of each row in each cluster.
        """
        counts = self.members.T @ assigned
        counts = np.asarray(counts.todense() if sparse.issparse(counts) else counts)
        labeled = np.zeros((self.partition[-1] + 1, counts.shape[1]))
        np.add.at(labeled, self.partition, counts)
        return np.asarray(counts / np.maximum(labeled, _TINY)[self.partition])

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


def best_run(
    rows: RowShares,
    n_clusters: int,
    improve: Callable[[Array], Run],
    n_init: int,
    rng: np.random.RandomState,
) -> Run:
    """The best of several starts; the first of equal ones."""
    runs = [improve(rows.start(n_clusters, rng)) for _ in range(n_init)]
    return max(runs, key=lambda run: run.score)


def result_of(
    ensemble: Ensemble, chosen: Representatives, run: Run, labels: Array, **details: float
) -> ConsensusResult:
    """The result of a run, from the labels of the representatives."""
    everyone = label_all(ensemble, chosen, labels, LargestSum(run.table))
    known = {**details, "n_iter": run.n_iter, "converged": run.converged}
    return ConsensusResult(everyone, ensemble, details=known)
