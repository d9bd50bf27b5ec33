"""Locally weighted co-association: clusters that the other partitions split have less weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array, to_library
from consensa._machine.memory import require_square
from consensa._params import Real, check_params
from consensa.ensemble import Ensemble
from consensa.similarity._agreement import agreement_share
from consensa.similarity._cluster_overlap import cluster_overlap

__all__ = ["cluster_certainty", "locally_weighted_coassociation"]

_THETA = (Real(above=0),)


def cluster_certainty(
    ensemble: Ensemble, *, theta: float = 0.4, weights: Array | None = None
) -> Array:
    r"""Certainty of each base cluster (ensemble-driven cluster index).

    The entropy of a cluster :math:`C` is that of the parts into which each partition
    :math:`\pi` splits it,

    .. math:: H(C) = -\sum_{\pi} \sum_{C' \in \pi} p \log_2 p, \qquad
              p = \frac{|C \cap C'|}{|C|},

    and its certainty is :math:`\mathrm{ECI}(C) = \exp(-H(C) / (\theta m))` for :math:`m`
    partitions [1]_: 1 for a cluster that no partition splits.

    If labels are missing, the proportions in :math:`\pi` refer to the samples
    of :math:`C` that :math:`\pi` labels, and :math:`H(C)` is multiplied by :math:`m` over the
    number of partitions that label any of them.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy. The authors use 0.4 and recommend 0.2
        to 1; with a large value all clusters have the same weight.
    weights : ndarray of shape (n_partitions,) or None, default=None
        Weight of each partition :math:`\pi` in the sum, with mean 1; None: all have the same.

    Returns
    -------
    ndarray of shape (n_clusters,)
        In (0, 1]; clusters in the order of `Ensemble.cluster_ids`.

    See Also
    --------
    locally_weighted_coassociation : Co-association weighted by it.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang and J.-H. Lai, "Locally weighted ensemble clustering", IEEE
       Transactions on Cybernetics 48(5), 2018. :doi:`10.1109/TCYB.2017.2702343`

    Examples
    --------
    The second partition cuts the first cluster of the first in two halves.

    >>> from consensa import Ensemble
    >>> from consensa.similarity import cluster_certainty
    >>> ensemble = Ensemble.from_labels([[0, 0], [0, 1], [1, 2], [1, 2]])
    >>> cluster_certainty(ensemble).round(3)
    array([0.287, 1.   , 1.   , 1.   , 1.   ])
    """
    ensemble = Ensemble.from_labels(ensemble)
    check_params("cluster_certainty", {"theta": _THETA}, {"theta": theta})
    m, counts = ensemble.n_partitions, ensemble.cluster_counts
    partition_of_cluster = np.repeat(np.arange(m), counts)
    pieces = cluster_overlap(ensemble).tocoo()
    cluster, partition = pieces.row, partition_of_cluster[pieces.col]
    labeled = sparse.coo_array((pieces.data, (cluster, partition)), shape=(counts.sum(), m))
    labeled = labeled.toarray()  # (c, m): members of a cluster that a partition labels

    share = pieces.data / labeled[cluster, partition]
    splits = -share * np.log2(share)
    if weights is not None:
        splits *= weights[partition]
    entropy = np.bincount(cluster, weights=splits, minlength=counts.sum())
    entropy *= m / ((labeled > 0).sum(axis=1) if weights is None else (labeled > 0) @ weights)
    return np.exp(-entropy / (theta * m))


def locally_weighted_coassociation(ensemble: Ensemble, *, theta: float = 0.4) -> Any:
    r"""Co-association in which clusters are weighted by their certainty.

    .. math:: A_{ij} = \frac{1}{M_{ij}} \sum_{C \ni i, j} \mathrm{ECI}(C),

    where the sum runs over the clusters that contain both samples and :math:`M_{ij}` is the number
    of partitions that label both; 0 if there are none. The diagonal is 1.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy.

    Returns
    -------
    array of shape (n_samples, n_samples)
        Symmetric, in [0, 1], in the array library of the ensemble.

    See Also
    --------
    cluster_certainty : The certainty ECI of a cluster; formula and reference.
    coassociation : All clusters have the same weight.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.similarity import locally_weighted_coassociation
    >>> ensemble = Ensemble.from_labels([[0, 0], [0, 1], [1, 2], [1, 2]])
    >>> locally_weighted_coassociation(ensemble).round(3)
    array([[1.   , 0.143, 0.   , 0.   ],
           [0.143, 1.   , 0.   , 0.   ],
           [0.   , 0.   , 1.   , 1.   ],
           [0.   , 0.   , 1.   , 1.   ]])
    """
    ensemble = Ensemble.from_labels(ensemble)
    certainty = cluster_certainty(ensemble, theta=theta)
    require_square(
        ensemble.n_samples, np.float64, arrays=1, step="The locally weighted co-association"
    )
    share = agreement_share(ensemble, np.float64, cluster_weights=certainty)
    return to_library(share, like=ensemble.labels)
