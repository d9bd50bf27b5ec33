"""DREC: each microcluster is represented as a mixture of the others (Zhou et al. 2019)."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh, svd

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._machine.memory import require_square
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.exceptions import ConvergenceWarning
from consensa.partition import cut_by_spectrum

__all__ = ["DREC", "drec"]

_RANK_ABOVE = 1e-10  # eigenvalues below it, relative to the largest, are treated as 0
_KEPT_ABOVE = 1e-4  # smallest singular value of the representation that is used for the affinity
_SETTLED = 1e-3  # maximum relative change of the objective in the last round if converged


@consensus_method(
    MethodInfo(
        name="DREC",
        year=2019,
        reference="J. Zhou, H. Zheng and L. Pan, Neurocomputing 357",
        time="n m log n + q c² + q² c, q microclusters, c clusters in all",
        memory="4 to 8 q²",
        missing=False,
        revision=2,
    ),
)
def drec(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    penalty: float = 100,
    max_iter: int = 5,
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by dense representation.

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions, without missing labels.
    %(n_clusters)s
    penalty : float, default=100
        Weight of the squared norm of the representation.
    max_iter : int, default=5
        Number of rounds.
    n_init : int, default=20
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Returns
    -------
    ConsensusResult
        Labels, and the details ``microcluster_affinity``, ``objective``, ``n_iter`` and
        ``converged``.

    See Also
    --------
    DREC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, drec
    >>> drec(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    groups = ensemble.microclusters()
    n_groups = len(groups.sizes)
    needed = 4 + 4 * min(ensemble.n_clusters / n_groups, 1)  # eigenvectors are q × c at most
    require_square(
        n_groups, np.float64, arrays=needed, step="DREC on the microclusters", of="microclusters"
    )
    memberships = Ensemble(groups.rows).membership()
    eigenvalues, vectors = _gram_eigenvectors(memberships.T.tocsr())  # of X: (c, q)
    solved = _represent(eigenvalues, vectors, float(penalty), max_iter)
    affinity = _affinity(solved)
    group_labels = cut_by_spectrum(affinity, n_clusters, n_init=n_init, random_state=random_state)
    converged = _converged(solved.objective)
    details = {
        "microcluster_affinity": Along(affinity, ("microcluster", "microcluster")),
        "objective": solved.objective,
        "n_iter": len(solved.objective),
        "converged": converged,
    }
    if not converged:
        _warn_of_convergence(solved.objective)
    return ConsensusResult(group_labels[groups.labels], ensemble, details=details)


class _Representation(NamedTuple):
    """Z = basis @ coefficients; the basis has orthonormal columns."""

    basis: Array  # V: (q, r)
    coefficients: Array  # (r, q)
    objective: Array  # after each round


def _gram_eigenvectors(memberships: Any) -> tuple[Array, Array]:
    """Positive eigenvalues and eigenvectors of X'X, by the smaller of X'X and XX'."""
    wide = memberships.shape[0] < memberships.shape[1]
    gram = memberships @ memberships.T if wide else memberships.T @ memberships
    eigenvalues, vectors = eigh(gram.toarray(), overwrite_a=True)
    present = eigenvalues > _RANK_ABOVE * eigenvalues[-1]
    eigenvalues, vectors = eigenvalues[present], vectors[:, present]
    if wide:
        vectors = (memberships.T @ vectors) / np.sqrt(eigenvalues)
    return eigenvalues, vectors  # (r,), (q, r)


def _represent(
    eigenvalues: Array, vectors: Array, penalty: float, max_iter: int
) -> _Representation:
    """Minimize ‖X − XZ‖₂,₁ + λ‖Z‖² by reweighted least squares.

    With the weights D of the columns, a round solves X'X Z + Z λD⁻¹ = X'X. The eigenvectors V
    and eigenvalues w of X'X reduce it to divisions in all rounds: column j of V'Z is
    w V'ⱼ / (w + λ/Dⱼ). Eigenvectors of the eigenvalue 0 do not contribute to Z.
    """
    basis, w = vectors.T, eigenvalues[:, None]  # (r, q), (r, 1)
    shift = np.full(basis.shape[1], penalty)  # λ/D; D is the identity at first
    objective = []
    for _ in range(max_iter):
        coefficients = w / (w + shift) * basis
        missed = np.sqrt((w * (basis - coefficients) ** 2).sum(axis=0))
        objective.append(missed.sum() + penalty * (coefficients**2).sum())
        shift = 2 * penalty * missed  # the next D is 1 / (2 ‖column of X − XZ‖)
    return _Representation(vectors, coefficients, np.array(objective))


