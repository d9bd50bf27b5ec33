"""KCC: k-means on the partitions maximizes a utility of the consensus (Wu et al. 2015)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._params import OneOf
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._representatives import (
    LargestSum,
    Representatives,
    label_all,
    representatives,
)
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import add_rows_of_table, membership

__all__ = ["KCC", "kcc"]

_LEAST = 1e-12  # share of a class in a cluster of which no sample is in it


def _squared_distances(shares: Array, partition: Array) -> Array:
    """Squared distance of a unit vector from the shares of a partition: 1 − 2 p + ‖p‖²."""
    squares = np.zeros((partition[-1] + 1, shares.shape[1]))
    np.add.at(squares, partition, shares**2)
    return 1 - 2 * shares + squares[partition]


def _divergences(shares: Array, partition: Array) -> Array:
    """Kullback-Leibler divergence of a unit vector from the shares, in bits."""
    del partition
    return -np.log2(np.maximum(shares, _LEAST))


_UTILITIES: Mapping[str, Callable[[Array, Array], Array]] = {
    "mutual_information": _divergences,
    "category": _squared_distances,
}


@consensus_method(
    MethodInfo(
        name="KCC",
        year=2015,
        reference="J. Wu, H. Liu, H. Xiong, J. Cao and J. Chen, IEEE TKDE 27(1)",
        time="n m K for each iteration and start",
        memory="n m + n K + c K, c clusters in all",
        arrays=(Arrays(4, "cK"), Arrays(4, "nK")),
    ),
    utility=(OneOf(tuple(_UTILITIES)),),
)
def kcc(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    utility: str = "mutual_information",
    n_init: int = KMEANS_STARTS,
    max_iter: int = 100,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by k-means on the partitions.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    utility : {"mutual_information", "category"}, default="mutual_information"
        What is maximized: the paper's U_H or U_c.
    n_init : int, default=20
        Number of starts of k-means.
    max_iter : int, default=100
        Maximum number of iterations of a start.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Returns
    -------
    ConsensusResult
        Labels, ``details["utility"]``, ``details["n_iter"]`` and ``details["converged"]``.

    See Also
    --------
    KCC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, kcc
    >>> kcc(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    chosen = representatives(ensemble, n_clusters, rng)
    problem = _Problem.of(ensemble, chosen, _UTILITIES[utility])
    runs = [_lloyd(problem, _start(problem, n_clusters, rng), max_iter) for _ in range(n_init)]
    best = min(runs, key=lambda run: run.cost)
    labels = label_all(ensemble, chosen, best.labels, LargestSum(-best.table))
    together = problem.cost(problem.table(np.zeros(len(chosen.ids), np.int64), 1)).sum()
    gained = (together - best.cost) / (chosen.weights.sum() * ensemble.n_partitions)
    details = {"utility": float(gained), "n_iter": best.n_iter, "converged": best.converged}
    return ConsensusResult(labels, ensemble, details=details)


class _Problem(NamedTuple):
    ids: Array  # clusters of each sample
    weights: Array
    members: sparse.csr_array  # (samples, c)
    partition: Array  # of each cluster
    distances: Callable[[Array, Array], Array]

    @classmethod
    def of(
        cls, ensemble: Ensemble, chosen: Representatives, distances: Callable[..., Array]
    ) -> _Problem:
        counts = ensemble.cluster_counts
        members = membership(chosen.ids, ensemble.n_clusters)
        partition = np.repeat(np.arange(len(counts)), counts)
        return cls(chosen.ids, chosen.weights, members, partition, distances)

    def table(self, labels: Array, n_clusters: int) -> Array:
        """Distance of each base cluster from each center: (c, K)."""
        one_hot = sparse.csr_array(
            (self.weights.astype(np.float64), (np.arange(len(labels)), labels)),
            shape=(len(labels), n_clusters),
        )
        counts = np.asarray((self.members.T @ one_hot).todense())
        labeled = np.zeros((self.partition[-1] + 1, n_clusters))
        np.add.at(labeled, self.partition, counts)
        return self.distances(counts / np.maximum(labeled, 1)[self.partition], self.partition)

    def cost(self, table: Array) -> Array:
        """Weighted distance of each sample from each center: (samples, K)."""
        return self.weights[:, None] * add_rows_of_table(self.ids, table)


class _Run(NamedTuple):
    labels: Array
    cost: float
    table: Array
    n_iter: int
    converged: bool


def _start(problem: _Problem, n_clusters: int, rng: np.random.RandomState) -> Array:
    """Labels by the nearest of some samples, drawn as by k-means++.

    The distance of two samples is the number of partitions that separate them.
    """
    n = len(problem.ids)
    nearest, labels = np.full(n, np.inf), np.zeros(n, np.int64)
    odds = problem.weights.astype(np.float64)
    for number in range(n_clusters):
        total = np.cumsum(odds)
        if total[-1] <= 0:  # every distinct row was drawn
            break
        drawn = min(int(np.searchsorted(total, rng.uniform() * total[-1], side="right")), n - 1)
        differs = problem.ids != problem.ids[drawn]
        both = is_labeled(problem.ids) & is_labeled(problem.ids[drawn])
        distance = (differs & both).sum(axis=1) + 0.5 * (differs & ~both).sum(axis=1)
        labels[distance < nearest] = number
        nearest = np.minimum(nearest, distance)
        odds = problem.weights * nearest
    return labels


def _lloyd(problem: _Problem, labels: Array, max_iter: int) -> _Run:
    """Nearest center, new centers, and again, until nothing changes."""
    n_clusters = int(labels.max()) + 1
    converged = False
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        cost = problem.cost(problem.table(labels, n_clusters))
        before, labels = labels, _filled(np.argmin(cost, axis=1), cost)
        if converged := bool(np.array_equal(labels, before)):
            break
    table = problem.table(labels, n_clusters)
    own = problem.cost(table)[np.arange(len(labels)), labels]
    return _Run(labels, float(own.sum()), table, n_iter, converged)


def _filled(labels: Array, cost: Array) -> Array:
    """Each empty cluster gets the sample that costs most, if it is not alone."""
    own = cost[np.arange(len(labels)), labels]
    sizes = np.bincount(labels, minlength=cost.shape[1])
    for empty in np.flatnonzero(sizes == 0):
        worst = int(np.argmax(np.where(sizes[labels] > 1, own, -1)))
        if own[worst] <= 0:
            break
        sizes[labels[worst]] -= 1
        labels[worst], own[worst], sizes[empty] = empty, 0, 1
    return labels


class KCC(BaseConsensus):
    r"""Consensus by k-means on the partitions.

    Maximizes the mean utility of the consensus :math:`\pi` to the partitions :math:`\pi_m`,

    .. math:: \max_\pi \; \frac{1}{M} \sum_m U(\pi, \pi_m),

    where :math:`U` is the mutual information (the paper's :math:`U_H`) or the category utility

    .. math:: U_c(\pi, \pi_m) = \sum_k p_k \sum_j p_{j \mid k}^2 - \sum_j p_j^2

    of the proportions :math:`p_k` of the consensus clusters, :math:`p_j` of the base clusters and
    :math:`p_{j \mid k}` of base cluster :math:`j` in consensus cluster :math:`k`. Both are what
    k-means maximizes on the rows of the membership matrix: with the Kullback-Leibler divergence
    :math:`-\sum_m \log_2 p_{\pi_m(i) \mid k}` of a sample from a center for :math:`U_H`, and with
    squared Euclidean distances for :math:`U_c` [1]_.

    Parameters
    ----------
    %(n_clusters)s
    utility : {"mutual_information", "category"}, default="mutual_information"
        The utility :math:`U`.
    n_init : int, default=20
        Number of starts; the one with the largest utility is kept. The authors' program uses 10.
    max_iter : int, default=100
        Maximum number of iterations of a start.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the starts.

    Attributes
    ----------
    %(labels_)s
    utility_ : float
        Mean utility of the consensus, in bits for the mutual information.
    n_iter_ : int
        Number of iterations of the start that was kept.
    converged_ : bool
        Whether that start converged.
    %(fitted)s

    See Also
    --------
    kcc : The same for an existing `Ensemble`.
    SEC : Weighted k-means, for the normalized cut of the co-association.
    Voting : Votes of matched clusters.

    Notes
    -----
    Needs no n × n array. An iteration takes time :math:`O(n m K)`. Starts are drawn by k-means++
    from the samples. Above 20,000 samples, and 50 per cluster, k-means runs on that many distinct
    rows, drawn by a hash of their labels, and the others are assigned to the nearest center. With
    missing labels, a center has the proportions among the samples that a partition labels, and
    distances are sums over the partitions that label a sample.

    References
    ----------
    .. [1] J. Wu, H. Liu, H. Xiong, J. Cao and J. Chen, "K-means-based consensus clustering: a
       unified view", IEEE TKDE 27(1), 2015. :doi:`10.1109/TKDE.2014.2316512`

    Examples
    --------
    >>> from consensa import KCC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> KCC(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(kcc)
    utility: str = "mutual_information"
    n_init: int = KMEANS_STARTS
    max_iter: int = 100
    utility_ = Detail()
    converged_ = Detail()
