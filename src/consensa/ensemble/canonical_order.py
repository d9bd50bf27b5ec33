"""An order of partitions, clusters and samples that depends only on what the ensemble says.

Methods draw positions at random (the first center of k-means is "point 17"), add numbers in some
order, and decide ties by what comes first. For the same answer whatever the order of the rows, the
order of the partitions and the names of the clusters, they are given the ensemble in an order that
is made from the overlaps of the clusters and, where these leave ties, from the distinct rows.
Where these leave ties too, samples are exchangeable: the one that comes first in the data goes
first, and `CanonicalOrder.ties` remembers it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from consensa._array import Array
from consensa.ensemble._refinement import (
    Ties,
    are_told_apart,
    colors_by_overlap,
    decide,
    partition_colors,
)
from consensa.ensemble.hashing import cluster_keys
from consensa.ensemble.missing import MISSING
from consensa.ensemble.rows import offsets

if TYPE_CHECKING:
    from consensa.ensemble._ensemble import Ensemble

__all__ = ["CanonicalOrder", "canonical_order"]

_MOST_ROWS = 100_000  # distinct rows that are looked at where the overlaps leave ties


@dataclass(frozen=True, eq=False)
class CanonicalOrder:
    """An order of the partitions and of their clusters.

    Attributes
    ----------
    partitions : ndarray of shape (n_partitions,)
        Partitions, by number, in their order.
    clusters : ndarray of shape (n_clusters,)
        Clusters, numbered as in `Ensemble.cluster_ids`, partition after partition.
    ties : Ties or None
        What the ensemble does not decide, if there is any.
    """

    partitions: Array
    clusters: Array
    ties: Ties | None = None

    @cached_property
    def rank(self) -> Array:
        """Place of each cluster in the order; the last entry is for a missing label."""
        rank = np.empty(len(self.clusters) + 1, np.int32)
        rank[self.clusters] = np.arange(len(self.clusters))
        rank[-1] = MISSING
        return rank

    def ids(self, ids: Array) -> Array:
        """Rows of cluster ids, with partitions and clusters in this order."""
        return self.rank[ids[:, self.partitions]]

    def samples(self, ids: Array) -> Array:
        """Order of samples that are given by their cluster ids: lexicographic, missing first."""
        return np.lexsort(self.ids(ids).T[::-1])


def canonical_order(ensemble: Ensemble) -> CanonicalOrder:
    """Order of the partitions and clusters of an ensemble."""
    counts, overlap = ensemble.cluster_counts, ensemble.overlap
    colors, ties = colors_by_overlap(overlap, counts), None
    if not are_told_apart(overlap, colors):
        rows = ensemble.rows.sample(cluster_keys(int(counts.sum()), 0), _MOST_ROWS)
        if rows.complete:
            colors, ties = decide(rows, counts, colors)
    partitions = np.lexsort((partition_colors(colors, offsets(counts)), counts))
    place = np.argsort(partitions)
    of_cluster = np.repeat(np.arange(len(counts)), counts)
    return CanonicalOrder(partitions, np.lexsort((colors, place[of_cluster])), ties)
