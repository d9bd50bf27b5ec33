"""LWSC: spectral clustering of the locally weighted co-association matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from consensa._array import Array, to_numpy
from consensa._defaults import ENTROPY_SCALE, KMEANS_STARTS
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus.base import BaseConsensus
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.ensemble import Ensemble, Microclusters
from consensa.partition import kmeans_labels, spectral_embedding
from consensa.partition.components import components_of_columns
from consensa.similarity import cluster_certainty, locally_weighted_coassociation

__all__ = ["LWSC", "lwsc"]

_OPERATOR_FROM = 600  # microclusters; for fewer, a full eigendecomposition is faster than Lanczos


@consensus_method(
    MethodInfo(
        name="LWSC",
        year=2018,
        reference="D. Huang, C.-D. Wang and J.-H. Lai, IEEE Trans. Cybernetics 48(5); "
        "spectral step of Y. Jia et al., AAAI 2021",
        time="n m² + n² (m + K)",
        memory="3 n²",
        square_arrays=3,
        revision=2,
    ),
)
def lwsc(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    theta: float = ENTROPY_SCALE,
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by locally weighted spectral clustering.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy.
    n_init : int, default=20
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means and of the Lanczos iteration.

    Returns
    -------
    ConsensusResult
        Labels and the locally weighted co-association matrix.

    See Also
    --------
    LWSC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, lwsc
    >>> lwsc(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    affinity = locally_weighted_coassociation(ensemble, theta=theta)
    rng = random_source(random_state)
    groups = ensemble.microclusters()
    if _factors_pay(ensemble, len(groups.sizes), n_clusters):
        between, component = _as_operator(ensemble, groups, theta)
    else:
        between, component = _between_groups(to_numpy(affinity), groups), None
    embedding = spectral_embedding(
        between, n_clusters, sizes=groups.sizes, component=component, random_state=rng
    )
    points = embedding[groups.labels]
    labels = kmeans_labels(points, n_clusters, n_init=n_init, random_state=rng)
    return ConsensusResult(labels, ensemble, affinity=affinity)


# Only vectors that are constant on microclusters are needed: others would separate equal rows.
# On these the affinity A of the samples is √s A √s between microclusters of sizes s, and on the
# diagonal s a + 1 − a, where a is the affinity of two samples with the same row.


def _factors_pay(ensemble: Ensemble, n_groups: int, n_clusters: int) -> bool:
    """Whether Lanczos iterations are used and the matrix has factors."""
    return n_groups > max(_OPERATOR_FROM, 4 * n_clusters) and not ensemble.has_missing


def _between_groups(affinity: Array, groups: Microclusters) -> Array:
    """The matrix itself, of shape (g, g)."""
    first = np.unique(groups.labels, return_index=True)[1]
    last = len(groups.labels) - 1 - np.unique(groups.labels[::-1], return_index=True)[1]
    root, own = np.sqrt(groups.sizes), affinity[first, last]  # 1 for a single sample
    between = affinity[np.ix_(first, first)] * np.outer(root, root)
    np.fill_diagonal(between, groups.sizes * own + 1 - own)
    return between


def _as_operator(
    ensemble: Ensemble, groups: Microclusters, theta: float
) -> tuple[LinearOperator, Array]:
    """The same by A = U diag(ECI / m) U': g m steps for each product, in place of g².

    U is the membership of the microclusters in the clusters. And the connected components.
    """
    membership = Ensemble(groups.rows).membership()
    weights = cluster_certainty(ensemble, theta=theta) / ensemble.n_partitions
    rest, root = 1 - membership @ weights, np.sqrt(groups.sizes)

    def multiply(vector: Array) -> Array:
        vector = vector.ravel()
        return root * (membership @ (weights * (membership.T @ (root * vector)))) + rest * vector

    n = len(groups.sizes)
    operator = LinearOperator((n, n), matvec=multiply, dtype=np.float64)
    return operator, components_of_columns(membership.T)


class LWSC(BaseConsensus):
    r"""Consensus by locally weighted spectral clustering.

    The affinity of two samples is the mean, over the :math:`m` partitions, of the certainty
    of the cluster that contains both, 0 if there is none,

    .. math:: A_{ij} = \frac{1}{m} \sum_{C \ni i, j} \mathrm{ECI}(C), \qquad A_{ii} = 1,

    with the certainty of `LWEA` [1]_. It is clustered by normalized spectral clustering: k-means
    on the rows, scaled to unit length, of the eigenvectors of the K largest eigenvalues of
    :math:`D^{-1/2} A D^{-1/2}`, where :math:`D` are the row sums.

    The method is used under this name in [2]_, whose authors publish no program for it; the
    definition here combines the matrix of [1]_ and the spectral step of [2]_.

    Parameters
    ----------
    %(n_clusters)s
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy. The authors of LWEA use
        0.4 and advise 0.2 to 1.
    n_init : int, default=20
        Number of starts of k-means, as in the program of [2]_.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the spectral partition.

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Locally weighted co-association matrix, in the array library of the input.
    %(fitted)s

    See Also
    --------
    lwsc : The same for an existing `Ensemble`.
    LWEA : The same matrix, agglomerated.
    LWGP : The same weights without an n × n array.

    Notes
    -----
    Time :math:`O(n^2 m)` for the matrix. The eigenvectors are computed from the factors of the
    matrix, the memberships of the samples in the clusters, in :math:`O(n m)` per Lanczos
    iteration; with missing labels there are no such factors, and an iteration takes
    :math:`O(n^2)`. Memory for three n × n arrays.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang and J.-H. Lai, "Locally weighted ensemble clustering", IEEE
       Transactions on Cybernetics 48(5), 2018. :doi:`10.1109/TCYB.2017.2702343`
    .. [2] Y. Jia, H. Liu, J. Hou and Q. Zhang, "Clustering ensemble meets low-rank tensor
       approximation", AAAI 2021.

    Examples
    --------
    >>> from consensa import LWSC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> LWSC(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(lwsc)
    theta: float = ENTROPY_SCALE
    n_init: int = KMEANS_STARTS
