"""SEC: spectral ensemble clustering by weighted k-means (Liu et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._representatives import ON_REPRESENTATIVES, label_all, representatives
from consensa.consensus._result_warnings import warn_unless_converged
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.equal_rows import adjacent_equal_rows
from consensa.ensemble.rows import add_rows_of_table, membership
from consensa.partition import weighted_kmeans

__all__ = ["SEC", "sec"]


@consensus_method(
    MethodInfo(
        name="SEC",
        year=2015,
        reference="H. Liu, T. Liu, J. Wu, D. Tao and Y. Fu, KDD 2015",
        time="20 to 50 × n m K",
        memory="n m + c²",
        arrays=(Arrays(4, "cK"), Arrays(4, "sK")),
        revision=2,
        **ON_REPRESENTATIVES,
    ),
)
def sec(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    n_init: int = KMEANS_STARTS,
    max_iter: int = 300,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by spectral ensemble clustering.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    n_init : int, default=20
        Number of starts of the weighted k-means.
    max_iter : int, default=300
        Maximum number of iterations of each start.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Returns
    -------
    ConsensusResult
        Labels, and ``details`` with the keys ``"objective"``, ``"n_iter"`` and
        ``"converged"``.

    See Also
    --------
    SEC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, sec
    >>> sec(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    chosen = representatives(ensemble, n_clusters, rng)
    groups = adjacent_equal_rows(chosen.ids)
    of_groups = membership(chosen.ids[groups.first], ensemble.n_clusters)
    degrees = of_groups @ ensemble.cluster_sizes
    # Each microcluster is one point, weighted by its size.
    run = weighted_kmeans(
        sparse.diags_array(1 / degrees) @ of_groups,
        degrees * np.bincount(groups.of_row, weights=chosen.weights),
        n_clusters,
        n_init=n_init,
        max_iter=max_iter,
        random_state=rng,
    )
    warn_unless_converged("The weighted k-means of SEC", run.converged, max_iter)
    objective = run.objective * ensemble.n_samples / chosen.weights.sum()
    details = {"objective": objective, "n_iter": run.n_iter, "converged": run.converged}
    assign = _NearestCenter.of(run.centers, ensemble.cluster_sizes)
    labels = label_all(ensemble, chosen, run.labels[groups.of_row], assign)
    return ConsensusResult(labels, ensemble, details=details)


@dataclass(frozen=True)
class _NearestCenter:
    """Assigns sample i to the center nearest to B_i / w_i, from its row alone."""

    table: Array  # (c, K): of each cluster, its coordinate in each center; then its size
    squares: Array  # ||μ_k||²

    @classmethod
    def of(cls, centers: Array, sizes: Array) -> _NearestCenter:
        table = np.column_stack([centers.T, sizes])
        return cls(np.ascontiguousarray(table), np.square(centers).sum(axis=1))

    def __call__(self, ids: Array) -> Array:
        sums = add_rows_of_table(ids, self.table)  # B_i · μ_k, and the degree w_i
        return np.argmin(self.squares - 2 * sums[:, :-1] / sums[:, -1:], axis=1)


class SEC(BaseConsensus):
    r"""Consensus by spectral ensemble clustering.

    The normalized cut of the co-association graph :math:`S = B B^T`, where :math:`B` is the 0/1
    membership matrix, is a weighted k-means on the rows of :math:`B`. With the degrees
    :math:`w_i = \sum_j S_{ij}`, the sum of the sizes of the clusters that contain sample
    :math:`i`,

    .. math::
        \min_\ell \sum_k \sum_{i: \ell_i = k} w_i
        \left\| \frac{B_i}{w_i} - \mu_k \right\|^2
        = \sum_i \frac{\|B_i\|^2}{w_i}
        - \max_\ell \sum_k \frac{\sum_{i, j \in k} S_{ij}}{\sum_{i \in k} w_i},

    where :math:`\mu_k` is the weighted mean of cluster :math:`k`: the last sum is the
    normalized association within the clusters. The matrix :math:`S` is not computed [1]_.

    Parameters
    ----------
    %(n_clusters)s
    n_init : int, default=20
        Number of starts of the weighted k-means. The authors' number is not known.
    max_iter : int, default=300
        Maximum number of iterations of each start.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the weighted k-means.

    Attributes
    ----------
    %(labels_)s
    objective_ : float
        Weighted sum of squares; above 20,000 samples, extrapolated from the samples that were
        drawn.
    n_iter_ : int
        Number of iterations of the best start.
    converged_ : bool
        Whether the best start converged before `max_iter`.
    %(fitted)s

    See Also
    --------
    sec : The same for an existing `Ensemble`.
    HBGF : The same cut by eigenvectors.
    consensa.partition.weighted_kmeans : The weighted k-means.

    Notes
    -----
    Needs no n × n array: with :math:`c` clusters in all partitions together, time
    :math:`O(n m^2)` once and :math:`O(n m K)` per iteration, memory for a few blocks of rows and
    :math:`O(c^2)` in addition to the labels, which may be larger than memory. Each microcluster is
    one weighted point, which only changes the time. Above 20,000 samples, and 50 per cluster, the
    weighted k-means runs on that many distinct rows, drawn by a hash of their labels, and the
    others are assigned to the nearest center: two passes over the labels.
    The starts are seeded by weighted k-means++, and an empty cluster is refilled.

    A missing label adds no term to :math:`S`.

    References
    ----------
    .. [1] H. Liu, T. Liu, J. Wu, D. Tao and Y. Fu, "Spectral ensemble clustering", KDD 2015.
       :doi:`10.1145/2783258.2783287`

    Examples
    --------
    >>> from consensa import SEC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> SEC(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(sec)
    n_init: int = KMEANS_STARTS
    max_iter: int = 300
    objective_ = Detail()
    converged_ = Detail()
