"""GP-MGLA: partition a graph of samples and clusters with links among clusters (Huang 2015)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._params import Real
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._crowd_agreement import crowd_agreement
from consensa.consensus._papers import CROWD_AGREEMENT
from consensa.consensus._representatives import label_all, representatives
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Along, Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition.kmeans import best_kmeans, points_for_starts
from consensa.partition.membership_embedding import NearestEmbedded, linked_embedding
from consensa.similarity.connected_triples import connected_triples
from consensa.similarity.jaccard import sparse_cluster_jaccard

__all__ = ["GPMGLA", "gpmgla"]

_LEAST = 1e-10  # weight of an edge: no sample is without any


@consensus_method(
    MethodInfo(
        name="GP-MGLA",
        **CROWD_AGREEMENT,
        time="n m² + c³ + n K², c clusters in all",
        memory="n m + 8 c²",
        arrays=(Arrays(8, "cc"), Arrays(4, "sK")),
        sample_size=points_for_starts,
    ),
    exponent=(Real(least=0),),
)
def gpmgla(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    alpha: float = 0.5,
    exponent: float = 2.0,
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by graph partitioning with multi-granularity link analysis.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    alpha : float, default=0.5
        Weight of the links between samples and clusters, relative to those between clusters.
    exponent : float, default=2.0
        How much more the partitions count that others agree with.
    n_init : int, default=20
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Returns
    -------
    ConsensusResult
        Labels, ``details["partition_weights"]`` and ``details["cluster_similarity"]``.

    See Also
    --------
    GPMGLA : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, gpmgla
    >>> gpmgla(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    weights = crowd_agreement(ensemble) ** exponent
    of_cluster = np.repeat(weights, ensemble.cluster_counts)
    links = source_aware_triples(ensemble, of_cluster)
    edges = np.maximum(alpha * of_cluster, _LEAST)
    embedding = linked_embedding(ensemble, edges, links, n_clusters, rng)
    chosen = representatives(ensemble, n_clusters, rng)
    points, counts = embedding.points(chosen.ids), chosen.weights
    centers, found = best_kmeans(points, n_clusters, n_init=n_init, rng=rng, weights=counts)
    labels = label_all(ensemble, chosen, found, NearestEmbedded(embedding, centers))
    details = {
        "partition_weights": Along(weights, ("partition",)),
        "cluster_similarity": Along(links, ("cluster", "cluster")),
    }
    return ConsensusResult(labels, ensemble, details=details)


def source_aware_triples(ensemble: Ensemble, weight_of_cluster: Array) -> Array:
    """SACT: connected triples of the Jaccard coefficients, each with the weight of its center.

    Divided by the largest entry; the diagonal is 1.
    """
    triples = connected_triples(sparse_cluster_jaccard(ensemble), weight_of_cluster)
    similarity = triples / triples.max()
    np.fill_diagonal(similarity, 1)
    return similarity


class GPMGLA(BaseConsensus):
    r"""Consensus by graph partitioning with multi-granularity link analysis.

    Samples and base clusters are linked, and base clusters among themselves. The weight
    :math:`w_m` of a partition is that of `WEAC`. Two clusters are similar if there are
    clusters, themselves among them, that overlap with both: with Jaccard coefficients :math:`J`,

    .. math:: T_{CD} = \sum_k w_{m(k)} \min(J_{Ck}, J_{Dk}), \qquad
              S_{CD} = T_{CD} / \max T, \quad S_{CC} = 1,

    where :math:`m(k)` is the partition of cluster :math:`k`. The bipartite graph with the weights

    .. math:: B = \begin{pmatrix} \alpha\, w_{m(C)} [i \in C] \\ S \end{pmatrix},

    samples and clusters on one side and clusters on the other, is partitioned by the transfer cut,
    and k-means runs on the rows of the samples [1]_.

    Parameters
    ----------
    %(n_clusters)s
    alpha : float, default=0.5
        Weight of the links between samples and clusters. The default is the authors'.
    exponent : float, default=2.0
        How much more the partitions count that others agree with. The default is the authors'.
    n_init : int, default=20
        Number of starts of k-means. The authors' program has one start, at the first sample.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of k-means.

    Attributes
    ----------
    %(labels_)s
    partition_weights_ : ndarray of shape (n_partitions,)
        Weight of each partition; the largest is 1.
    cluster_similarity_ : ndarray of shape (n_base_clusters, n_base_clusters)
        Similarity S of the base clusters, in the order of ``ensemble_.cluster_ids``.
    %(fitted)s

    See Also
    --------
    gpmgla : The same for an existing `Ensemble`.
    WEAC : The same weights, in an n × n matrix.
    LWGP : Weights of clusters, without links among them.

    Notes
    -----
    Needs no n × n array. With :math:`c` clusters in all partitions together, time
    :math:`O(n m^2 + c^3)` and k-means in `n_clusters` dimensions; memory for the labels and eight
    c × c arrays. A missing label is an absent edge; Jaccard coefficients count the samples that
    both partitions label.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Combining multiple clusterings via crowd
       agreement estimation and multi-granularity link analysis", Neurocomputing 170, 2015.
       :doi:`10.1016/j.neucom.2014.05.094`; arXiv:1405.1297

    Examples
    --------
    >>> from consensa import GPMGLA
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> GPMGLA(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(gpmgla)
    alpha: float = 0.5
    exponent: float = 2.0
    n_init: int = KMEANS_STARTS
    partition_weights_ = Detail()
    cluster_similarity_ = Detail()
