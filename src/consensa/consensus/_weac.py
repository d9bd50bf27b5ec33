"""WEAC: partitions that others agree with count more (Huang et al. 2015)."""

from __future__ import annotations

from consensa._params import OneOf, Real
from consensa._result import ConsensusResult
from consensa.consensus._crowd_agreement import crowd_agreement
from consensa.consensus._papers import CROWD_AGREEMENT
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Along, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import LINKAGES, linkage_tree
from consensa.similarity import coassociation

__all__ = ["WEAC", "weac"]


@consensus_method(
    MethodInfo(
        name="WEAC",
        **CROWD_AGREEMENT,
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
    %(ensemble)s
    %(n_clusters)s
    exponent : float, default=2.0
        How much more the partitions count that others agree with.
    linkage : {"average", "complete", "single"}, default="average"
        How the distance between two groups is measured.

    Returns
    -------
    ConsensusResult
        Labels, the weighted co-association matrix, its tree and ``details["partition_weights"]``.

    See Also
    --------
    WEAC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, weac
    >>> weac(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    weights = crowd_agreement(ensemble) ** exponent
    affinity = coassociation(ensemble, partition_weights=weights)
    tree = linkage_tree(affinity, method=linkage, groups=ensemble.microclusters().labels)
    return ConsensusResult(
        tree.cut(n_clusters),
        ensemble,
        affinity=affinity,
        tree=tree,
        details={"partition_weights": Along(weights, ("partition",))},
    )


class WEAC(BaseConsensus):
    r"""Consensus by weighted evidence accumulation.

    A partition that agrees with the others is probably good. Its weight is

    .. math:: w_m = \Bigl( \frac{c_m}{\max_l c_l} \Bigr)^\beta, \qquad
              c_m = \frac{1}{M - 1} \sum_{l \ne m} \mathrm{NMI}(\pi_m, \pi_l),

    where NMI is the mutual information over the larger of the two entropies, and the samples are
    agglomerated on their weighted co-association [1]_

    .. math:: A_{ij} = \frac{\sum_m w_m [\pi_m(i) = \pi_m(j)]}{\sum_m w_m}.

    Parameters
    ----------
    %(n_clusters)s
    exponent : float, default=2.0
        :math:`\beta`: how much more the partitions count that others agree with; 0 is EAC. The
        default is the authors'.
    linkage : {"average", "complete", "single"}, default="average"
        How the distance between two groups is measured.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Weighted co-association matrix, in the array library of the input.
    %(linkage_matrix_)s
    partition_weights_ : ndarray of shape (n_partitions,)
        Weight of each partition; the largest is 1.
    %(fitted)s

    See Also
    --------
    weac : The same for an existing `Ensemble`.
    EAC : All partitions count alike.
    GPMGLA : The same weights in a graph of samples and clusters.
    LWEA : Weights of clusters instead of partitions.

    Notes
    -----
    Time :math:`O(n m^2 + n^2 (m + \log n))`, memory for two n × n arrays. With missing labels,
    two partitions are compared on the samples that both label, and :math:`A_{ij}` counts the
    partitions that label both samples.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Combining multiple clusterings via crowd
       agreement estimation and multi-granularity link analysis", Neurocomputing 170, 2015.
       :doi:`10.1016/j.neucom.2014.05.094`; arXiv:1405.1297

    Examples
    --------
    The third partition disagrees with the two others, and counts less.

    >>> from consensa import WEAC
    >>> partitions = [[0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]]
    >>> WEAC(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 1, 1])
    """

    _function = staticmethod(weac)
    exponent: float = 2.0
    linkage: str = "average"
    partition_weights_ = Detail()
