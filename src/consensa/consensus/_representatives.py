"""Representatives: k-means runs on a subset of the samples, and one pass labels the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._machine.hashing import cluster_keys, hash_rows
from consensa.consensus.needs import Arrays
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import Assign, add_rows_of_table, cluster_ids
from consensa.partition.kmeans import points_for_starts

__all__ = [
    "ON_DRAWN_ROWS",
    "ON_EMBEDDED_REPRESENTATIVES",
    "ON_REPRESENTATIVES",
    "KnownRows",
    "LargestSum",
    "Representatives",
    "draw_rows",
    "label_all",
    "representatives",
]

ON_DRAWN_ROWS: Mapping[str, Any] = {"by_rows": True, "sample_size": points_for_starts}
"""What `MethodInfo` says of a method that calls `representatives` and `label_all`."""

ON_REPRESENTATIVES: Mapping[str, Any] = {**ON_DRAWN_ROWS, "dask": True}
"""The same of a method that has a twin on Dask."""

ON_EMBEDDED_REPRESENTATIVES: Mapping[str, Any] = {
    "time": "n m² + c³ + n K²",
    "memory": "n m + c²",
    "arrays": (Arrays(5, "cK"), Arrays(4, "sK")),
    **ON_REPRESENTATIVES,
}
"""The same of a method that runs k-means on a `membership_embedding` of them."""


class Representatives(NamedTuple):
    """Samples on which k-means runs, in lexicographic order of their clusters.

    Attributes
    ----------
    numbers : ndarray of shape (n,)
        Numbers of the samples.
    ids : ndarray of shape (n, n_partitions)
        Their clusters, numbered as in `Ensemble.cluster_ids`.
    weights : ndarray of shape (n,)
        Number of samples that each represents: those with the same row.
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
    """All samples if there are at most 20,000, else that many distinct rows."""
    size = points_for_starts(ensemble.n_samples, n_clusters)
    return draw_rows(ensemble, size, int(rng.randint(2**31)) if size < ensemble.n_samples else 0)


def draw_rows(ensemble: Ensemble, limit: int, seed: int) -> Representatives:
    """All samples, or if there are more than `limit`, that many distinct rows with their counts.

    They are those with the smallest hashes: they depend neither on the order of the samples nor on
    the blocks.
    """
    if ensemble.n_samples > limit:
        drawn = ensemble.rows.sample(cluster_keys(ensemble.n_clusters, seed), limit)
        numbers, ids, weights = drawn.first, drawn.rows, drawn.counts
    else:
        numbers = np.arange(ensemble.n_samples)
        ids = cluster_ids(ensemble.rows.take(numbers), ensemble.cluster_counts)
        weights = np.ones(len(ids), np.int64)
    order = np.lexsort(ids.T[::-1])
    are_all = len(ids) == ensemble.n_samples
    return Representatives(numbers[order], ids[order], weights[order], are_all)


@dataclass(frozen=True)
class LargestSum:
    """Assigns each sample to the column with the largest sum of the table rows of its clusters."""

    table: Array  # (c, K)
    base: Array | float = 0.0  # (K,): what the sums begin with

    def __call__(self, ids: Array) -> Array:
        """Number of the column of each sample; the first on ties."""
        sums = add_rows_of_table(ids, self.table)
        sums += self.base
        return np.argmax(sums, axis=1)


class KnownRows:
    """Gives rows that are known their labels, and assigns the others.

    Rows are equal if their hashes are, as when rows are drawn.
    """

    def __init__(self, ids: Array, labels: Array, n_clusters: int, assign: Assign) -> None:
        self.keys = cluster_keys(n_clusters, 0)
        hashes = hash_rows(ids, self.keys)
        order = np.argsort(hashes)
        self.hashes, self.labels, self.assign = hashes[order], labels[order], assign

    def __call__(self, ids: Array) -> Array:
        """Label of each row."""
        hashes = hash_rows(ids, self.keys)
        place = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[place] == hashes, self.labels[place], self.assign(ids))


def label_all(ensemble: Ensemble, chosen: Representatives, labels: Array, assign: Assign) -> Any:
    """Labels of all samples: those of the representatives, or `assign` applied to each row."""
    if not chosen.are_all:
        return ensemble.rows.label(assign)
    everyone = np.empty(ensemble.n_samples, np.int64)
    everyone[chosen.numbers] = labels
    return everyone
