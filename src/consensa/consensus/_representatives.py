"""Few samples that stand for all: k-means finds its centers in them, one pass labels the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.canonical_order import canonical_order
from consensa.ensemble.rows import Assign, add_rows_of_table, cluster_ids
from consensa.partition.kmeans import sample_for_starts

__all__ = ["LargestSum", "Representatives", "draw_rows", "label_all", "representatives"]


class Representatives(NamedTuple):
    """Samples in which k-means is started, in canonical order.

    Attributes
    ----------
    numbers : ndarray of shape (n,)
        Which samples they are.
    ids : ndarray of shape (n, n_partitions)
        Their clusters, numbered as in `Ensemble.cluster_ids`.
    are_all : bool
        Whether these are all samples.
    """

    numbers: Array
    ids: Array
    are_all: bool


def representatives(
    ensemble: Ensemble, n_clusters: int, rng: np.random.RandomState
) -> Representatives:
    """All samples if there are at most 20,000, else a sample of their row numbers."""
    return draw_rows(ensemble, sample_for_starts(ensemble.n_samples, n_clusters, rng))


def draw_rows(ensemble: Ensemble, drawn: Array | None) -> Representatives:
    """The samples with these numbers, or all."""
    numbers = np.arange(ensemble.n_samples) if drawn is None else drawn
    ids = cluster_ids(ensemble.rows.take(numbers), ensemble.cluster_counts)
    order = canonical_order(ensemble, ids)
    return Representatives(numbers[order], ids[order], drawn is None)


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
