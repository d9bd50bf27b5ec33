"""Fill empty clusters, so that a method returns as many clusters as were requested.

A method can leave clusters empty: a meta-cluster for which no sample votes, a center of k-means
without points. Each of them gets the distinct row that fits worst where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.consensus._representatives import draw_rows
from consensa.ensemble import Ensemble
from consensa.ensemble.equal_rows import adjacent_equal_rows, places_among
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import sums_by_partition
from consensa.partition.kmeans import points_for_starts

__all__ = ["fill_empty_clusters"]


def fill_empty_clusters(ensemble: Ensemble, labels: Any, n_clusters: int) -> Any:
    r"""Labels with `n_clusters` clusters, if there are fewer and as many distinct rows.

    The fit of sample :math:`i` to its cluster :math:`k` is its mean co-association with the other
    samples :math:`j` of the cluster: of all pairs of such a sample and a partition that labels
    both, the proportion in which they are together. The distinct rows with the smallest fit
    become clusters of their own, except that each cluster keeps its best row. On ties the first
    row in the order of the ensemble is taken.

    The numbers of the new clusters are those below `n_clusters` that do not occur. Above 20,000
    samples, and 50 per cluster, only that many distinct rows are considered, drawn by a hash of
    their labels.
    """
    limit = points_for_starts(ensemble.n_samples, n_clusters)
    rows = draw_rows(ensemble, limit, seed=0)
    first = adjacent_equal_rows(rows.ids).first  # in lexicographic order
    ids, own = rows.ids[first], np.asarray(labels[rows.numbers[first]])
    met = ensemble.rows.meetings(labels, n_clusters)
    empty = np.flatnonzero(met[-1] == 0)
    fit = _mean_coassociation(ids, own, met, ensemble.cluster_counts)
    worst = _worst_but_one(fit, own)[: len(empty)]
    return ensemble.rows.score(_SplitOff(ids[worst], empty), labels).astype(np.int64)


def _mean_coassociation(ids: Array, own: Array, met: Array, cluster_counts: Array) -> Array:
    """Mean co-association of each row with the other samples of its cluster.

    Quotients of integers, so that equal ones are exactly equal.
    """
    labeled = sums_by_partition(met[:-1], cluster_counts)  # (partitions, labels)
    together, pairs = np.zeros((2, len(ids)), np.int64)
    for column, samples in zip(ids.T, labeled, strict=True):
        known = is_labeled(column)
        together += np.where(known, met[column, own] - 1, 0)
        pairs += np.where(known, samples[own] - 1, 0)
    return together / np.maximum(pairs, 1)


def _worst_but_one(fit: Array, own: Array) -> Array:
    """Rows from the smallest fit to the largest, without the last one of each cluster."""
    order = np.argsort(fit, kind="stable")
    _, last = np.unique(own[order][::-1], return_index=True)
    return np.delete(order, len(order) - 1 - last)


@dataclass(frozen=True)
class _SplitOff:
    """Gives some rows labels of their own."""

    rows: Array  # cluster ids
    labels: Array

    def __call__(self, ids: Array, labels: Array) -> Array:
        place = places_among(self.rows, ids)
        return np.where(is_labeled(place), self.labels[place], labels)
