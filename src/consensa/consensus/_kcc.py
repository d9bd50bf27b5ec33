"""KCC: k-means on the partitions maximizes a utility of the consensus (Wu et al. 2015)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._params import OneOf
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._representatives import ON_DRAWN_ROWS, representatives
from consensa.consensus._result_warnings import warn_unless_converged
from consensa.consensus._row_shares import RowShares, Run, best_run, result_of
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.equal_rows import adjacent_equal_rows
from consensa.ensemble.rows import add_rows_of_table, sums_by_partition

__all__ = ["KCC", "kcc"]

_LEAST = 1e-12  # share of a class in a cluster of which no sample is in it


def _squared_distances(shares: Array, counts: Array) -> Array:
    """Squared distance of a unit vector from the shares of a partition: 1 − 2 p + ‖p‖²."""
    squares = sums_by_partition(shares**2, counts)
    return 1 - 2 * shares + np.repeat(squares, counts, axis=0)


def _divergences(shares: Array, counts: Array) -> Array:
    """Kullback-Leibler divergence of a unit vector from the shares, in bits."""
    del counts
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
        arrays=(Arrays(5, "cK"), Arrays(4, "sK"), Arrays(5, "sm")),
        **ON_DRAWN_ROWS,
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
    rows = RowShares.of(ensemble, chosen)
    problem = _Problem(rows, _UTILITIES[utility])
    best = best_run(rows, n_clusters, lambda start: _lloyd(problem, start, max_iter), n_init, rng)
    warn_unless_converged("KCC", best.converged, max_iter)
    together = problem.cost(problem.table(np.zeros(len(chosen.ids), np.int64), 1)).sum()
    gained = (together + best.score) / (chosen.weights.sum() * ensemble.n_partitions)
    # An empty cluster may have got one of several equal rows, which are neighbors.
    groups = adjacent_equal_rows(chosen.ids)
    labels = best.labels[groups.first[groups.of_row]]
    return result_of(ensemble, chosen, best, labels, utility=float(gained))


class _Problem(NamedTuple):
    rows: RowShares
    distances: Callable[[Array, Array], Array]

    def table(self, labels: Array, n_clusters: int) -> Array:
        """Distance of each base cluster from each center: (c, K)."""
        shares = self.rows.shares(self.rows.one_hot(labels, n_clusters))
        return self.distances(shares, self.rows.counts)

    def cost(self, table: Array) -> Array:
        """Weighted distance of each sample from each center: (samples, K)."""
        return self.rows.weights[:, None] * add_rows_of_table(self.rows.ids, table)


def _lloyd(problem: _Problem, labels: Array, max_iter: int) -> Run:
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
    return Run(labels, -float(own.sum()), -table, n_iter, converged)


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
        Mean utility of the consensus, in bits for the mutual information; above 20,000 samples
        that of the drawn rows.
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
