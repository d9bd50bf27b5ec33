"""HBGF: partition samples and base clusters together, as one graph (Fern and Brodley 2004)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._defaults import KMEANS_STARTS
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
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

__all__ = ["HBGF", "hbgf"]


@consensus_method(
    MethodInfo(
        name="HBGF",
        year=2004,
        reference="X. Z. Fern and C. E. Brodley, ICML 2004",
        revision=3,
        **ON_EMBEDDED_REPRESENTATIVES,
    ),
)
def hbgf(
    ensemble: Ensemble, n_clusters: int, *, n_init: int = KMEANS_STARTS, random_state: Any = None
) -> ConsensusResult:
    """Consensus of `ensemble` by the hybrid bipartite graph formulation.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    n_init : int, default=20
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Returns
    -------
    ConsensusResult
        Labels, and ``details["part_of_cluster"]``.

    See Also
    --------
    HBGF : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, hbgf
    >>> hbgf(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    embedding = membership_embedding(ensemble, n_clusters, rng, joint=True)
    chosen = representatives(ensemble, n_clusters, rng)
    n_chosen = len(chosen.numbers)
    vertices = np.concatenate([embedding.points(chosen.ids), embedding.clusters])
    # If samples represent others, the weight of a cluster is reduced accordingly.
    share = chosen.weights.sum() / ensemble.n_samples
    weights = np.append(chosen.weights, np.full(ensemble.n_clusters, share))
    centers, parts = best_kmeans(vertices, n_clusters, n_init=n_init, rng=rng, weights=weights)
    labels = label_all(ensemble, chosen, parts[:n_chosen], NearestEmbedded(embedding, centers))
    details = {"part_of_cluster": Along(parts[n_chosen:], ("cluster",), numbers="label")}
    return ConsensusResult(labels, ensemble, details=details)


class HBGF(BaseConsensus):
    r"""Consensus by the hybrid bipartite graph formulation.

    Samples and base clusters are the vertices of a bipartite graph; an edge connects a sample to
    each cluster that contains it. With the 0/1 membership matrix :math:`B` and its row and column
    sums :math:`D_x`, :math:`D_y`, the left and right singular vectors of the K largest singular
    values of

    .. math:: D_x^{-1/2} B D_y^{-1/2}

    embed samples and clusters in one space. Each row is scaled to unit length, and k-means
    partitions all vertices, samples and clusters together, into `n_clusters` parts [1]_.

    Parameters
    ----------
    %(n_clusters)s
    n_init : int, default=20
        Number of starts of k-means. The authors' program uses one, from nearly orthogonal rows.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of k-means.

    Attributes
    ----------
    %(labels_)s
    part_of_cluster_ : ndarray of shape (n_clusters of the ensemble,)
        Part of each base cluster, numbered as in `labels_`; base clusters are in the order of
        `Ensemble.cluster_ids`.
    %(fitted)s

    See Also
    --------
    hbgf : The same for an existing `Ensemble`.
    LWGP : Weights base clusters by their certainty.
    consensa.partition.joint_bipartite_embedding : The embedding.

    Notes
    -----
    Needs no n × n array. With :math:`c` clusters in all partitions together, time
    :math:`O(n m^2 + c^3)` and k-means in `n_clusters` dimensions; memory for a few blocks of
    rows and :math:`O(c^2)` in addition to the labels, which may be larger than memory. Above
    20,000 samples, and 50 per cluster, k-means runs on that many distinct rows, drawn by a hash
    of their labels and weighted by their counts, and the others are assigned to the nearest
    center: two passes over the labels, three if some are missing. A missing label is an absent
    edge. A part of base clusters alone gets the distinct row that fits worst in its cluster, with
    a warning.

    References
    ----------
    .. [1] X. Z. Fern and C. E. Brodley, "Solving cluster ensemble problems by bipartite graph
       partitioning", ICML 2004. :doi:`10.1145/1015330.1015414`

    Examples
    --------
    >>> from consensa import HBGF
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> HBGF(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(hbgf)
    n_init: int = KMEANS_STARTS
    part_of_cluster_ = Detail()
