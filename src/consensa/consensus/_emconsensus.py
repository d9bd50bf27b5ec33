"""EMConsensus: a mixture of multinomial distributions of the labels (Topchy, Jain, Punch 2004)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa._params import Real
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._representatives import ON_DRAWN_ROWS, representatives
from consensa.consensus._result_warnings import warn_unless_converged
from consensa.consensus._row_shares import RowShares, Run, best_run, result_of
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import add_rows_of_table

__all__ = ["EMConsensus", "emconsensus"]

_LEAST = 1e-12  # probability of a label that no sample of a component has
_DOUBT = 0.2  # share of a sample that a start gives to all components alike


@consensus_method(
    MethodInfo(
        name="EMConsensus",
        year=2004,
        reference="A. Topchy, A. K. Jain and W. Punch, SDM 2004",
        time="n m K for each iteration and start",
        memory="n m + n K + c K, c clusters in all",
        arrays=(Arrays(4, "cK"), Arrays(5, "sK"), Arrays(5, "sm")),
        **ON_DRAWN_ROWS,
    ),
    tol=(Real(above=0),),
)
def emconsensus(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    n_init: int = 10,
    max_iter: int = 200,
    tol: float = 1e-6,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by a mixture of multinomial distributions.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    n_init : int, default=10
        Number of starts of the EM algorithm.
    max_iter : int, default=200
        Maximum number of iterations of a start.
    tol : float, default=1e-6
        Stop when the mean log-likelihood of a sample grows by less.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Returns
    -------
    ConsensusResult
        Labels, ``details["log_likelihood"]``, ``details["n_iter"]`` and
        ``details["converged"]``.

    See Also
    --------
    EMConsensus : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, emconsensus
    >>> emconsensus(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    chosen = representatives(ensemble, n_clusters, rng)
    rows = RowShares.of(ensemble, chosen)
    best = best_run(
        rows, n_clusters, lambda start: _maximize(rows, start, max_iter, tol), n_init, rng
    )
    warn_unless_converged("EMConsensus", best.converged, max_iter)
    return result_of(ensemble, chosen, best, best.labels, log_likelihood=best.score)


def _maximize(rows: RowShares, labels: Array, max_iter: int, tol: float) -> Run:
    """Expectations and maximum likelihood in turn, until the likelihood stops to grow.

    The score is the mean log-likelihood of a sample; the table has the logarithms of the
    probabilities of the base clusters, and the base those of the components.
    """
    n_components = int(labels.max()) + 1
    shares = np.eye(n_components)[labels] * (1 - _DOUBT) + _DOUBT / n_components
    before, converged = -np.inf, False
    total = float(rows.weights.sum())
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        weighted = rows.weights[:, None] * shares
        prior = np.log(np.maximum(weighted.sum(axis=0) / total, _LEAST))
        table = np.log(np.maximum(rows.shares(weighted), _LEAST))
        joint = add_rows_of_table(rows.ids, table) + prior
        largest = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - largest)
        sums = shares.sum(axis=1, keepdims=True)
        shares /= sums
        found = float(rows.weights @ (np.log(sums) + largest)[:, 0]) / total
        if converged := found - before < tol:
            break
        before = found
    return Run(np.argmax(joint, axis=1), found, table, n_iter, converged, base=prior)


class EMConsensus(BaseConsensus):
    r"""Consensus by a mixture of multinomial distributions of the labels.

    The labels :math:`y_{i1}, \dots, y_{im}` of a sample are drawn from one of K components, each
    partition independently of the others given the component:

    .. math:: P(y_i) = \sum_k \alpha_k \prod_j \vartheta_{kj}(y_{ij}).

    The EM algorithm maximizes the likelihood; a sample belongs to the component with the largest
    posterior probability [1]_.

    Parameters
    ----------
    %(n_clusters)s
    n_init : int, default=10
        Number of starts; the one with the largest likelihood is kept.
    max_iter : int, default=200
        Maximum number of iterations of a start.
    tol : float, default=1e-6
        Stop when the mean log-likelihood of a sample grows by less.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the starts.

    Attributes
    ----------
    %(labels_)s
    log_likelihood_ : float
        Mean log-likelihood of a sample; above 20,000 samples, of the drawn rows.
    n_iter_ : int
        Number of iterations of the start that was kept.
    converged_ : bool
        Whether that start converged.
    %(fitted)s

    See Also
    --------
    emconsensus : The same for an existing `Ensemble`.
    KCC : Each sample belongs to one component as a whole, by k-means.

    Notes
    -----
    Needs no n × n array. An iteration takes time :math:`O(n m K)`. A missing label has no factor
    in the product. A start gives four fifths of each sample to the nearest of K samples that are
    drawn by k-means++, and the rest to all components alike: a probability of 0 would stay 0.
    Above 20,000 samples, and 50 per cluster, EM runs on that many distinct rows, drawn by a hash
    of their labels, and the others get their most probable component.

    References
    ----------
    .. [1] A. Topchy, A. K. Jain and W. Punch, "A mixture model for clustering ensembles", SIAM
       International Conference on Data Mining 2004. :doi:`10.1137/1.9781611972740.35`

    Examples
    --------
    >>> from consensa import EMConsensus
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> EMConsensus(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(emconsensus)
    n_init: int = 10
    max_iter: int = 200
    tol: float = 1e-6
    log_likelihood_ = Detail()
    converged_ = Detail()
