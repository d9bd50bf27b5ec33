"""PTGP: partition the graph of microclusters and clusters (Huang et al. 2016)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._machine.memory import require_square
from consensa._params import Integer, OneOf
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus._papers import PROBABILITY_TRAJECTORIES
from consensa.consensus._representatives import LargestSum, draw_rows
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import count_meetings
from consensa.partition import cut_bipartite
from consensa.similarity import probability_trajectories

__all__ = ["PTGP", "ptgp"]

_MOST_SAMPLES = 20_000
_REPRESENTATIVES = 2_000  # for more samples than that


def _n_seen(n_samples: int, n_clusters: int) -> int:
    """Number of samples whose microclusters are partitioned."""
    few = max(_REPRESENTATIVES, 10 * n_clusters)
    return n_samples if n_samples <= _MOST_SAMPLES else min(n_samples, few)


@consensus_method(
    MethodInfo(
        name="PTGP",
        **PROBABILITY_TRAJECTORIES,
        time="n m log n + q² (m + T k) + c³, q microclusters, c clusters in all, "
        "at most 20 steps T and neighbors k",
        memory="6 q² + 4 q c",
        missing=False,
        arrays=(Arrays(5, "cK"), Arrays(4, "sK")),
        by_rows=True,
        sample_size=_n_seen,
        revision=3,
    ),
    n_neighbors=(Integer(1), OneOf(("auto", "paper"))),
    walk_length=(Integer(1), OneOf(("auto", "paper"))),
)
def ptgp(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    n_neighbors: int | str = "auto",
    walk_length: int | str = "auto",
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by probability trajectory based graph partitioning.

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions, without missing labels.
    %(n_clusters)s
    n_neighbors : int, "auto" or "paper", default="auto"
        Number of neighbors of a microcluster.
    walk_length : int, "auto" or "paper", default="auto"
        Number of steps of the random walks.
    n_init : int, default=20
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Returns
    -------
    ConsensusResult
        Labels, and ``details["microcluster_affinity"]``.

    See Also
    --------
    PTGP : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, ptgp
    >>> ptgp(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    options = {"n_neighbors": n_neighbors, "walk_length": walk_length, "n_init": n_init}
    size = _n_seen(ensemble.n_samples, n_clusters)
    if size == ensemble.n_samples:
        labels, affinity = _cut(ensemble, n_clusters, rng, **options)
        details = {"microcluster_affinity": Along(affinity, ("microcluster", "microcluster"))}
        return ConsensusResult(labels, ensemble, details=details)
    chosen = draw_rows(ensemble, size, int(rng.randint(2**31)))
    ids = np.repeat(chosen.ids, chosen.weights, axis=0)
    few = Ensemble.from_labels(ids)  # the ids serve as labels
    few_labels, affinity = _cut(few, n_clusters, rng, **options)
    table = _shares(ids, few_labels, ensemble.n_clusters)
    labels = ensemble.rows.label(LargestSum(table))
    return ConsensusResult(labels, ensemble, details={"microcluster_affinity": affinity})


def _shares(ids: Array, labels: Array, n_base_clusters: int) -> Array:
    """Proportion of each cluster in the representatives of each base cluster: (c, K)."""
    met = count_meetings(ids, labels, (n_base_clusters + 1, int(labels.max()) + 1))[:-1]
    return met / np.maximum(met.sum(axis=1, keepdims=True), 1)


def _cut(
    ensemble: Ensemble,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    n_neighbors: Any,
    walk_length: Any,
    n_init: Any,
) -> tuple[Array, Array]:
    """Labels of all samples, and the similarity of their microclusters."""
    n_groups = len(ensemble.microclusters().sizes)
    needed = 6 + 4 * ensemble.n_clusters / n_groups  # the weights and their copies are q × c
    require_square(
        n_groups, np.float64, arrays=needed, step="PTGP on the microclusters", of="microclusters"
    )
    affinity = probability_trajectories(ensemble, n_neighbors=n_neighbors, walk_length=walk_length)
    weights = _weights_to_clusters(ensemble, affinity)
    group_labels = cut_bipartite(weights, n_clusters, n_init=n_init, random_state=rng)
    return group_labels[ensemble.microclusters().labels], affinity


def _weights_to_clusters(ensemble: Ensemble, affinity: Array) -> Array:
    """Mean similarity of each microcluster to the microclusters of each cluster: (q, c)."""
    membership = Ensemble(ensemble.microclusters().rows).membership()  # (q, c)
    return (membership.T @ affinity).T / membership.sum(axis=0)


class PTGP(BaseConsensus):
    r"""Consensus by probability trajectory based graph partitioning.

    The similarity PTS of random walks between the microclusters is that of `PTA`. Each
    microcluster :math:`i` is connected to each cluster :math:`C` of every partition with the mean
    similarity to its microclusters,

    .. math:: G_{iC} = \frac{1}{|C|} \sum_{k \in C} \mathrm{PTS}_{ik},

    where :math:`|C|` counts microclusters, and the bipartite graph is partitioned into
    `n_clusters` parts by k-means on its transferred eigenvectors [1]_.

    Parameters
    ----------
    %(n_clusters)s
    n_neighbors : int, "auto" or "paper", default="auto"
        Number of neighbors of a microcluster; links tied with the last are kept. For q
        microclusters the paper uses :math:`\lfloor\sqrt q/2\rfloor` (``"paper"``). The
        authors' program uses the same but at most 20 (``"auto"``): the two differ from
        q = 1764.
    walk_length : int, "auto" or "paper", default="auto"
        Number of steps of the walks, with the same two rules.
    n_init : int, default=20
        Number of starts of k-means; the authors use 3.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of k-means.

    Attributes
    ----------
    %(labels_)s
    microcluster_affinity_ : ndarray of shape (n_microclusters, n_microclusters)
        Similarity PTS, in the order of ``ensemble_.microclusters()``; above 20,000 samples, that
        of the representatives.
    %(fitted)s

    See Also
    --------
    ptgp : The same for an existing `Ensemble`.
    PTA : Agglomerates the microclusters instead.
    consensa.partition.cut_bipartite : The cut of the graph.

    Notes
    -----
    Time :math:`O(n m \log n)` for the q microclusters, then :math:`O(q^2 (m + T k) + c^3)`
    for c clusters in all, more if many links tie. Memory for six q × q arrays and four
    q × c ones, which is checked before they are allocated; q is at most n, and much smaller if
    the partitions agree. Above 20,000 samples the method runs on 2,000 distinct rows, drawn by
    a hash of their labels; every sample is then assigned to the cluster with the largest mean
    proportion in the representatives of its base clusters.

    The similarity of a microcluster that shares no cluster with another is 1 to itself and 0 to
    all others. In the authors' program it is 0 even to itself, so that it returns one cluster if
    all partitions are equal. If k-means finds fewer than `n_clusters` different points, the
    distinct rows that fit worst in their cluster are the missing clusters, with a warning.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Robust ensemble clustering using probability
       trajectories", IEEE TKDE 28(5), 2016. :doi:`10.1109/TKDE.2015.2503753`

    Examples
    --------
    Six partitions of eight samples; each of the first four is wrong about two samples.

    >>> import numpy as np
    >>> from consensa import PTGP
    >>> partitions = np.repeat([[0], [1]], 4, axis=0) + np.zeros(6, int)
    >>> partitions[range(8), [0, 1, 2, 3] * 2] = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> PTGP(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    _function = staticmethod(ptgp)
    n_neighbors: int | str = "auto"
    walk_length: int | str = "auto"
    n_init: int = KMEANS_STARTS
    microcluster_affinity_ = Detail()
