"""Base partitions by k-means with a random number of clusters."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from scipy import sparse

from consensa._array import Array
from consensa._params import Declaration, Integer, NoneType
from consensa._random import random_source
from consensa.ensemble.rows import nearest_centers
from consensa.features import Features
from consensa.generation._models import NearestCenter
from consensa.generation.base import BaseGenerator
from consensa.generation.kmeans_run import KMeansRun

__all__ = ["RandomKMeans"]


class RandomKMeans(BaseGenerator):
    r"""Partitions by k-means, each with its own random number of clusters.

    Partition :math:`m` is a run of k-means from a random start with :math:`k_m` drawn
    uniformly from :math:`2, \dots, \min(\lfloor\sqrt n\rfloor, n - 1)`, as in the protocol
    of the LTA paper.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of partitions. The paper generates 100 and draws 10 of them.
    n_clusters : int, (int, int) or None, default=None
        Number of clusters of every partition, or the range (low, high) to draw it from,
        inclusive; None is the range of the paper, where n is at most `max_samples`.
    n_init : int, default=1
        Number of starts of each run of k-means; 1 gives diverse partitions.
    max_iter : int, default=100
        Maximum number of iterations of each run of k-means.
    max_samples : int or None, default=None
        Number of samples, drawn for each partition, on which k-means runs; the others are
        assigned to the nearest center. None is all samples. For large data: with 20,000, the
        time is nearly that of one pass, and the partitions are more diverse.
    n_jobs : int or None, default=None
        Number of parallel jobs, as in joblib; -1 uses all cores. The partitions do not depend
        on it.

    See Also
    --------
    RandomSubspace : K-means on random columns.
    RandomProjection : K-means on random projections.
    DiverseKinds : The default generator: partitions of several kinds.
    consensa.Ensemble.from_labels : Use existing partitions.

    Notes
    -----
    Each run of k-means uses one thread, because the rounding of scikit-learn's sums depends on
    the number of threads; the partitions are computed in parallel instead.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import RandomKMeans
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    >>> RandomKMeans(n_partitions=3).generate(X, random_state=0)
    Ensemble(n_samples=6, n_partitions=3, n_clusters=6)
    """

    n_clusters: int | tuple[int, int] | None = None
    n_init: int = 1
    max_iter: int = 100
    max_samples: int | None = None
    _copies_of_x: ClassVar[float] = 2.2
    _declared: ClassVar[Declaration] = {
        "max_samples": (Integer(2), NoneType()),
    }

    def _calls(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterator[Any]:
        points = features.points
        return (delayed(_partition)(points, run) for run in self._draw_runs(points.shape[0], rng))

    def _draw_runs(self, n_samples: int, random_state: Any) -> list[KMeansRun]:
        """Settings of each partition; all random numbers are drawn here."""
        size = n_samples if self.max_samples is None else min(self.max_samples, n_samples)
        rng = random_source(random_state)
        counts = self._draw_counts(self.n_clusters, size, rng)
        return [
            KMeansRun(
                k,
                seed,
                self.n_init,
                self.max_iter,
                np.sort(random.Random(seed).sample(range(n_samples), size))
                if size < n_samples
                else None,
            )
            for k, seed in zip(counts, self._draw_seeds(rng), strict=True)
        ]


def _partition(points: Any, run: KMeansRun) -> tuple[Array, NearestCenter]:
    """Labels of all samples and centers of one run of k-means."""
    if run.sample is None:
        centers, labels = run.fit(points)
        return labels, NearestCenter(centers)
    centers, _ = run.fit(points[run.sample])
    model = NearestCenter(centers)
    thin = sparse.issparse(points)
    return model.predict(points) if thin else nearest_centers(points, centers), model
