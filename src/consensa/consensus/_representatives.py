"""Few samples that stand for all: k-means finds its centers in them, one pass labels the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.hashing import cluster_keys
from consensa.ensemble.rows import Assign, add_rows_of_table, cluster_ids
from consensa.partition.kmeans import points_for_starts

__all__ = ["LargestSum", "Representatives", "draw_rows", "label_all", "representatives"]


class Representatives(NamedTuple):
    """Samples in which k-means is started, in lexicographic order of their clusters.

    Attributes
    ----------
    numbers : ndarray of shape (n,)
        Which samples they are.
    ids : ndarray of shape (n, n_partitions)
        Their clusters, numbered as in `Ensemble.cluster_ids`.
    weights : ndarray of shape (n,)
        Number of samples that each stands for: those with the same row.
    are_all : bool
        Whether these are all samples.
    """

    numbers: Array
    ids: Array
    weights: Array
    are_all: bool


def representatives(
    ensemble: Ensemble, n_clusters: int, rng: np.random.RandomState
) -> Representatives:
    """All samples if there are at most 20,000, else so many of their distinct rows."""
    size = points_for_starts(ensemble.n_samples, n_clusters)
    return draw_rows(ensemble, size, int(rng.randint(2**31)) if size < ensemble.n_samples else 0)


def draw_rows(ensemble: Ensemble, limit: int, seed: int) -> Representatives:
    """All samples, or beyond `limit` of them so many distinct rows, each with its count.

    They are those of the smallest hashes: neither the order of the samples nor blocks of them
    can change which.
    """
    if ensemble.n_samples > limit:
        drawn = ensemble.rows.sample(cluster_keys(ensemble.n_clusters, seed), limit)
        numbers, ids, weights = drawn.first, drawn.ids, drawn.counts
    else:
        numbers = np.arange(ensemble.n_samples)
        ids = cluster_ids(ensemble.rows.take(numbers), ensemble.cluster_counts)
        weights = np.ones(len(ids), np.int64)
    order = np.lexsort(ids.T[::-1])
    are_all = len(ids) == ensemble.n_samples
    return Representatives(numbers[order], ids[order], weights[order], are_all)


@dataclass(frozen=True)
class LargestSum:
    """Assigns samples to the column that the rows of a table for their clusters add up to most."""

    table: Array  # (c, K)

    def __call__(self, ids: Array) -> Array:
        """Number of the column of each sample; the first on ties."""
        return np.argmax(add_rows_of_table(ids, self.table), axis=1)


def label_all(ensemble: Ensemble, chosen: Representatives, labels: Array, assign: Assign) -> Any:
    """Labels of all samples: those of the representatives, or what `assign` makes of each row."""
    if not chosen.are_all:
        return ensemble.rows.label(assign)
    everyone = np.empty(ensemble.n_samples, np.int64)
    everyone[chosen.numbers] = labels
    return everyone
