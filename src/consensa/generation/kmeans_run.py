"""One run of k-means, as a value that can be sent to another process."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consensa._array import Array
from consensa._machine.threads import one_thread

__all__ = ["KMeansRun"]


class KMeansRun(NamedTuple):
    """A run of k-means that computes one partition."""

    n_clusters: int
    seed: int
    n_init: int
    max_iter: int
    sample: Array | None  # samples on which k-means runs; None is all

    def fit(self, points: Any) -> tuple[Array, Array]:
        """Centers, and labels of the samples on which k-means ran."""
        model = KMeans(
            self.n_clusters, n_init=self.n_init, max_iter=self.max_iter, random_state=self.seed
        )
        with one_thread(), warnings.catch_warnings():
            # There may be fewer distinct points than clusters.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(points)
        return model.cluster_centers_, model.labels_
