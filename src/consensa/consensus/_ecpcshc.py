"""ECPCS-HC: agglomerate a co-association that also counts similar clusters (Huang et al. 2021)."""

from __future__ import annotations

from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus._papers import PROPAGATED_SIMILARITIES
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import linkage_tree
from consensa.similarity import cluster_jaccard, enhanced_coassociation, trajectory_similarity

__all__ = ["ECPCSHC", "ecpcshc"]


@consensus_method(
    MethodInfo(
        name="ECPCS-HC",
        **PROPAGATED_SIMILARITIES,
        time="n² m + c³ log T, c clusters in all, T = 20 steps",
        memory="2 n² + 9 c²",
        square_arrays=2,
        arrays=(Arrays(9, "cc"),),
    ),
)
def ecpcshc(ensemble: Ensemble, n_clusters: int, *, walk_length: int = 20) -> ConsensusResult:
    """Consensus of `ensemble` by propagated cluster similarities and average linkage.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    walk_length : int, default=20
        Number of steps of the random walks between clusters.

    Returns
    -------
    ConsensusResult
        Labels, the enhanced co-association matrix, its tree, and
        ``details["cluster_similarity"]``.

    See Also
    --------
    ECPCSHC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, ecpcshc
    >>> ecpcshc(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    similarity = trajectory_similarity(cluster_jaccard(ensemble), walk_length=walk_length)
    affinity = enhanced_coassociation(ensemble, similarity)
    tree = linkage_tree(affinity, method="average", groups=ensemble.microclusters().labels)
    details = {"cluster_similarity": Along(similarity, ("cluster", "cluster"))}
    return ConsensusResult(
        tree.cut(n_clusters), ensemble, affinity=affinity, tree=tree, details=details
    )


class ECPCSHC(BaseConsensus):
    r"""Consensus by propagation of cluster similarities, hierarchical.

    Two clusters of different partitions are similar if they share samples, or if both share
    samples with a third one. The rows of the Jaccard coefficients :math:`J` of the clusters are
    normalized to transition probabilities :math:`P`. The similarity of two clusters is the cosine
    of the trajectories of random walks of T steps from them,

    .. math::
        Z_{ab} = \frac{G_{ab}}{\sqrt{G_{aa} G_{bb}}}, \quad
        G = \sum_{t=1}^{T} P^t (P^t)^\top,

    and the affinity of two samples is the mean similarity of their clusters over the
    partitions, :math:`E_{ij} = \frac1m \sum_k Z_{c_k(i)\, c_k(j)}`. The samples are
    agglomerated by average linkage on :math:`1 - E` [1]_.

    Missing labels are ignored: :math:`J` counts the samples that both partitions label,
    :math:`E_{ij}` averages over the partitions that label both samples.

    Parameters
    ----------
    %(n_clusters)s
    walk_length : int, default=20
        Number of steps T of the walks; 20 is the authors' value.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Enhanced co-association matrix E, in the array library of the input.
    %(linkage_matrix_)s
    cluster_similarity_ : ndarray of shape (n_base_clusters, n_base_clusters)
        Similarity Z of the base clusters, in the order of ``ensemble_.cluster_ids``.
    %(fitted)s

    See Also
    --------
    ecpcshc : The same for an existing `Ensemble`.
    ECPCSMC : Clusters the base clusters instead, and needs no n × n array.
    EAC : Only counts equal clusters.

    Notes
    -----
    Time :math:`O(n m^2 + c^3 \log T + n^2 m)` for c clusters in all, memory for two n × n
    arrays.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, H. Peng, J. Lai and C.-K. Kwoh, "Enhanced ensemble clustering
       via fast propagation of cluster-wise similarities", IEEE Trans. SMC: Systems 51(1),
       2021. :doi:`10.1109/TSMC.2018.2876202`

    Examples
    --------
    Three partitions of five samples; the third one disagrees on one sample.

    >>> from consensa import ECPCSHC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> ECPCSHC(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(ecpcshc)
    walk_length: int = 20
    cluster_similarity_ = Detail()
