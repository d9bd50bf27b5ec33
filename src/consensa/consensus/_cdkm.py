"""CDKM: k-means on the partitions by coordinate descent (Nie et al. 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._representatives import ON_DRAWN_ROWS, representatives
from consensa.consensus._result_warnings import warn_unless_converged
from consensa.consensus._row_shares import (
    Descent,
    RowShares,
    Run,
    best_run,
    distinct_rows,
    result_of,
)
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble

__all__ = ["CDKM", "cdkm"]


@consensus_method(
    MethodInfo(
        name="CDKM",
        year=2022,
        reference="F. Nie, J. Xue, D. Wu, R. Wang, H. Li and X. Li, IEEE TPAMI 44(5)",
        time="n m K for each pass and start",
        memory="n m + c K, c clusters in all",
        missing=False,
        arrays=(Arrays(5, "cK"), Arrays(1, "sK"), Arrays(6, "sm")),
        **ON_DRAWN_ROWS,
    )
)
def cdkm(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    max_iter: int = 100,
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by coordinate descent k-means on the partitions.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    max_iter : int, default=100
        Maximum number of passes over the samples of a start.
    n_init : int, default=20
        Number of starts.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Returns
    -------
    ConsensusResult
        Labels, ``details["utility"]``, ``details["n_iter"]`` and ``details["converged"]``.

    See Also
    --------
    CDKM : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, cdkm
    >>> cdkm(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    chosen = representatives(ensemble, n_clusters, rng)
    distinct, number = distinct_rows(chosen)
    rows = RowShares.of(ensemble, distinct)
    best = best_run(rows, n_clusters, lambda start: _descended(rows, start, max_iter), n_init, rng)
    warn_unless_converged("CDKM", best.converged, max_iter)
    total, m = float(rows.weights.sum()), ensemble.n_partitions
    together = float(np.sum((rows.members.T @ rows.weights.astype(np.float64)) ** 2)) / total
    utility = (best.score - together) / (total * m)
    return result_of(ensemble, chosen, best, best.labels[number], utility=utility)


def _descended(rows: RowShares, labels: Array, max_iter: int) -> Run:
    values = np.ones(rows.members.shape[1])
    found = Descent.of(rows, labels, values, 0.0, max_iter)
    table = found.table(values, rows.ids.shape[1])
    return Run(found.labels, found.explained(values), table, found.n_iter, found.converged)


class CDKM(BaseConsensus):
    r"""Consensus by coordinate descent k-means on the partitions.

    Minimizes the sum of squares of k-means on the rows :math:`h_i` of the membership matrix, which
    have a 1 for each cluster of sample :math:`i`. That is to maximize

    .. math:: \sum_k \frac{\bigl\| \sum_{i \in k} h_i \bigr\|^2}{n_k},

    and, up to constants, the category utility of `KCC`. In place of Lloyd's iteration, samples
    move one at a time to the cluster where the objective becomes largest, with the centers of both
    clusters updated at once, until no move increases it [1]_. Such a partition is a fixed
    point of Lloyd's iteration too, but not the other way around.

    Parameters
    ----------
    %(n_clusters)s
    max_iter : int, default=100
        Maximum number of passes over the samples of a start.
    n_init : int, default=20
        Number of starts; the one with the largest objective is kept.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the starts.

    Attributes
    ----------
    %(labels_)s
    utility_ : float
        Mean category utility of the consensus, as in `KCC`; above 20,000 samples that of the
        drawn rows.
    n_iter_ : int
        Number of passes of the start that was kept.
    converged_ : bool
        Whether that start converged.
    %(fitted)s

    See Also
    --------
    cdkm : The same for an existing `Ensemble`.
    KCC : Lloyd's iteration, also for the mutual information and for missing labels.

    Notes
    -----
    Needs no n × n array; the authors' program computes one. A pass takes time :math:`O(n m K)`.
    Samples with equal rows move together. Starts are drawn by k-means++ from the samples; the
    authors' are random labels. Above 20,000 samples, and 50 per cluster, the descent runs on that
    many distinct rows, drawn by a hash of their labels, and the others are assigned to the nearest
    center. Missing labels are not accepted: a row without some of its ones would be nearer to the
    origin.

    References
    ----------
    .. [1] F. Nie, J. Xue, D. Wu, R. Wang, H. Li and X. Li, "Coordinate descent method for
       k-means", IEEE TPAMI 44(5), 2022. :doi:`10.1109/TPAMI.2021.3085739`

    Examples
    --------
    >>> from consensa import CDKM
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> CDKM(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(cdkm)
    max_iter: int = 100
    n_init: int = KMEANS_STARTS
    utility_ = Detail()
    converged_ = Detail()
