"""Weighted evidence accumulation: partitions that others agree with count more."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._params import OneOf, Real
from consensa._result import ConsensusResult
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Along, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.metrics import normalized_mutual_information
from consensa.partition import LINKAGES, linkage_tree
from consensa.similarity import coassociation

__all__ = ["WEAC", "weac"]


@consensus_method(
    MethodInfo(
        name="WEAC",
        year=2015,
        reference="D. Huang, J.-H. Lai and C.-D. Wang, Neurocomputing 170",
        time="n m² + n² (m + log n)",
        memory="2 n²",
        square_arrays=2,
    ),
    exponent=(Real(least=0),),
    linkage=(OneOf(LINKAGES),),
)
def weac(
    ensemble: Ensemble, n_clusters: int, *, exponent: float = 2.0, linkage: str = "average"
) -> ConsensusResult:
    """Consensus of `ensemble` by weighted evidence accumulation.

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions.
    n_clusters : int
        Number of clusters to cut.
    exponent : float, default=2.0
        How much more the partitions count that others agree with.
    linkage : {"average", "complete", "single"}, default="average"
        How the distance between two groups is measured.

    Returns
    -------
    ConsensusResult
        Labels, the weighted co-association matrix and its tree.

    See Also
    --------
    WEAC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> weac(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    weights = _crowd_agreement(ensemble) ** exponent
    affinity = coassociation(ensemble, partition_weights=weights)
    tree = linkage_tree(affinity, method=linkage, groups=ensemble.microclusters().labels)
    return ConsensusResult(
        tree.cut(n_clusters),
        ensemble,
        affinity=affinity,
        tree=tree,
        details={"partition_weights": Along(weights, ("partition",))},
    )


def _crowd_agreement(ensemble: Ensemble) -> np.ndarray[Any, Any]:
    """Mean agreement of each partition with the others, the largest of them 1."""
    labels, m = ensemble.codes, ensemble.n_partitions
    agreement = np.zeros((m, m))
    for a in range(m):
        for b in range(a):
            both = (labels[:, a] >= 0) & (labels[:, b] >= 0)
            if both.any():
                agreement[a, b] = agreement[b, a] = normalized_mutual_information(
                    labels[both, a], labels[both, b]
                )
    crowd = agreement.sum(axis=1)
    return crowd / crowd.max() if crowd.max() > 0 else np.ones(m)


class WEAC(BaseConsensus):
    r"""Consensus by weighted evidence accumulation.

    A partition that agrees with the others is probably good. Its weight is

    .. math:: w_m = \Bigl( \frac{c_m}{\max_l c_l} \Bigr)^\beta, \qquad
              c_m = \frac{1}{M - 1} \sum_{l \ne m} \mathrm{NMI}(\pi_m, \pi_l),

    and the samples are agglomerated on their weighted co-association [1]_.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    exponent : float, default=2.0
        :math:`\beta`: how much more the partitions count that others agree with; 0 is EAC.
    linkage : {"average", "complete", "single"}, default="average"
        How the distance between two groups is measured.
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
        Weighted co-association matrix.
    partition_weights_ : ndarray of shape (n_partitions,)
        Weight of each partition.
    confidence_ : ndarray of shape (n_samples,)
        How sure the cluster of each sample is, in [0, 1].
    ensemble_ : Ensemble
        Base partitions that were combined.

    See Also
    --------
    consensa.EAC : All partitions count alike.

    Notes
    -----
    Time :math:`O(n m^2 + n^2 (m + \log n))`, memory for two n × n arrays.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Combining multiple clusterings via crowd
       agreement estimation and multi-granularity link analysis", Neurocomputing 170, 2015.

    Examples
    --------
    The third partition disagrees with the two others, and counts less.

    >>> partitions = [[0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]]
    >>> WEAC(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 1, 1])
    """

    _function = staticmethod(weac)
    exponent: float = 2.0
    linkage: str = "average"
    partition_weights_ = Detail()
