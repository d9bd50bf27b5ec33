"""One run of k-means, with all that it needs to be done anywhere."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consensa._array import Array
from consensa._machine.threads import one_thread

__all__ = ["KMeansRun"]


class KMeansRun(NamedTuple):
    """A run of k-means that makes one partition."""

    n_clusters: int
    seed: int
    n_init: int
    max_iter: int
    sample: Array | None  # samples in which the centers are found; None is all

    def fit(self, points: Any) -> tuple[Array, Array]:
        """Centers and labels of the samples that the centers are found in."""
        model = KMeans(
            self.n_clusters, n_init=self.n_init, max_iter=self.max_iter, random_state=self.seed
        )
        with one_thread(), warnings.catch_warnings():
            # There may be fewer distinct points than clusters.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(points)
        return model.cluster_centers_, model.labels_
