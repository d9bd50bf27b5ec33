"""NMF consensus: factorize the co-association matrix (Li et al.)."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.exceptions import ConvergenceWarning
from consensa.partition import cut_bipartite

__all__ = ["NMFConsensus", "nmfconsensus"]

_OFFSET = 0.2  # added to the indicator of the initial labels, because zeros would not change
_OVERLAPS_AT_ONCE = 2**24  # whose squares are added
_TINY = np.finfo(np.float64).tiny


@consensus_method(
    MethodInfo(
        name="NMFConsensus",
        year=2007,
        reference="T. Li, C. Ding and M. I. Jordan, ICDM 2007",
        time="n m + g m K × iterations, g microclusters",
        memory="n m + g K",
        missing=False,
        arrays=(Arrays(5, "cK"), Arrays(8, "sK")),
        revision=3,
    ),
)
def nmfconsensus(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    tol: float = 1e-4,
    max_iter: int = 2000,
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by non-negative matrix factorization.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    tol : float, default=1e-4
        Stop when no column of the factor changes by more, relative to the longest one.
    max_iter : int, default=2000
        Maximum number of updates.
    n_init : int, default=20
        Number of starts of k-means, which computes the initial labels.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Returns
    -------
    ConsensusResult
        Labels, and details: ``factor``, ``core``, ``objective``, ``converged``, ``n_iter``.

    See Also
    --------
    NMFConsensus : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, nmfconsensus
    >>> nmfconsensus(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    groups = ensemble.microclusters()
    membership = Ensemble(groups.rows).membership()
    start = cut_bipartite(membership, n_clusters, n_init=n_init, random_state=random_state)
    shared = _CoAssociation(membership, groups.sizes.astype(np.float64))
    solved = _factorize(shared, start, n_clusters, tol, max_iter)
    if not solved.converged:
        message = (
            f"NMF consensus did not converge in {max_iter} updates: the last changed the factor "
            f"by {solved.change:.3g}, tol is {tol:g}. Raise max_iter or tol."
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
    factor = solved.factor[groups.labels]
    details = {
        "factor": Along(factor, ("sample", "label")),
        "core": Along(solved.core, ("label", "label")),
        "objective": solved.objective,
        "converged": solved.converged,
        "n_iter": len(solved.objective),
    }
    return ConsensusResult(factor.argmax(axis=1), ensemble, details=details)


class _Factors(NamedTuple):
    factor: Array  # Q, a row for each microcluster
    core: Array  # S
    objective: Array
    change: float
    converged: bool


def _factorize(
    shared: _CoAssociation, start: Array, n_clusters: int, tol: float, max_iter: int
) -> _Factors:
    """Multiplicative updates of Q and S, from the indicator of the initial labels.

    Samples of a microcluster have equal rows in M and in the initial Q, hence in every Q, so Q is
    stored for microclusters. Sums over samples are sums over microclusters weighted by size.
    """
    sizes, total = shared.sizes, shared.squared_norm()
    q = np.eye(n_clusters)[start] + _OFFSET
    q /= np.sqrt(sizes @ q**2)  # columns of unit length
    products = _Products(shared, q)
    s = products.projected.copy()
    objective: list[float] = []
    change = np.inf
    while len(objective) < max_iter and change >= tol:
        image = products.image @ s  # M Q S
        # Q Q' M Q S = Q (Q' M Q) S
        updated = q * np.sqrt(image / np.maximum(q @ (products.projected @ s), _TINY))
        products = _Products(shared, updated)
        s = s * np.sqrt(products.projected / np.maximum(products.gram @ s @ products.gram, _TINY))
        change = float(np.sqrt(sizes @ (updated - q) ** 2).max() / np.sqrt(sizes @ q**2).max())
        q = updated
        fit = 2 * np.vdot(s, products.projected)
        objective.append(total - fit + np.vdot(s @ products.gram, products.gram @ s))
    return _Factors(q, s, np.asarray(objective), change, change < tol)


class _CoAssociation:
    """M = H H' / m, not computed: H has m ones per row, so a product costs 2 m per row."""

    def __init__(self, membership: sparse.csr_array, sizes: Array) -> None:
        self.membership = membership  # H, a row for each microcluster
        self.clusters = membership.T.tocsr()
        self.sizes = sizes
        self.n_partitions = membership.nnz / len(sizes)

    def __matmul__(self, table: Array) -> Array:
        return self.membership @ (self.clusters @ table) / self.n_partitions

    def squared_norm(self) -> float:
        """|M|² over pairs of samples: |H' H|² / m², the overlaps of clusters."""
        total, n_clusters = 0.0, self.clusters.shape[0]
        at_once = max(1, _OVERLAPS_AT_ONCE // n_clusters)
        weighted = (self.membership * self.sizes[:, None]).tocsr()
        for start in range(0, n_clusters, at_once):
            overlap = self.clusters[start : start + at_once] @ weighted
            total += float((overlap.data**2).sum())
        return total / self.n_partitions**2


class _Products:
    """Products of M and Q for the updates: M Q, Q' M Q and Q' Q, over the samples."""

    def __init__(self, shared: _CoAssociation, q: Array) -> None:
        weighted = q * shared.sizes[:, None]
        self.image = shared @ weighted
        self.projected = weighted.T @ self.image
        self.gram = weighted.T @ q


class NMFConsensus(BaseConsensus):
    r"""Consensus by non-negative matrix factorization.

    The membership matrix of a partition, with columns scaled to unit length, is non-negative and
    orthogonal. The consensus is the one whose product is nearest to the co-association matrix
    :math:`M` [1]_:

    .. math::
        \min_{Q \ge 0, S \ge 0} \; \| M - Q S Q^\top \|_F^2 \quad \text{s.t. } Q^\top Q = I,

    by the multiplicative updates

    .. math::
        Q_{ik} \leftarrow Q_{ik} \sqrt{\frac{(M Q S)_{ik}}{(Q Q^\top M Q S)_{ik}}}, \qquad
        S_{kl} \leftarrow S_{kl} \sqrt{\frac{(Q^\top M Q)_{kl}}{(Q^\top Q S Q^\top Q)_{kl}}}.

    Each sample is assigned to the largest entry of its row of :math:`Q`.

    Parameters
    ----------
    %(n_clusters)s
    tol : float, default=1e-4
        Stop when no column of :math:`Q` changes by more, relative to the longest column.
    max_iter : int, default=2000
        Maximum number of updates.
    n_init : int, default=20
        Number of starts of k-means. The updates converge to a local minimum: they start from the
        partition of `HBGF`, which uses k-means. The paper does not specify the start.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of k-means.

    Attributes
    ----------
    %(labels_)s
    factor_ : ndarray of shape (n_samples, n_clusters)
        :math:`Q`, the degree of membership of each sample in each cluster, in the order of the
        labels.
    core_ : ndarray of shape (n_clusters, n_clusters)
        :math:`S`, in the same order.
    objective_ : ndarray of shape (n_iter,)
        :math:`\| M - Q S Q^\top \|_F^2` after each update.
    converged_ : bool
        Whether the updates reached `tol`.
    n_iter_ : int
        Number of updates.
    %(fitted)s

    See Also
    --------
    nmfconsensus : The same for an existing `Ensemble`.
    HBGF : Computes the start of the updates.

    Notes
    -----
    Time :math:`O(g m K)` an update and memory for two g × K arrays, for g
    microclusters: :math:`M` is a product of the sparse
    membership matrix with itself and is not computed. A column that is largest for no sample gets
    the distinct row that fits worst in its cluster, with a warning.

    References
    ----------
    .. [1] T. Li, C. Ding and M. I. Jordan, "Solving consensus and semi-supervised clustering
       problems using nonnegative matrix factorization", ICDM 2007.
       :doi:`10.1109/ICDM.2007.98`

    Examples
    --------
    >>> from consensa import NMFConsensus
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> model = NMFConsensus(n_clusters=2, generator="precomputed", random_state=0)
    >>> model.fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(nmfconsensus)
    tol: float = 1e-4
    max_iter: int = 2000
    n_init: int = KMEANS_STARTS
    factor_ = Detail()
    core_ = Detail()
    objective_ = Detail()
    converged_ = Detail()
