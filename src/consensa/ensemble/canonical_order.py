"""An order of clusters and microclusters that neither their names nor the rows decide.

Methods that draw at random draw positions: the first center of k-means is "point 17". For the
same seed to give the same answer when rows are shuffled or clusters renamed, point 17 must
be the same point. So points are put in an order that depends only on how the partitions
overlap. Clusters that cannot be told apart by that keep the order of first appearance.
"""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.ensemble._ensemble import Ensemble, Microclusters
from consensa.ensemble.rows import cluster_ids

__all__ = [
    "canonical_clusters",
    "canonical_groups",
    "canonical_microclusters",
    "canonical_order",
    "canonical_samples",
]


def canonical_clusters(ensemble: Ensemble) -> Array:
    """Clusters, by number, partition after partition, each by its overlap with all others.

    Clusters that overlap alike are told apart by what the clusters that they overlap look like,
    and so on, until no more are (color refinement).
    """
    overlap = ensemble.overlap
    cluster = np.repeat(np.arange(ensemble.n_clusters), np.diff(overlap.indptr))
    rank = np.repeat(np.arange(ensemble.n_partitions), ensemble.cluster_counts)
    n_ranks = 0
    while n_ranks < rank.max() + 1 < ensemble.n_clusters:
        n_ranks = rank.max() + 1
        # Of each cluster, its rank, and of those that it overlaps the ranks and by how much.
        seen = rank[overlap.indices]
        shares = np.stack([seen, overlap.data], axis=1)[np.lexsort((overlap.data, seen, cluster))]
        keys = [
            (own, shares[start:end].tobytes())
            for own, start, end in zip(rank, overlap.indptr, overlap.indptr[1:], strict=False)
        ]
        place = {key: number for number, key in enumerate(sorted(set(keys)))}
        rank = np.array([place[key] for key in keys])
    return np.argsort(rank, kind="stable")


def canonical_microclusters(ensemble: Ensemble) -> Array:
    """Microclusters, by number, in lexicographic order of their canonical cluster numbers."""
    ids = cluster_ids(ensemble.microclusters().rows, ensemble.cluster_counts)
    return canonical_order(ensemble, ids)


def canonical_groups(ensemble: Ensemble) -> Microclusters:
    """The microclusters themselves, numbered in that order."""
    groups, order = ensemble.microclusters(), canonical_microclusters(ensemble)
    return Microclusters(np.argsort(order)[groups.labels], groups.rows[order], groups.sizes[order])


def canonical_samples(ensemble: Ensemble) -> Array:
    """Samples, by number, in lexicographic order of their canonical clusters; missing first.

    Samples that no partition tells apart stand together.
    """
    return canonical_order(ensemble, ensemble.cluster_ids)


def canonical_order(ensemble: Ensemble, ids: Array) -> Array:
    """Order of samples that are given by their cluster ids, of shape (samples, partitions)."""
    order = canonical_clusters(ensemble)
    rank = np.empty(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1  # where the number of the cluster is -1
    return np.lexsort(rank[ids].T[::-1])
