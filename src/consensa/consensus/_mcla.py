"""MCLA: meta-clusters of the base clusters vote (Strehl and Ghosh 2002)."""

from __future__ import annotations

from typing import Any

from consensa._defaults import IMBALANCE
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus._papers import CLUSTER_ENSEMBLES
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import cut_by_metis, vote_by_metaclusters
from consensa.similarity.jaccard import sparse_cluster_jaccard

__all__ = ["MCLA", "mcla"]


@consensus_method(
    MethodInfo(
        name="MCLA",
        **CLUSTER_ENSEMBLES,
        time="n m² + c², c clusters in all",
        memory="n m + 5 p + 3 c K, p pairs of clusters that overlap",
        missing=False,
        arrays=(Arrays(5, "p"), Arrays(3, "cK")),
        by_rows=True,
        dask=True,
        revision=3,
    ),
)
def mcla(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    imbalance: float = IMBALANCE,
    n_init: int = 10,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by meta-clustering.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    imbalance : float, default=0.05
        Maximum relative excess of a meta-cluster over the mean weight.
    n_init : int, default=10
        Number of runs of METIS.
    random_state : int, RandomState instance or None, default=None
        Seed of METIS.

    Returns
    -------
    ConsensusResult
        Labels, and ``details["metaclusters"]``, the meta-cluster of each base cluster.

    See Also
    --------
    MCLA : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, mcla
    >>> mcla(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    metaclusters = cut_by_metis(
        sparse_cluster_jaccard(ensemble),
        n_clusters,
        sizes=ensemble.cluster_sizes,
        imbalance=imbalance,
        n_init=n_init,
        random_state=random_state,
    )
    labels = vote_by_metaclusters(ensemble, metaclusters, int(metaclusters.max()) + 1)
    details = {"metaclusters": Along(metaclusters, ("cluster",))}
    return ConsensusResult(labels, ensemble, details=details)


class MCLA(BaseConsensus):
    r"""Meta-clustering algorithm.

    The base clusters are the vertices of a graph. Their Jaccard coefficients

    .. math:: J_{ab} = \frac{|C_a \cap C_b|}{|C_a \cup C_b|}

    are the weights of its edges, their sizes the weights of its vertices. METIS partitions it into
    `n_clusters` meta-clusters of nearly equal weight: sets of similar clusters of different
    partitions. Each sample is assigned to the meta-cluster whose clusters contain it most often
    [1]_.

    Meta-clusters of equal weight lead to clusters of similar sizes.

    Parameters
    ----------
    %(n_clusters)s
    imbalance : float, default=0.05
        Maximum relative excess of a meta-cluster over the mean weight.
    n_init : int, default=10
        Number of runs of METIS; the cut with the smallest weight is kept.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of METIS.

    Attributes
    ----------
    %(labels_)s
    metaclusters_ : ndarray of shape (n_base_clusters,)
        Meta-cluster of each base cluster, in the order of `Ensemble.cluster_ids`.
    %(fitted)s

    See Also
    --------
    mcla : The same for an existing `Ensemble`.
    ECPCSMC : The same with similarities from random walks and a normalized cut.
    HBGF : Partitions the graph of samples and base clusters.

    Notes
    -----
    Needs METIS: ``pip install 'consensa[graph]'``. Time :math:`O(n m^2 + c^2)` for c clusters
    in all; no n × n array is needed. The clusters are in canonical order: the method is
    order-free. A meta-cluster without samples gets the distinct row that fits worst in its
    cluster, with a warning.

    References
    ----------
    .. [1] A. Strehl and J. Ghosh, "Cluster ensembles: a knowledge reuse framework for
       combining multiple partitions", JMLR 3, 2002.
       https://www.jmlr.org/papers/v3/strehl02a.html

    Examples
    --------
    >>> from consensa import MCLA
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> MCLA(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(mcla)
    imbalance: float = IMBALANCE
    n_init: int = 10
    metaclusters_ = Detail()
