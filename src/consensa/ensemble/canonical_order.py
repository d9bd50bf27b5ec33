"""Canonical order of partitions, clusters and samples, computed from the label matrix alone.

Methods draw random positions (the first center of k-means is "point 17"), add numbers in some
order, and decide ties by the first position. So that the result depends neither on the order of
the rows and partitions nor on the names of the clusters, they get the ensemble in an order that
is computed from the overlaps of the clusters and, if there are ties, from the distinct rows. If
ties remain, samples are exchangeable: the first one in the data is taken first, and the tie is
stored in `CanonicalOrder.ties`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from consensa._array import Array
from consensa._machine.hashing import cluster_keys
from consensa.ensemble._refinement import (
    Ties,
    are_told_apart,
    colors_by_overlap,
    decide,
    partition_colors,
)
from consensa.ensemble.missing import MISSING
from consensa.ensemble.overlaps import overlaps_of
from consensa.ensemble.rows import offsets

if TYPE_CHECKING:
    from consensa.ensemble._ensemble import Ensemble

__all__ = ["CanonicalOrder", "canonical_order"]

_MOST_ROWS = 100_000  # maximum number of distinct rows to use for ties of the overlaps


@dataclass(frozen=True, eq=False)
class CanonicalOrder:
    """An order of the partitions and of their clusters.

    Attributes
    ----------
    partitions : ndarray of shape (n_partitions,)
        Numbers of the partitions, in canonical order.
    clusters : ndarray of shape (n_clusters,)
        Numbers of the clusters as in `Ensemble.cluster_ids`, in canonical order by partition.
    ties : Ties or None
        The ties between exchangeable samples, if any.
    """

    partitions: Array
    clusters: Array
    ties: Ties | None = None

    @cached_property
    def rank(self) -> Array:
        """Position of each cluster; the last entry is for a missing label."""
        rank = np.empty(len(self.clusters) + 1, np.int32)
        rank[self.clusters] = np.arange(len(self.clusters))
        rank[-1] = MISSING
        return rank

    def ids(self, ids: Array) -> Array:
        """Rows of cluster ids, with partitions and clusters in this order."""
        return self.rank[ids[:, self.partitions]]

    def samples(self, ids: Array) -> Array:
        """Order of samples with these cluster ids: lexicographic, missing labels first."""
        return np.lexsort(self.ids(ids).T[::-1])


def canonical_order(ensemble: Ensemble) -> CanonicalOrder:
    """Canonical order of the partitions and clusters of an ensemble."""
    counts, overlaps = ensemble.cluster_counts, overlaps_of(ensemble)
    colors, ties = colors_by_overlap(overlaps, counts), None
    if not are_told_apart(overlaps, colors):
        rows = ensemble.rows.sample(cluster_keys(int(counts.sum()), 0), _MOST_ROWS)
        if rows.complete:
            colors, ties = decide(rows, counts, colors)
    partitions = np.lexsort((partition_colors(colors, offsets(counts)), counts))
    place = np.argsort(partitions)
    of_cluster = np.repeat(np.arange(len(counts)), counts)
    return CanonicalOrder(partitions, np.lexsort((colors, place[of_cluster])), ties)
