"""ECPCS-MC: meta-clusters of the base clusters vote (Huang et al. 2021)."""

from __future__ import annotations

from typing import Any

from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus._papers import PROPAGATED_SIMILARITIES
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import cut_by_discretization, vote_by_metaclusters
from consensa.similarity import cluster_jaccard, trajectory_similarity

__all__ = ["ECPCSMC", "ecpcsmc"]


@consensus_method(
    MethodInfo(
        name="ECPCS-MC",
        **PROPAGATED_SIMILARITIES,
        time="n m² + c³ log T, c clusters in all, T = 20 steps",
        memory="n m + 9 c²",
        arrays=(Arrays(9, "cc"), Arrays(3, "cK")),
        by_rows=True,
        dask=True,
        revision=3,
    ),
)
def ecpcsmc(
    ensemble: Ensemble, n_clusters: int, *, walk_length: int = 20, random_state: Any = None
) -> ConsensusResult:
    """Consensus of `ensemble` by propagated cluster similarities and meta-clusters.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    walk_length : int, default=20
        Number of steps of the random walks between clusters.
    random_state : int, RandomState instance or None, default=None
        Seed for the base cluster from which the discretization of the normalized cut starts.

    Returns
    -------
    ConsensusResult
        Labels, and the details ``cluster_similarity``, ``metacluster_of_cluster`` and
        ``converged``.

    See Also
    --------
    ECPCSMC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, ecpcsmc
    >>> partitions = Ensemble.from_labels([[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> ecpcsmc(partitions, 2, random_state=0).labels
    array([0, 0, 0, 1])
    """
    n_groups = min(n_clusters, ensemble.n_clusters)
    similarity = trajectory_similarity(cluster_jaccard(ensemble), walk_length=walk_length)
    rounding = cut_by_discretization(similarity, n_groups, random_state=random_state)
    details = {
        "cluster_similarity": Along(similarity, ("cluster", "cluster")),
        "metacluster_of_cluster": Along(rounding.labels, ("cluster",)),
        "converged": rounding.converged,
    }
    labels = vote_by_metaclusters(ensemble, rounding.labels, n_groups)
    return ConsensusResult(labels, ensemble, details=details)


class ECPCSMC(BaseConsensus):
    r"""Consensus by propagation of cluster similarities, with meta-clusters.

    The similarity :math:`Z` of the base clusters is that of `ECPCSHC`: the cosine of the
    trajectories of random walks along their Jaccard coefficients. A normalized cut of the
    graph with weights :math:`Z` partitions the base clusters into `n_clusters` meta-clusters, and
    a sample is assigned to the meta-cluster :math:`q` with the largest proportion of clusters that
    contain it,

    .. math:: \ell_i = \arg\max_q \; \frac{1}{|q|} \sum_{C \in q} [i \in C],

    the first one on ties (the paper breaks them at random, the authors' program takes the
    first) [1]_.

    Missing labels are ignored: the Jaccard coefficient counts the samples that both
    partitions label, and the vote counts the partitions that label the sample.

    Parameters
    ----------
    %(n_clusters)s
    walk_length : int, default=20
        Number of steps of the walks; 20 is the authors' value.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator, and of the base cluster from which the discretization of the
        normalized cut starts. For a given seed, the names of the clusters and the order of the
        rows do not change it.

    Attributes
    ----------
    %(labels_)s
    cluster_similarity_ : ndarray of shape (n_base_clusters, n_base_clusters)
        Similarity Z of the base clusters, in the order of ``ensemble_.cluster_ids``.
    metacluster_of_cluster_ : ndarray of shape (n_base_clusters,)
        Meta-cluster of each base cluster; not numbered as in `labels_`.
    converged_ : bool
        Whether the discretization of the normalized cut converged.
    %(fitted)s

    See Also
    --------
    ecpcsmc : The same for an existing `Ensemble`.
    ECPCSHC : Agglomerates the samples instead.
    consensa.partition.cut_by_discretization : The normalized cut.
    consensa.partition.vote_by_metaclusters : The vote.

    Notes
    -----
    Time :math:`O(n m^2 + c^3 \log T)` for c clusters in all, memory :math:`O(n m)` and nine
    c × c arrays; no n × n array. The result can depend on the start: compare a few seeds. There
    are at most as many meta-clusters as base clusters. If there are fewer than `n_clusters`, or
    some have no sample, the distinct rows that fit worst in their cluster are the missing
    clusters, with a warning.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, H. Peng, J. Lai and C.-K. Kwoh, "Enhanced ensemble clustering
       via fast propagation of cluster-wise similarities", IEEE Trans. SMC: Systems 51(1),
       2021. :doi:`10.1109/TSMC.2018.2876202`

    Examples
    --------
    Three partitions of five samples; the third one disagrees on one sample.

    >>> from consensa import ECPCSMC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> ECPCSMC(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(ecpcsmc)
    walk_length: int = 20
    cluster_similarity_ = Detail()
    metacluster_of_cluster_ = Detail()
    converged_ = Detail()
