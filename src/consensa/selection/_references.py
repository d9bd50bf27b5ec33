"""Data without clusters that look like the data at hand: what a criterion finds in nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled

__all__ = ["REFERENCES", "permuted_partitions"]


def uniform_along_axes(points: Array, rng: np.random.RandomState) -> Array:
    """Uniform in the box that the samples fill along their principal axes.

    As in the gap statistic of Tibshirani, Walther and Hastie (2001): the shape and the
    correlations of the data, and no cluster anywhere.
    """
    centered = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    scores = centered @ axes.T
    return np.asarray(rng.uniform(scores.min(axis=0), scores.max(axis=0), scores.shape) @ axes)


def permuted_columns(points: Array, rng: np.random.RandomState) -> Array:
    """Each feature shuffled by itself: the features keep their values and lose their ties.

    Clusters that show in a single feature are still there: with few features, too strict.
    """
    return np.stack([rng.permutation(column) for column in points.T], axis=1)


def permuted_partitions(ensemble: Ensemble, rng: np.random.RandomState) -> Ensemble:
    """Each partition shuffled by itself over the samples that it labels.

    The clusters keep their sizes, and the partitions have nothing in common any more.
    """
    codes = ensemble.codes.copy()
    for column in codes.T:
        labeled = is_labeled(column)
        column[labeled] = rng.permutation(column[labeled])
    return Ensemble.from_labels(codes)


REFERENCES: dict[str, Callable[[Array, np.random.RandomState], Array]] = {
    "uniform": uniform_along_axes,
    "permuted": permuted_columns,
}
