"""An order of clusters and microclusters that neither their names nor the rows decide.

Methods that draw at random draw positions: the first centre of k-means is "point 17". For the
same seed to give the same answer when rows are shuffled or clusters renamed, point 17 must
be the same point. So points are put in an order that depends only on how the partitions
overlap. Clusters that overlap all partitions alike keep the order of first appearance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._ensemble import Ensemble

__all__ = [
    "canonical_clusters",
    "canonical_microclusters",
    "canonical_order",
    "canonical_samples",
]

_Array = np.ndarray[Any, Any]


def canonical_clusters(ensemble: Ensemble) -> _Array:
    """Clusters, by number, partition after partition, each by its overlap with all others."""
    overlap = ensemble.overlap
    partition = np.repeat(np.arange(ensemble.n_partitions), ensemble.cluster_counts)
    # Of each cluster, the sizes of its shares in each partition, whichever clusters they are of.
    row = np.repeat(np.arange(ensemble.n_clusters), np.diff(overlap.indptr))
    other = partition[overlap.indices]
    by_size = np.lexsort((overlap.data, other, row))
    shares = np.stack([other, overlap.data[by_size]], axis=1)  # `other` is sorted already
    keys = [
        (own, shares[start:end].tobytes())
        for own, start, end in zip(partition, overlap.indptr, overlap.indptr[1:], strict=False)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__))


def canonical_microclusters(ensemble: Ensemble) -> _Array:
    """Microclusters, by number, in lexicographic order of their canonical cluster numbers."""
    order = canonical_clusters(ensemble)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    offsets = np.cumsum(ensemble.cluster_counts) - ensemble.cluster_counts
    rows = rank[ensemble.microclusters().rows + offsets]
    return np.lexsort(rows.T[::-1])


def canonical_samples(ensemble: Ensemble) -> _Array:
    """Samples, by number, in lexicographic order of their canonical clusters; missing first.

    Samples that no partition tells apart stand together.
    """
    return canonical_order(ensemble, ensemble.cluster_ids)


def canonical_order(ensemble: Ensemble, ids: _Array) -> _Array:
    """Order of samples that are given by their cluster ids, of shape (samples, partitions)."""
    order = canonical_clusters(ensemble)
    rank = np.empty(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1  # where the number of the cluster is -1
    return np.lexsort(rank[ids].T[::-1])
