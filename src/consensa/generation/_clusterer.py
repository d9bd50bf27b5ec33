"""Base partitions by scikit-learn's clusterers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consensa._machine.threads import one_thread
from consensa.ensemble.missing import MISSING
from consensa.generation._models import NearestCenter

__all__ = ["cluster_rows", "seeded"]


def seeded(clusterer: Any, seed: int, **settings: Any) -> Any:
    """A copy of the clusterer with these settings, and with the seed if it has `random_state`."""
    copy = clone(clusterer)
    if "random_state" in copy.get_params(deep=False):
        settings["random_state"] = seed
    return copy.set_params(**settings)


def cluster_rows(points: Any, clusterer: Any) -> tuple[np.ndarray[Any, Any], Any]:
    """Labels of the rows, noise as missing, and a model if the clusterer can predict."""
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than clusters
        labels = np.asarray(clusterer.fit_predict(points))
    labels = np.maximum(labels, MISSING)  # HDBSCAN has several negative labels
    if isinstance(clusterer, KMeans):
        return labels, NearestCenter(clusterer.cluster_centers_)
    return labels, clusterer if hasattr(clusterer, "predict") else None
