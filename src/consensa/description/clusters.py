"""The clusters of a result, a fitted estimator or an array of labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._result import ConsensusResult
from consensa.ensemble.labels import read_labels
from consensa.features.space import PRECOMPUTED

__all__ = ["LabelCodes", "has_features", "labels_of", "result_of"]


class LabelCodes(NamedTuple):
    """Cluster of each sample by number, and the names of these numbers."""

    codes: Array
    names: Array


def result_of(given: Any) -> ConsensusResult | None:
    """The result itself, or that of a fitted estimator; None for anything else."""
    result = getattr(given, "result_", given)
    return result if isinstance(result, ConsensusResult) else None


def has_features(result: ConsensusResult) -> bool:
    """Whether a result was computed from features, and not from labels or distances."""
    of_distances = getattr(result.generator, "metric", None) == PRECOMPUTED
    return result.features is not None and not of_distances


def labels_of(given: Any) -> LabelCodes:
    """Labels of any type; those that are integers keep their order."""
    result = result_of(given)
    labels = np.asarray(given if result is None else result.labels)
    codes = read_labels(labels, "result")
    if labels.dtype.kind in "iu":
        names, codes = np.unique(labels, return_inverse=True)
        return LabelCodes(codes, names)
    return LabelCodes(codes, labels[np.unique(codes, return_index=True)[1]])
