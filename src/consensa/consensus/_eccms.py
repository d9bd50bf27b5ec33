"""EC-CMS: self-enhancement of the co-association matrix from its certain pairs (Jia et al.)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import ENTROPY_SCALE
from consensa._machine.threads import over_row_blocks
from consensa._result import ConsensusResult
from consensa.consensus import _eccms_kernels as kernels
from consensa.consensus._exchangeable import (
    Resolvent,
    agglomerated,
    compress,
    row_chunks,
    squared_norm,
    symmetrized,
)
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.consensus.needs import groups_that_fit
from consensa.ensemble import Ensemble
from consensa.exceptions import ConvergenceWarning
from consensa.similarity import cluster_certainty, coassociation, enhanced_coassociation

__all__ = ["ECCMS", "eccms"]

_NEGLIGIBLE = 1e-4  # norm of a matrix relative to that of the evidence


@consensus_method(
    MethodInfo(
        name="EC-CMS",
        year=2023,
        reference="Y. Jia, S. Tao, R. Wang and Y. Wang, IEEE TNNLS 35(8)",
        time="n² (m + log n) + 30 to 100 × g³, g microclusters",
        memory="3 n² + 11 g²",
        square_arrays=3,
        missing=False,
    ),
)
def eccms(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    threshold: float = 0.75,
    penalty: float = 0.01,
    theta: float = ENTROPY_SCALE,
    tol: float = 0.01,
    max_iter: int = 100,
) -> ConsensusResult:
    """Consensus of `ensemble` by self-enhancement of the co-association matrix.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    threshold : float, default=0.75
        Minimum co-association of a certain pair.
    penalty : float, default=0.01
        Weight of the changes to the matrix.
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy.
    tol : float, default=0.01
        Relative change below which the solver stops.
    max_iter : int, default=100
        Maximum number of iterations of the solver.

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
    groups = groups_that_fit(ensemble, arrays=11, step="EC-CMS's matrix")
    certain, evidence = _certain_pairs_and_evidence(ensemble, threshold, theta)
    solved = _enhance(certain, evidence, groups.sizes, penalty, tol, max_iter)
    if not solved.converged:
        message = (
            f"EC-CMS did not converge in {max_iter} iterations: the largest relative change is "
            f"{solved.residuals[-1]:.3g}, tol is {tol:g}. Raise max_iter or tol."
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
    return agglomerated(ensemble, n_clusters, solved.enhanced, solved.residuals, solved.converged)


def _certain_pairs_and_evidence(
    ensemble: Ensemble, threshold: float, theta: float
) -> tuple[Array, Array]:
    """H and A: certain co-associations without the diagonal, and the weighted co-association.

    H between microclusters; A in the short form of `_exchangeable`.
    """
    rows = Ensemble(ensemble.microclusters().rows)  # with the clusters' numbers of `ensemble`
    certain = coassociation(rows)
    certain[certain < threshold] = 0
    certainty = cluster_certainty(ensemble, theta=theta)
    between = enhanced_coassociation(rows, sparse.diags_array(certainty))
    np.fill_diagonal(between, certainty[rows.cluster_ids].mean(axis=1))
    return certain, compress(between, 1.0)


class _Solved(NamedTuple):
    enhanced: Array  # C, in short form
    residuals: Array
    converged: bool


def _enhance(
    certain: Array, evidence: Array, sizes: Array, penalty: float, tol: float, max_iter: int
) -> _Solved:
    """The authors' alternating direction method, with step sizes 1, in their order of updates."""
    solver = _Solver(certain, evidence, sizes, penalty)
    residuals: list[float] = []
    while len(residuals) < max_iter:
        residuals.append(solver.iterate())
        if residuals[-1] < tol:
            break
    return _Solved(solver.result(), np.asarray(residuals), residuals[-1] < tol)


class _Solver:
    """C, E, F and the multipliers Y1 of A = C + E and Y2 of C = F, as in the authors' program.

    E and Y1 are parts of one matrix X = Y1 + A − C: E = X / (λ + 1) where no pair is certain
    and 0 elsewhere, the new Y1 = X − E. In the same way the new Y2 = V − F with V = Y2 + C. So
    X, V and F are kept. All in short form, worked on by blocks of rows.
    """

    def __init__(self, certain: Array, evidence: Array, sizes: Array, penalty: float) -> None:
        self.evidence = evidence  # A
        self.weights = np.append(sizes, 1.0)
        self.resolvent = Resolvent(certain, sizes.astype(np.float64)).at(2.0)
        self.certain = compress(certain > 0, False)
        self.share = 1 / (penalty + 1)
        self.enhanced = np.zeros_like(evidence)  # C
        self.previous = np.empty_like(evidence)
        self.bounded = np.zeros_like(evidence)  # F
        self.explained = evidence.copy()  # X; at the start E = 0 and Y1 = A
        self.shifted = np.zeros_like(evidence)  # V
        self.target = 2 * evidence  # Y1 − E + A + F − Y2
        self.started = False
        squares = (
            squared_norm(evidence[rows], rows, self.weights[:-1])
            for rows in row_chunks(len(evidence))
        )
        self.negligible = _NEGLIGIBLE**2 * sum(squares)

    def iterate(self) -> float:
        """One round of updates; the largest relative change of the five matrices."""
        self.enhanced, self.previous = self.previous, self.enhanced
        self.resolvent.apply(self.target, out=self.enhanced)
        c, c_old, e, e_old, y1, y1_old, y2_old = self._sums(self._update, 7)
        self._over_rows(self._bound)
        f, f_old, y2 = self._sums(self._aim, 3)
        self.started = True
        # The relative change of a vanishing matrix, such as E if nothing is certain, stays
        # constant. For a negligible norm, the change is relative to a fixed norm instead.
        pairs = [(c, c_old), (e, e_old), (f, f_old), (y1, y1_old), (y2, y2_old)]
        return float(np.sqrt(max(new / max(old, self.negligible) for new, old in pairs)))

    def _sums(self, work: Callable[[int, int, Array], None], count: int) -> list[float]:
        def block(start: int, stop: int) -> Array:
            totals = np.empty(count)
            work(start, stop, totals)
            return totals

        return [float(total) for total in np.sum(self._over_rows(block), axis=0)]

    def _over_rows(self, work: Callable[[int, int], Any]) -> list[Any]:
        return over_row_blocks(work, len(self.evidence), kernels.BLOCK)

    def _update(self, start: int, stop: int, totals: Array) -> None:
        kernels.update_rows(
            self.enhanced, self.previous, self.explained, self.evidence, self.shifted,
            self.bounded, self.certain, self.weights, start, stop,
            self.share, self.share if self.started else 0.0, totals,
        )  # fmt: skip

    def _bound(self, start: int, stop: int) -> None:
        kernels.bound_rows(self.shifted, self.target, start, stop)

    def _aim(self, start: int, stop: int, totals: Array) -> None:
        kernels.aim_rows(
            self.shifted, self.bounded, self.enhanced, self.explained, self.evidence,
            self.certain, self.target, self.weights, start, stop, self.share, totals,
        )  # fmt: skip

    def result(self) -> Array:
        """C, symmetrized, in [0, 1]."""
        chunks = row_chunks(len(self.enhanced))
        return np.vstack([np.clip(symmetrized(self.enhanced, rows), 0, 1) for rows in chunks])


class ECCMS(BaseConsensus):
    r"""Ensemble clustering by self-enhancement of the co-association matrix.

    Pairs of samples that nearly all partitions put into the same cluster are certain; they are
    few and reliable. They form a sparse graph :math:`H` with Laplacian :math:`\Phi`, along which
    the locally weighted co-association :math:`A` (see `LWEA`) is smoothed, while the certain
    entries do not change [1]_:

    .. math::
        \min_{C, E} \; \mathrm{tr}(C^\top \Phi C) + \frac{\lambda}{2} \|E\|_F^2
        \quad \text{s.t. } A = C + E, \; E_{ij} = 0 \text{ where } H_{ij} > 0, \;
        C = C^\top, \; 0 \le C \le 1.

    The enhanced matrix :math:`C` is agglomerated by average linkage. Unlike LTA, by the same
    first author, it is order-free.

    Parameters
    ----------
    %(n_clusters)s
    threshold : float, default=0.75
        Minimum co-association :math:`\alpha` of a certain pair. Above 1, no pair is certain, and
        the result is that of LWEA.
    penalty : float, default=0.01
        Weight :math:`\lambda` of the changes :math:`E`: small values change the matrix more.
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy, as in `LWEA`.
    tol : float, default=0.01
        Tolerance on the relative change of each matrix. The authors' value.
    max_iter : int, default=100
        Maximum number of iterations of the solver. The authors' value.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Enhanced co-association matrix, symmetrized, in the array library of the input.
    %(linkage_matrix_)s
    converged_ : bool
        Whether the solver reached `tol`.
    %(n_iter_)s
    residuals_ : ndarray of shape (n_iter,)
        Largest relative change of each iteration.
    %(fitted)s

    See Also
    --------
    eccms : The same for an existing `Ensemble`.
    LWEA : Agglomerates the matrix without enhancement.
    SDGCA : Also uses pairs that are certainly apart.

    Notes
    -----
    The authors call `threshold` and `penalty` tunable and choose them for each data set. The
    defaults are those of their program, 0.75 and 0.01, set there for its example of 336
    samples. The public Python port PCE has 0.8 and 0.4, and uses its 0.4 for `theta` as well;
    on the digits and on the seven sets of the LTA paper those do better.

    The solver works on the g microclusters, the groups of samples that no partition tells
    apart: one product of g × g matrices an iteration, 11 such matrices in memory. The matrix
    and its tree need three n × n arrays. The authors use the lower triangle of the matrix,
    which is not exactly symmetric at their tolerance; here it is symmetrized, so that the
    result is order-free.

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
    threshold: float = 0.75
    penalty: float = 0.01
    theta: float = ENTROPY_SCALE
    tol: float = 0.01
    max_iter: int = 100
    residuals_ = Detail()
    converged_ = Detail()
