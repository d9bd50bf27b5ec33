"""Few samples that stand for all: k-means finds its centres in them, one pass labels the rest."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._ensemble import Ensemble
from consensa._rows import Assign, cluster_ids
from consensa.consensus._canonical_order import canonical_order
from consensa.partition._kmeans import sample_for_starts

__all__ = ["Representatives", "label_all", "representatives"]

_Array = np.ndarray[Any, Any]


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

    numbers: _Array
    ids: _Array
    are_all: bool


def representatives(
    ensemble: Ensemble, n_clusters: int, rng: np.random.RandomState
) -> Representatives:
    """All samples if there are at most 20,000, else a sample of their row numbers."""
    drawn = sample_for_starts(ensemble.n_samples, n_clusters, rng)
    numbers = np.arange(ensemble.n_samples) if drawn is None else drawn
    ids = cluster_ids(ensemble.rows.take(numbers), ensemble.cluster_counts)
    order = canonical_order(ensemble, ids)
    return Representatives(numbers[order], ids[order], drawn is None)


def label_all(ensemble: Ensemble, chosen: Representatives, labels: _Array, assign: Assign) -> Any:
    """Labels of all samples: those of the representatives, or what `assign` makes of each row."""
    if not chosen.are_all:
        return ensemble.rows.label(assign)
    everyone = np.empty(ensemble.n_samples, np.int64)
    everyone[chosen.numbers] = labels
    return everyone
