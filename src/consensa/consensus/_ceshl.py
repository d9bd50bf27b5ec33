"""CESHL: memberships are changed until the hypergraph falls into K parts (Zhou et al. 2022)."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa._result import ConsensusResult
from consensa.consensus._box_descent import descend_in_box
from consensa.consensus._component_number import merged_components, split_components
from consensa.consensus._in_order import Along
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import sums_by_partition
from consensa.partition.components import components_of_columns
from consensa.partition.eigenpairs import eigenpairs

__all__ = ["CESHL", "ceshl"]

_EPS = np.finfo(np.float64).eps
_FIRST_PENALTY = 100.0
_TOGETHER = 1e-9  # sum of the K smallest eigenvalues of a graph of K components, at most
_APART = 1e-11  # the same of K + 1
_ARRAYS = 25  # of the distinct rows and all base clusters
_STEPS = 20  # of a round, at most


@consensus_method(
    MethodInfo(
        name="CESHL",
        year=2022,
        reference="P. Zhou, X. Wang, L. Du and X. Li, Information Fusion 78",
        time="n c K for each step, up to 20 in a round; c³",
        memory="25 q c, q distinct rows, c clusters in all",
        arrays=(Arrays(4, "cc"),),  # the others are of distinct rows: see `_require_memory`
        revision=2,
    ),
)
def ceshl(
    ensemble: Ensemble, n_clusters: int, *, balance: float = 1000.0, max_iter: int = 30
) -> ConsensusResult:
    """Consensus of `ensemble` by structured hypergraph learning.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    balance : float, default=1000.0
        The paper's λ: how far the weight of a base cluster is its own score, and not that of the
        clusters that it overlaps.
    max_iter : int, default=30
        Maximum number of rounds.

    Returns
    -------
    ConsensusResult
        Labels, and ``details`` with the keys ``"cluster_weights"``, ``"n_components"``,
        ``"n_iter"`` and ``"converged"``.

    See Also
    --------
    CESHL : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, ceshl
    >>> ceshl(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    groups = ensemble.microclusters()
    _require_memory(len(groups.sizes), ensemble.n_clusters)
    rows = Ensemble(groups.rows).membership()
    overlap = ensemble.overlap.astype(np.float64).toarray()
    weights = _cluster_weights(overlap, ensemble.cluster_counts, balance)
    problem = _Hypergraph(rows.toarray(), weights, np.sqrt(groups.sizes)[:, None])
    learnt = _learn(problem, n_clusters, max_iter)
    component = _components(learnt.members)
    found = int(component.max()) + 1
    converged = found == n_clusters
    if found > n_clusters:
        component = merged_components("CESHL", component, groups, n_clusters)
    elif found < n_clusters:
        vectors = problem.spectrum(learnt.members, n_clusters)[0]
        remedy = _remedy(n_clusters, ensemble.n_clusters)
        component = split_components(
            "CESHL", component, vectors, groups.sizes, n_clusters, remedy=remedy
        )
    details = {
        "cluster_weights": Along(weights, ("cluster",)),
        "n_components": found,
        "n_iter": learnt.n_iter,
        "converged": converged,
    }
    return ConsensusResult(component[groups.labels], ensemble, details=details)


def _require_memory(order: int, n_base: int) -> None:
    """Raise an error if the memberships of the distinct rows, and all made of them, do not fit."""
    require_bytes(
        8.0 * _ARRAYS * order * n_base,
        step="CESHL",
        why=f"{_ARRAYS} arrays of {order} distinct rows × {n_base} clusters",
        remedy="Use fewer partitions, or a machine with more memory.",
    )


def _remedy(n_clusters: int, n_base: int) -> str:
    """What to do about too few components: more rounds, if there was any."""
    if n_clusters < n_base:
        return "raise max_iter"
    return (
        f"ask for fewer than {n_base} clusters, which is the number of base clusters, "
        f"or add partitions"
    )


def _cluster_weights(overlap: Array, cluster_counts: Array, balance: float) -> Array:
    """Weights of the base clusters: their scores, made alike where clusters overlap.

    The minimum of w'(I − S) w + λ ‖w − s‖² over w ≤ 1. Its matrix has no positive entry beside
    the diagonal, so that no weight is negative, and that the primal-dual active set method ends:
    a weight is set to 1 if it would be larger, and released if it would rather be smaller.
    """
    shared = np.sqrt(overlap.sum(axis=1))
    matrix = (1 + balance) * np.eye(len(overlap)) - overlap / np.outer(shared, shared)
    right = balance * _scores(overlap, cluster_counts)
    at_most = np.zeros(len(overlap), bool)
    for _ in range(len(overlap) + 1):
        weights, free = np.ones(len(overlap)), ~at_most
        given = right[free] - matrix[np.ix_(free, at_most)].sum(axis=1)
        weights[free] = np.linalg.solve(matrix[np.ix_(free, free)], given)
        pull = right - matrix @ weights  # of the function, upwards; 0 where a weight is free
        changed = np.where(at_most, pull > 0, weights > 1)
        if (changed == at_most).all():
            break
        at_most = changed
    return np.minimum(weights, 1)


def _scores(overlap: Array, cluster_counts: Array) -> Array:
    """Mean co-association of the pairs of samples of each base cluster, its own included."""
    together = sums_by_partition(overlap**2, cluster_counts, axis=1)
    labeled = sums_by_partition(overlap, cluster_counts, axis=1)
    shares = np.divide(together, labeled**2, out=np.zeros_like(together), where=labeled > 0)
    return np.asarray(shares.sum(axis=1) / (labeled > 0).sum(axis=1))


class _Hypergraph(NamedTuple):
    """Distinct rows and base clusters. Memberships of a row of r samples are multiplied by √r.

    Then sums of squares over rows are those over samples.
    """

    given: Array  # (rows, c): zeros and ones
    weights: Array  # (c,)
    root: Array  # (rows, 1): √r

    def degrees(self, members: Array) -> tuple[Array, Array]:
        """Inverse root of the degrees of the rows, and inverse degrees of the clusters."""
        of_rows = 1 / np.sqrt(np.maximum(members @ self.weights[:, None] / self.root, _EPS))
        return of_rows, 1 / np.maximum(self.root[:, 0] @ members, _EPS)

    def spectrum(self, members: Array, count: int) -> tuple[Array, Array]:
        """Eigenvectors of the `count` smallest eigenvalues of the Laplacian; one value more."""
        of_rows, of_clusters = self.degrees(members)
        scaled = members * of_rows * np.sqrt(self.weights * of_clusters)
        last = len(self.weights) - 1
        values, vectors = eigenpairs(scaled.T @ scaled, max(last - count, 0), last)
        values, vectors = values[::-1], vectors[:, ::-1][:, :count]
        vectors = scaled @ vectors / np.sqrt(np.maximum(values[:count], _EPS))
        return vectors, np.maximum(1 - values, 0)

    def objective(self, flat: Array, vectors: Array, penalty: float) -> tuple[float, Array]:
        """‖(Y − H) W‖² − ρ tr(F' (I − L) F), and its gradient."""
        members = flat.reshape(self.given.shape)
        if not members.any(axis=1).all():
            return np.inf, flat  # a sample in no cluster: its degree has no inverse
        weights, (of_rows, of_clusters) = self.weights, self.degrees(members)
        change = members - self.root * self.given
        seen = vectors.T @ (members * of_rows)  # (K, c)
        kept = seen * (weights * of_clusters)
        loss = float(np.square(change * weights).sum() - penalty * np.sum(kept * seen))
        by_rows = ((members @ kept.T) * vectors).sum(axis=1, keepdims=True)
        by_clusters = (seen * kept).sum(axis=0) * of_clusters
        slope = self.root * by_clusters + by_rows * of_rows**3 / self.root * weights
        slope -= 2 * of_rows * (vectors @ kept)
        slope *= penalty
        slope += 2 * change * weights**2
        return loss, slope.ravel()


class _Learnt(NamedTuple):
    members: Array
    n_iter: int


def _learn(problem: _Hypergraph, n_clusters: int, max_iter: int) -> _Learnt:
    """Change the memberships, with a growing penalty, until there are K components."""
    members = problem.root * problem.given
    parts = int(_components(members).max()) + 1
    if parts >= n_clusters or n_clusters >= len(problem.weights):
        return _Learnt(members, 0)  # the constraint is met, or cannot be
    upper = np.repeat(problem.root, members.shape[1])
    penalty, vectors = _FIRST_PENALTY, problem.spectrum(members, n_clusters)[0]
    for n_iter in range(1, max_iter + 1):
        objective = partial(problem.objective, vectors=vectors, penalty=penalty)
        members = descend_in_box(objective, members.ravel(), upper, _STEPS)
        members = members.reshape(problem.given.shape)
        found, values = problem.spectrum(members, n_clusters)
        if values[:n_clusters].sum() > _TOGETHER:
            penalty, vectors = 2 * penalty, found
        elif values.sum() < _APART:
            penalty /= 2
        elif n_iter > 1:
            break
        else:
            vectors = found
    return _Learnt(members, n_iter)


def _components(members: Array) -> Array:
    """Connected component of each row, by the memberships that are not 0."""
    return components_of_columns(members.T > 0)


class CESHL(BaseConsensus):
    r"""Clustering ensemble via structured hypergraph learning.

    The base clusters are the edges of a hypergraph, and :math:`H_{ij}` is 1 if sample :math:`i`
    is in cluster :math:`j`. Memberships :math:`Y` in [0, 1] near :math:`H` are learned, so that
    the samples fall into K connected components, which are the consensus [1]_:

    .. math::
        \min_Y \|(Y - H) W\|_F^2 \quad \text{such that} \quad
        L = I - D_v^{-1/2} Y W D_e^{-1} Y^T D_v^{-1/2}

    has K eigenvalues 0, with :math:`D_v` and :math:`D_e` the degrees of the samples, weighted by
    :math:`W`, and of the clusters. The constraint is replaced by
    :math:`\rho \operatorname{tr} F^T L F`, where :math:`F` are the eigenvectors of the K smallest
    eigenvalues; :math:`\rho` is doubled while there are fewer components, and halved if there
    are more. In each round projected L-BFGS makes up to 20 steps.

    The weights :math:`w` of the clusters, the diagonal of :math:`W`, follow their scores
    :math:`s`, the mean co-association of the pairs of samples in a cluster, and are made alike
    where clusters overlap, with :math:`C = H^T H` and :math:`D` its row sums:

    .. math:: \min_{0 \le w \le 1} w^T (I - D^{-1/2} C D^{-1/2}) w + \lambda \|w - s\|^2.

    Parameters
    ----------
    %(n_clusters)s
    balance : float, default=1000.0
        :math:`\lambda`. The authors try powers of 10 from 0.001 to 1000 and give no default. This
        one has the best mean NMI of three draws of MF and three of Semeion.
    max_iter : int, default=30
        Maximum number of rounds; usually about ten are enough. The authors allow 100, but what
        is stuck after 30 seldom moves again.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    %(labels_)s
    cluster_weights_ : ndarray of shape (number of base clusters,)
        Weight of each base cluster.
    n_components_ : int
        Number of connected components of the learned hypergraph.
    converged_ : bool
        Whether there are `n_clusters` components.
    n_iter_ : int
        Number of rounds.
    %(fitted)s

    See Also
    --------
    ceshl : The same for an existing `Ensemble`.
    SPCE : Learns a graph of the samples with K components.
    HBGF : Partitions the same hypergraph as it is.

    Notes
    -----
    No n × n array, but 25 arrays of the distinct rows and all base clusters: samples with equal
    rows are one row of the problem, with the same solution. A missing label is a membership of 0,
    which may grow, and is left out of the scores. If the hypergraph has K or more components as it
    is, nothing is learned. If there are too many components in the end, they are merged by average
    linkage on their mean co-association; if there are too few, k-means divides the rows of the
    eigenvectors; both with a warning. So it is, without learning, for as many clusters as there
    are base clusters or more: each component has a base cluster of its own. As many clusters as
    distinct rows are these rows.

    The authors' program takes the eigenvectors of :math:`D_v - Y W D_e^{-1} Y^T` for :math:`F`,
    in place of those of :math:`L` as in the paper and here. Scores, weights, objective and
    gradient are equal to those of the program.

    References
    ----------
    .. [1] P. Zhou, X. Wang, L. Du and X. Li, "Clustering ensemble via structured hypergraph
       learning", Information Fusion 78, 2022. :doi:`10.1016/j.inffus.2021.09.003`

    Examples
    --------
    >>> from consensa import CESHL
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> CESHL(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(ceshl)
    balance: float = 1000.0
    max_iter: int = 30
    cluster_weights_ = Detail()
    n_components_ = Detail()
    converged_ = Detail()