def _affinity(solved: _Representation) -> Array:
    """Fourth power of the cosines of the rows of U √S, with Z = U S V' without small values."""
    left, singular, _ = svd(solved.coefficients, full_matrices=False)
    kept = singular > _KEPT_ABOVE * singular[0]
    rows = solved.basis @ (left[:, kept] * np.sqrt(singular[kept]))
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    np.divide(rows, norms, out=rows, where=norms > 0)
    affinity = rows @ rows.T
    np.square(affinity, out=affinity)
    return np.square(affinity, out=affinity)


def _converged(objective: Array) -> bool:
    return len(objective) > 1 and bool(abs(np.diff(objective)[-1]) <= _SETTLED * objective[-1])


def _warn_of_convergence(objective: Array) -> None:
    rounds = len(objective)
    message = (
        f"DREC did not converge in {rounds} rounds: its objective changed by more than "
        f"{_SETTLED:.1%} in the last one. Set max_iter={4 * rounds}, or a larger penalty."
    )
    warnings.warn(message, ConvergenceWarning, stacklevel=5)


class DREC(BaseConsensus):
    r"""Consensus by dense representation.

    Samples with equal labels in every partition form microclusters. With :math:`X` the memberships
    of the microclusters (one column each) in the base clusters, each microcluster is written as
    a mixture of all of them,

    .. math:: \min_Z \; \|X - X Z\|_{2,1} + \lambda \|Z\|_F^2,

    where the first norm sums the lengths of the columns. From the singular value
    decomposition :math:`Z = U S V^\top`, the affinity of two microclusters is the fourth power
    of the cosine of their rows in :math:`U S^{1/2}`; it is partitioned by spectral clustering
    [1]_. The sizes of the microclusters are not used.

    Parameters
    ----------
    %(n_clusters)s
    penalty : float, default=100
        Weight :math:`\lambda`. The authors' program has no default: it plots the scores for
        0.001 to 1000 in powers of ten. With 100, the value of a public port, five rounds
        converge and all solvers agree; below 0.1 the problem is so ill-conditioned that correct
        solvers disagree.
    max_iter : int, default=5
        Number of rounds of reweighting; all of them are run. 5 is the authors' value.
    n_init : int, default=20
        Number of starts of k-means in the spectral step; the authors use 100.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the spectral step.

    Attributes
    ----------
    %(labels_)s
    microcluster_affinity_ : ndarray of shape (n_microclusters, n_microclusters)
        Affinity of the microclusters, in the order of ``ensemble_.microclusters()``.
    objective_ : ndarray of shape (max_iter,)
        Objective after each round.
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the objective changed by at most 0.1 % in the last round.
    %(fitted)s

    See Also
    --------
    drec : The same for an existing `Ensemble`.
    PTGP : Another method on microclusters.
    consensa.partition.cut_by_spectrum : The spectral step.

    Notes
    -----
    One eigendecomposition is used in all rounds. Time :math:`O(n m \log n)` for the q
    microclusters, then :math:`O(q c^2 + q^2 c)` for c clusters in all. Memory for four q × q
    arrays, eight if there are more clusters than microclusters, which is checked before they
    are made; q is at most n, and much smaller if the partitions agree.

    References
    ----------
    .. [1] J. Zhou, H. Zheng and L. Pan, "Ensemble clustering based on dense representation",
       Neurocomputing 357, 2019. :doi:`10.1016/j.neucom.2019.04.078`

    Examples
    --------
    Three partitions of five samples; the third one disagrees on one sample.

    >>> from consensa import DREC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> DREC(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(drec)
    penalty: float = 100
    max_iter: int = 5
    n_init: int = KMEANS_STARTS
    microcluster_affinity_ = Detail()
    objective_ = Detail()
    converged_ = Detail()
