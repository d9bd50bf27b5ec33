"""EC-CMS: a co-association matrix that enhances itself from its certain pairs (Jia et al.)."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from consensa._array import to_library
from consensa._ensemble import Ensemble
from consensa._memory import require_square
from consensa._params import Integer, Real
from consensa._result import ConsensusResult
from consensa.consensus._base import BaseConsensus, MethodInfo, consensus_method
from consensa.consensus._exchangeable import (
    Resolvent,
    compress,
    entry_counts,
    expand,
    transpose,
)
from consensa.exceptions import ConvergenceWarning
from consensa.partition import linkage_tree
from consensa.similarity import cluster_certainty, coassociation, enhanced_coassociation

__all__ = ["ECCMS", "eccms"]

_NEGLIGIBLE = 1e-4  # norm of a matrix over that of the evidence
_CHUNK = 64  # rows at a time whose norms are taken: they stay in the cache
_Array = np.ndarray[Any, Any]


@consensus_method(
    MethodInfo(
        name="EC-CMS",
        year=2023,
        reference="Y. Jia, S. Tao, R. Wang and Y. Wang, IEEE TNNLS 35(8)",
        time="n² (m + log n) + 30 to 100 × g³, g microclusters",
        memory="3 n² + 11 g²",
        square_arrays=3,
        order_free=True,
        missing=False,
    ),
    threshold=(Real(above=0),),
    penalty=(Real(above=0),),
    theta=(Real(above=0),),
    tol=(Real(above=0),),
    max_iter=(Integer(1),),
)
def eccms(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    threshold: float = 0.8,
    penalty: float = 0.4,
    theta: float = 0.4,
    tol: float = 0.01,
    max_iter: int = 100,
) -> ConsensusResult:
    """Consensus of `ensemble` by self-enhancement of the co-association matrix.

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions.
    n_clusters : int
        Number of clusters to cut.
    threshold : float, default=0.8
        Co-association from which a pair is certain.
    penalty : float, default=0.4
        Weight of the changes to the matrix.
    theta : float, default=0.4
        How slowly the certainty of a cluster falls with its entropy.
    tol : float, default=0.01
        Relative change below which the solver stops.
    max_iter : int, default=100
        Most iterations of the solver.

    Returns
    -------
    ConsensusResult
        Labels, the enhanced matrix, its tree, and details: ``converged``, ``n_iter``,
        ``residuals``.

    See Also
    --------
    ECCMS : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, eccms
    >>> eccms(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    groups = ensemble.microclusters()
    require_square(
        len(groups.sizes), np.float64, arrays=11, step="EC-CMS's matrix", of="microclusters"
    )
    certain, evidence = _certain_pairs_and_evidence(ensemble, threshold, theta)
    solved = _enhance(certain, evidence, groups.sizes, penalty, tol, max_iter)
    if not solved.converged:
        message = (
            f"EC-CMS did not converge in {max_iter} iterations: the largest relative change is "
            f"{solved.residuals[-1]:.3g}, tol is {tol:g}. Raise max_iter or tol."
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
    affinity = expand(solved.enhanced, groups.labels)
    tree = linkage_tree(affinity, method="average")
    return ConsensusResult(
        tree.cut(n_clusters),
        ensemble,
        affinity=to_library(affinity, like=ensemble.labels),
        tree=tree,
        details={
            "converged": solved.converged,
            "n_iter": len(solved.residuals),
            "residuals": solved.residuals,
        },
    )


def _certain_pairs_and_evidence(
    ensemble: Ensemble, threshold: float, theta: float
) -> tuple[_Array, _Array]:
    """H and A: certain co-associations without the diagonal, and the weighted co-association.

    H between microclusters; A in the short form of `_exchangeable`.
    """
    rows = Ensemble(ensemble.microclusters().rows)  # with the clusters' numbers of `ensemble`
    certain = coassociation(rows)
    certain[certain < threshold] = 0
    certainty = cluster_certainty(ensemble, theta=theta)
    between = enhanced_coassociation(rows, np.diag(certainty))
    np.fill_diagonal(between, certainty[rows.cluster_ids].mean(axis=1))
    return certain, compress(between, 1.0)


class _Solved(NamedTuple):
    enhanced: _Array  # C, in short form
    residuals: _Array
    converged: bool


def _enhance(
    certain: _Array, evidence: _Array, sizes: _Array, penalty: float, tol: float, max_iter: int
) -> _Solved:
    """The authors' alternating directions, with step sizes 1, in their order of updates.

    A, C, E, F and the multipliers Y1, Y2 as in their program. Y1 starts at A there, too.
    """
    resolvent = Resolvent(certain, sizes)
    parts = resolvent.at(2.0)
    fixed = np.column_stack([certain > 0, np.zeros(len(certain), bool)])  # where E stays 0
    counts = entry_counts(sizes)
    negligible = _NEGLIGIBLE**2 * _sum_of_squares(evidence, counts)
    nothing = np.zeros_like(evidence)
    state = _State(nothing, nothing, nothing, evidence, nothing)
    residuals: list[float] = []
    while len(residuals) < max_iter:
        target = evidence - state.error
        target += state.multiplier1
        target += state.bounded
        target -= state.multiplier2
        enhanced = resolvent.apply(parts, target)

        explained = np.subtract(evidence, enhanced, out=target)
        explained += state.multiplier1
        error = explained / (penalty + 1)
        error[fixed] = 0
        multiplier1 = np.subtract(explained, error, out=explained)  # Y1 + A − C − E

        shifted = enhanced + state.multiplier2
        bounded = shifted + transpose(shifted)
        bounded /= 2
        np.clip(bounded, 0, 1, out=bounded)
        multiplier2 = np.subtract(shifted, bounded, out=shifted)  # Y2 + C − F

        new = _State(enhanced, error, bounded, multiplier1, multiplier2)
        pairs = zip(new, state, strict=True)
        residuals.append(max(_relative_change(a, b, counts, negligible) for a, b in pairs))
        state = new
        if residuals[-1] < tol:
            break
    symmetric = np.clip((state.enhanced + transpose(state.enhanced)) / 2, 0, 1)
    return _Solved(symmetric, np.asarray(residuals), residuals[-1] < tol)


class _State(NamedTuple):
    enhanced: _Array  # C
    error: _Array  # E
    bounded: _Array  # F, the symmetric copy of C in [0, 1]
    multiplier1: _Array  # Y1, of A = C + E
    multiplier2: _Array  # Y2, of C = F


def _relative_change(new: _Array, old: _Array, counts: _Array, negligible: float) -> float:
    """Frobenius norm of the change over that of the old matrix.

    A matrix that vanishes, such as E where nothing is certain, changes by the same share for
    ever. Below a negligible norm, the change is measured by that.
    """
    change = reference = 0.0
    for start in range(0, len(new), _CHUNK):
        rows = slice(start, start + _CHUNK)
        change += _sum_of_squares(new[rows] - old[rows], counts[rows])
        reference += _sum_of_squares(old[rows], counts[rows])
    return float(np.sqrt(change / max(reference, negligible)))


def _sum_of_squares(matrix: _Array, counts: _Array) -> float:
    return float(np.vdot(matrix * matrix, counts))


class ECCMS(BaseConsensus):
    r"""Ensemble clustering by self-enhancement of the co-association matrix.

    Pairs of samples that nearly all partitions put together are certain; they are few, and
    right. They form a sparse graph :math:`H` with Laplacian :math:`\Phi`, along which the
    locally weighted co-association :math:`A` (see `LWEA`) is made smooth, while the certain
    entries themselves stay [1]_:

    .. math::
        \min_{C, E} \; \mathrm{tr}(C^\top \Phi C) + \frac{\lambda}{2} \|E\|_F^2
        \quad \text{s.t. } A = C + E, \; E_{ij} = 0 \text{ where } H_{ij} > 0, \;
        C = C^\top, \; 0 \le C \le 1.

    The enhanced matrix :math:`C` is agglomerated by average linkage. Unlike LTA, by the same
    first author, it does not depend on the order of the rows.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    threshold : float, default=0.8
        Co-association :math:`\alpha` from which a pair is certain. Above 1, no pair is, and
        the method is close to LWEA. The authors tune it for each data set; their program
        has 0.75 for its example of 336 samples.
    penalty : float, default=0.4
        Weight :math:`\lambda` of the changes :math:`E`: small values change the matrix more.
        Tuned by the authors, too; 0.01 in their example. With 20 partitions of the digits,
        (0.75, 0.01) falls far behind LWEA; the defaults here are those in use elsewhere.
    theta : float, default=0.4
        How slowly the certainty of a cluster falls with its entropy, as in `LWEA`.
    tol : float, default=0.01
        The solver stops when no matrix changes by more than this share. The authors' value.
    max_iter : int, default=100
        Most iterations of the solver. The authors' value.
    generator : object with ``generate(X, *, random_state)``, "precomputed" or None, default=None
        Makes the base partitions. With ``"precomputed"``, the `X` of `fit` is the label
        matrix; None is ``RandomKMeans()``.
    random_state : int, RandomState instance or None, default=None
        Seed of the generator. The consensus itself draws nothing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, numbered in order of first appearance.
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Enhanced co-association matrix, symmetrised, in the array library of the input.
    linkage_matrix_ : ndarray of shape (n_samples - 1, 4)
        The tree, in SciPy's form.
    converged_ : bool
        Whether the solver met `tol`.
    n_iter_ : int
        Number of iterations of the solver.
    residuals_ : ndarray of shape (n_iter_,)
        Largest relative change of each iteration.
    ensemble_ : Ensemble
        Base partitions that were combined.
    n_features_in_ : int
        Number of columns of `X`.

    See Also
    --------
    eccms : The same on an `Ensemble` that you already have.
    LWEA : Agglomerates the matrix without enhancing it.
    SDGCA : Adds pairs that are certainly apart.

    Notes
    -----
    The solver works on the g microclusters, the groups of samples that no partition tells
    apart: one product of g × g matrices an iteration, 11 such matrices in memory. The matrix
    and its tree take three n × n arrays. The authors cut the lower triangle of the matrix,
    which is not quite symmetric at their tolerance; here it is symmetrised, so that the
    order of the rows cannot matter.

    References
    ----------
    .. [1] Y. Jia, S. Tao, R. Wang and Y. Wang, "Ensemble clustering via co-association matrix
       self-enhancement", IEEE TNNLS 35(8), 2024. :doi:`10.1109/TNNLS.2023.3249207`

    Examples
    --------
    >>> from consensa import ECCMS
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> ECCMS(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(eccms)

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        threshold: float = 0.8,
        penalty: float = 0.4,
        theta: float = 0.4,
        tol: float = 0.01,
        max_iter: int = 100,
        generator: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.penalty = penalty
        self.theta = theta
        self.tol = tol
        self.max_iter = max_iter
        self.generator = generator
        self.random_state = random_state
