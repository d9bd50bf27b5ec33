"""Reference data without clusters that resemble the data otherwise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled

__all__ = ["REFERENCES", "permuted_partitions"]


def uniform_along_axes(points: Array, rng: np.random.RandomState) -> Array:
    """Uniform samples in the bounding box along the principal axes of the data.

    As in the gap statistic of Tibshirani, Walther and Hastie (2001): they have the extent and
    the correlations of the data, but no clusters.
    """
    centered = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    scores = centered @ axes.T
    return np.asarray(rng.uniform(scores.min(axis=0), scores.max(axis=0), scores.shape) @ axes)


def permuted_columns(points: Array, rng: np.random.RandomState) -> Array:
    """Shuffle each feature separately: the values stay, the dependence between features is lost.

    Clusters that are visible in a single feature remain: too strict with few features.
    """
    return np.stack([rng.permutation(column) for column in points.T], axis=1)


def permuted_partitions(ensemble: Ensemble, rng: np.random.RandomState) -> Ensemble:
    """Shuffle each partition separately over the samples that it labels.

    The clusters keep their sizes, and the partitions become independent.
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
