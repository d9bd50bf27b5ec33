"""Locally weighted co-association: clusters that the other partitions split have less weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array, to_library
from consensa._defaults import ENTROPY_SCALE
from consensa._machine.memory import require_square
from consensa._params import Real, check_params
from consensa.ensemble import Ensemble
from consensa.ensemble.overlaps import CountedOverlaps, labeled_by_partition, overlaps_of
from consensa.similarity._agreement import agreement_share

__all__ = ["cluster_certainty", "locally_weighted_coassociation"]

_THETA = (Real(above=0),)
_CLUSTERS = 256  # of a block


def cluster_certainty(
    ensemble: Ensemble, *, theta: float = ENTROPY_SCALE, weights: Array | None = None
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
    m, overlaps = ensemble.n_partitions, overlaps_of(ensemble)
    if isinstance(overlaps, CountedOverlaps) and weights is None:
        entropy, n_labeling = overlaps.entropies()
    else:
        weights = np.ones(m) if weights is None else weights
        counts = ensemble.cluster_counts
        parts = [_entropies(rows, counts, weights) for rows in _blocks_of_rows(overlaps)]
        entropy, n_labeling = map(np.concatenate, zip(*parts, strict=True))
    entropy *= m / n_labeling
    return np.exp(-entropy / (theta * m))


def _blocks_of_rows(overlaps: Any) -> Iterator[sparse.csr_array]:
    """The overlaps of some clusters with all, block by block."""
    if not isinstance(overlaps, CountedOverlaps):
        yield from (overlaps.matrix[rows] for rows in overlaps.blocks())
        return
    for start in range(0, len(overlaps.sizes), _CLUSTERS):
        yield overlaps.of(slice(start, start + _CLUSTERS))


def _entropies(overlap: sparse.csr_array, counts: Array, weights: Array) -> tuple[Array, Array]:
    """Entropy of the parts of some clusters in all partitions, and how many of them label it.

    Each partition counts with its weight.
    """
    labeled = labeled_by_partition(overlap, counts)
    pieces = overlap.tocoo()
    partition = np.repeat(np.arange(len(counts)), counts)[pieces.col]
    share = pieces.data / labeled[pieces.row, partition]
    terms = -share * np.log2(share) * weights[partition]
    entropy = np.bincount(pieces.row, weights=terms, minlength=overlap.shape[0])
    return entropy, (labeled > 0) @ weights


def locally_weighted_coassociation(ensemble: Ensemble, *, theta: float = ENTROPY_SCALE) -> Any:
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
