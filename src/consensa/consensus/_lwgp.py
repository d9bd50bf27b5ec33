"""LWGP: partition the locally weighted graph of samples and clusters (Huang et al. 2018)."""

from __future__ import annotations

from typing import Any

from consensa._defaults import ENTROPY_SCALE, KMEANS_STARTS
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus._papers import LOCALLY_WEIGHTED
from consensa.consensus._representatives import (
    ON_EMBEDDED_REPRESENTATIVES,
    label_all,
    representatives,
)
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition.kmeans import best_kmeans
from consensa.partition.membership_embedding import NearestEmbedded, membership_embedding
from consensa.similarity import cluster_certainty

__all__ = ["LWGP", "lwgp"]


@consensus_method(
    MethodInfo(
        name="LWGP",
        **LOCALLY_WEIGHTED,
        revision=2,
        **ON_EMBEDDED_REPRESENTATIVES,
    ),
)
def lwgp(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    theta: float = ENTROPY_SCALE,
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by locally weighted graph partitioning.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy.
    n_init : int, default=20
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Returns
    -------
    ConsensusResult
        Labels, and ``details["cluster_certainty"]``.

    See Also
    --------
    LWGP : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, lwgp
    >>> lwgp(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    certainty = cluster_certainty(ensemble, theta=theta)
    rng = random_source(random_state)
    embedding = membership_embedding(ensemble, n_clusters, rng, cluster_weights=certainty)
    chosen = representatives(ensemble, n_clusters, rng)
    points, weights = embedding.points(chosen.ids), chosen.weights
    centers, found = best_kmeans(points, n_clusters, n_init=n_init, rng=rng, weights=weights)
    labels = label_all(ensemble, chosen, found, NearestEmbedded(embedding, centers))
    details = {"cluster_certainty": Along(certainty, ("cluster",))}
    return ConsensusResult(labels, ensemble, details=details)


class LWGP(BaseConsensus):
    r"""Consensus by locally weighted graph partitioning.

    Samples and base clusters are the vertices of a bipartite graph. An edge connects a sample to
    each cluster that contains it, weighted by the certainty of the cluster:

    .. math::
        G_{iC} = [i \in C] \, \mathrm{ECI}(C), \qquad
        \mathrm{ECI}(C) = \exp \left( \frac{1}{\theta m} \sum_{\pi} \sum_{C' \in \pi}
        p \log_2 p \right), \quad p = \frac{|C \cap C'|}{|C|},

    over the :math:`m` partitions :math:`\pi`. The graph is partitioned into `n_clusters` parts by
    the transfer cut: the leading eigenvectors of the clusters are transferred to the samples, and
    k-means runs on their rows, scaled to unit length [1]_.

    Parameters
    ----------
    %(n_clusters)s
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy. The authors use 0.4 and
        advise 0.2 to 1. With a large value all clusters have the same weight.
    n_init : int, default=20
        Number of starts of k-means. The authors' program uses 3.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of k-means.

    Attributes
    ----------
    %(labels_)s
    cluster_certainty_ : ndarray of shape (n_clusters of the ensemble,)
        Certainty of each base cluster, in the order of `Ensemble.cluster_ids`.
    %(fitted)s

    See Also
    --------
    lwgp : The same for an existing `Ensemble`.
    LWEA : The same weights in an n × n matrix, agglomerated.
    HBGF : All base clusters have the same weight.
    consensa.partition.bipartite_embedding : The transfer cut.

    Notes
    -----
    Needs no n × n array. With :math:`c` clusters in all partitions together, time
    :math:`O(n m^2 + c^3)` and k-means in `n_clusters` dimensions; memory for a few blocks of
    rows and :math:`O(c^2)` in addition to the labels, which may be larger than memory. Above
    20,000 samples, and 50 per cluster, k-means runs on that many distinct rows, drawn by a hash
    of their labels and weighted by their counts, and the others are assigned to the nearest
    center: three passes over the labels. A missing label is an absent edge.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang and J.-H. Lai, "Locally weighted ensemble clustering", IEEE
       Transactions on Cybernetics 48(5), 2018. :doi:`10.1109/TCYB.2017.2702343`

    Examples
    --------
    >>> from consensa import LWGP
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> LWGP(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(lwgp)
    theta: float = ENTROPY_SCALE
    n_init: int = KMEANS_STARTS
    cluster_certainty_ = Detail()
