"""CDEC: weighted partitions and balanced clusters by coordinate descent (Zhang et al. 2025)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._params import Real
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
from consensa.consensus.method import Along, Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import sums_by_partition

__all__ = ["CDEC", "cdec"]

_PASSES = 1000  # over the rows, for one set of weights
_ROUNDING = 1e-12


@consensus_method(
    MethodInfo(
        name="CDEC",
        year=2025,
        reference="R. Zhang, X. Wu, H. Chen, G. He, Z. Wang, R. Wang and F. Nie, IEEE TCSVT 2025",
        time="n m K for each pass, iteration and start",
        memory="n m + c² + c K, c clusters in all",
        missing=False,
        arrays=(Arrays(3, "cc"), Arrays(5, "cK"), Arrays(1, "sK"), Arrays(6, "sm")),
        **ON_DRAWN_ROWS,
    ),
    balance=(Real(least=0),),
    tol=(Real(above=0),),
)
def cdec(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    balance: float = 1e-3,
    ridge: float = 0.1,
    tol: float = 1e-5,
    max_iter: int = 50,
    n_init: int = 10,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by coordinate descent, with adaptive weights and balanced clusters.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    balance : float, default=1e-3
        Weight λ of the squares of the sizes of the clusters.
    ridge : float, default=0.1
        Weight γ of the squares of the weights of the partitions.
    tol : float, default=1e-5
        Stop when the objective changes by less.
    max_iter : int, default=50
        Maximum number of iterations of a start.
    n_init : int, default=10
        Number of starts.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Returns
    -------
    ConsensusResult
        Labels, ``details["objective"]``, ``details["partition_weights"]``,
        ``details["n_iter"]`` and ``details["converged"]``.

    See Also
    --------
    CDEC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, cdec
    >>> cdec(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    chosen = representatives(ensemble, n_clusters, rng)
    distinct, number = distinct_rows(chosen)
    of_drawn = ensemble.n_samples / int(distinct.weights.sum())  # samples for one of these
    problem = _Problem(RowShares.of(ensemble, distinct), balance * of_drawn**2, ridge)
    best = best_run(
        problem.rows,
        n_clusters,
        lambda start: problem.improved(start, tol, max_iter),
        n_init,
        rng,
    )
    warn_unless_converged("CDEC", best.converged, max_iter)
    return result_of(
        ensemble,
        chosen,
        best,
        best.labels[number],
        kept=True,
        objective=-best.score,
        partition_weights=Along(best.partition_weights, ("partition",)),
    )


class _Problem:
    """The objective, with its two steps: clusters for given weights, weights for given clusters.

    H_t is the projection on the clusters of partition t: 1 over the size of a cluster for two of
    its samples.
    """

    def __init__(self, rows: RowShares, balance: float, ridge: float) -> None:
        self.rows, self.balance, self.ridge = rows, balance, ridge
        weighted = sparse.diags_array(rows.weights.astype(np.float64)) @ rows.members
        scaled = np.asarray((rows.members.T @ weighted).todense())  # overlaps of the clusters
        # Of a small cluster no row may be drawn. It has no sums, and any positive size will do.
        self.sizes = np.maximum(np.diagonal(scaled), 1)
        np.square(scaled, out=scaled)
        for row, size in zip(scaled, self.sizes, strict=True):  # without a further c × c array
            row /= size * self.sizes
        by_rows = sums_by_partition(scaled, rows.counts)
        self.products = sums_by_partition(by_rows, rows.counts, axis=1)  # tr(H_s H_t)
        self.equal = np.full(len(rows.counts), 1 / len(rows.counts))

    def values(self, weights: Array) -> Array:
        """Weight of each base cluster in the norm."""
        return np.repeat(weights, self.rows.counts) / self.sizes

    def descent(self, labels: Array, weights: Array) -> Descent:
        return Descent.of(self.rows, labels, self.values(weights), self.balance, _PASSES)

    def weights_for(self, found: Descent) -> Array:
        """The weights of the partitions that minimize the objective for these clusters."""
        explained = (found.sums**2 / found.sizes[:, None]).sum(axis=0) / self.sizes
        shared = sums_by_partition(explained, self.rows.counts)  # tr(H_t F F⁺)
        least = _ROUNDING * self.products.max()  # equal partitions have equal rows
        ridge = max(self.ridge, least)
        return minimum_on_simplex(self.products + ridge * np.eye(len(shared)), shared)

    def objective(self, found: Descent, weights: Array) -> float:
        """‖Σ α_t H_t − F F⁺‖² + γ ‖α‖² + λ Σ n_k²."""
        fit = weights @ self.products @ weights + self.ridge * (weights @ weights)
        fit += len(found.sizes) - 2 * found.explained(self.values(weights))
        return float(fit + self.balance * np.sum(found.sizes**2))

    def improved(self, labels: Array, tol: float, max_iter: int) -> Run:
        """Clusters and weights in turn; the score is that of the last clusters and weights."""
        weights, before, converged = self.equal, np.inf, False
        for n_iter in range(1, max_iter + 1):  # noqa: B007
            found = self.descent(labels, weights)
            labels, reached = found.labels, self.objective(found, weights)
            weights = self.weights_for(found)
            if converged := found.converged and abs(before - reached) < tol:
                break
            before = reached
        score = -self.objective(found, weights)
        table = found.table(self.values(weights), len(weights))
        return Run(labels, score, table, n_iter, converged, weights)


def minimum_on_simplex(matrix: Array, linear: Array) -> Array:
    """Minimizer of x' Q x − 2 b' x among x ≥ 0 with sum 1, for a positive definite Q.

    An active set: the minimum for the entries that may be positive, a step towards it until an
    entry becomes 0, and the entry with the steepest descent back in, until there is none.
    """
    n = len(linear)
    found = np.full(n, 1 / n)
    free = np.ones(n, bool)
    for _ in range(100 * n):
        sides = np.stack([linear[free], np.ones(int(free.sum()))], axis=1)
        inverse = np.linalg.solve(matrix[np.ix_(free, free)], sides)
        level = (inverse[:, 0].sum() - 1) / inverse[:, 1].sum()
        target = np.zeros(n)
        target[free] = inverse[:, 0] - level * inverse[:, 1]
        if target.min() >= 0:
            found = target
            slope = matrix @ found - linear
            slope[free] = 0.0
            slope[~free] += level
            worst = int(np.argmin(slope))
            if slope[worst] >= -_ROUNDING * np.abs(linear).max():
                return found
            free[worst] = True
            continue
        falling = target < 0
        steps = np.where(falling, found / np.where(falling, found - target, 1), np.inf)
        first = int(np.argmin(steps))
        found = found + steps[first] * (target - found)
        found[first], free[first] = 0.0, False
    return found


class CDEC(BaseConsensus):
    r"""Consensus by coordinate descent, with adaptive weights and balanced clusters.

    Each partition :math:`t` is represented by the projection :math:`H_t` on the indicators of its
    clusters: 1 over the size of a cluster for two of its samples. The projection on the consensus
    clusters :math:`F` approximates a weighted mean of them:

    .. math::
        \min_{F, \alpha} \; \Bigl\| \sum_t \alpha_t H_t - F (F^T F)^{-1} F^T \Bigr\|_F^2
        + \gamma \|\alpha\|^2 + \lambda \sum_k n_k^2
        \quad \text{s.t. } \alpha \ge 0, \; \sum_t \alpha_t = 1.

    For given weights, samples move one at a time to the cluster where the objective becomes
    smallest, as in `CDKM`; for given clusters, the weights solve a quadratic program. The squares
    of the sizes :math:`n_k` are smallest for clusters of equal size [1]_.

    Parameters
    ----------
    %(n_clusters)s
    balance : float, default=1e-3
        :math:`\lambda`: how much clusters of equal size are preferred. The default is the
        authors'; the squares of the sizes grow with the square of the number of samples.
    ridge : float, default=0.1
        :math:`\gamma`: how much equal weights of the partitions are preferred. The default is the
        authors'.
    tol : float, default=1e-5
        Stop when the objective changes by less.
    max_iter : int, default=50
        Maximum number of iterations of a start.
    n_init : int, default=10
        Number of starts; the one with the smallest objective is kept.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the starts.

    Attributes
    ----------
    %(labels_)s
    objective_ : float
        The objective; above 20,000 samples that of the drawn rows, with the sizes of the clusters
        in proportion to all samples.
    partition_weights_ : ndarray of shape (n_partitions,)
        The weights :math:`\alpha` for these clusters.
    n_iter_ : int
        Number of iterations of the start that was kept.
    converged_ : bool
        Whether that start converged.
    %(fitted)s

    See Also
    --------
    cdec : The same for an existing `Ensemble`.
    CDKM : Equal weights, without sizes and balance.

    Notes
    -----
    Needs no n × n array; the authors' program has one for each partition. A pass over the samples
    takes time :math:`O(n m K)`. Samples with equal rows move together. Starts are drawn by
    k-means++ from the samples; the authors' is one run of k-means. Above 20,000 samples, and 50
    per cluster, the descent runs on that many distinct rows, drawn by a hash of their labels, with
    :math:`n_k` in proportion to all samples. The others are then assigned to the nearest center,
    without regard to balance: the sizes of the clusters can differ from those that the objective
    counts. If there are not more distinct rows, all are drawn. Missing labels are not accepted.

    References
    ----------
    .. [1] R. Zhang, X. Wu, H. Chen, G. He, Z. Wang, R. Wang and F. Nie, "Towards balance adaptive
       weighted ensemble clustering", IEEE TCSVT, 2025. :doi:`10.1109/TCSVT.2025.3531199`

    Examples
    --------
    >>> from consensa import CDEC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> CDEC(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(cdec)
    balance: float = 1e-3
    ridge: float = 0.1
    tol: float = 1e-5
    max_iter: int = 50
    n_init: int = 10
    objective_ = Detail()
    partition_weights_ = Detail()
    converged_ = Detail()
