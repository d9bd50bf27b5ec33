"""Base partitions by k-means on random projections."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

from consensa._array import Array
from consensa._params import Declaration, Integer, NoneType, OneOf
from consensa.features import Features
from consensa.generation._models import NearestCenter, Projected
from consensa.generation.base import BaseGenerator
from consensa.generation.kmeans_run import KMeansRun

__all__ = ["RandomProjection"]

_PROJECTIONS = {"gaussian": GaussianRandomProjection, "sparse": SparseRandomProjection}


class RandomProjection(BaseGenerator):
    r"""Partitions by k-means, each on its own random projection of the features.

    Partition :math:`m` is a run of k-means on :math:`X R_m^T`, where the entries of
    :math:`R_m`, of shape (q, d), are drawn from a normal distribution of variance
    :math:`1/q`, which preserves distances in expectation [1]_; with :math:`k_m` clusters drawn
    uniformly from :math:`2, \dots, \lfloor\sqrt n\rfloor`.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of partitions.
    n_components : int or None, default=None
        Number of columns q of each projection; None is 4 ln n, rounded up, and at most the
        number of columns: distances then change by about a third.
    projection : {"gaussian", "sparse"}, default="gaussian"
        With ``"sparse"`` most entries are 0, which is faster for very many columns.
    n_clusters : int, (int, int) or None, default=None
        Number of clusters of every partition, or the range (low, high) to draw it from,
        inclusive; None is the range from 2 to the square root of the number of samples.
    n_init : int, default=1
        Number of starts of each run of k-means.
    max_iter : int, default=100
        Maximum number of iterations of each run of k-means.
    n_jobs : int or None, default=None
        Number of parallel jobs, as in joblib; -1 uses all cores. The partitions do not depend
        on it.

    See Also
    --------
    RandomKMeans : K-means on all columns.
    RandomSubspace : K-means on random columns.

    References
    ----------
    .. [1] X. Z. Fern and C. E. Brodley, "Random projection for high dimensional data
       clustering: a cluster ensemble approach", ICML 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import RandomProjection
    >>> X = np.array([[0.0, 1.0], [0.1, 1.1], [5.0, 7.0], [5.1, 7.2]])
    >>> RandomProjection(2, n_clusters=2).generate(X, random_state=0).labels
    array([[0, 0],
           [0, 0],
           [1, 1],
           [1, 1]], dtype=int32)
    """

    n_components: int | None = None
    projection: str = "gaussian"
    n_clusters: int | tuple[int, int] | None = None
    n_init: int = 1
    max_iter: int = 100
    _copies_of_x: ClassVar[float] = 1.7
    _declared: ClassVar[Declaration] = {
        "n_components": (Integer(1), NoneType()),
        "projection": (OneOf(tuple(_PROJECTIONS)),),
    }

    def _calls(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterator[Any]:
        points = features.points
        n_samples, n_columns = points.shape
        width = self.n_components or min(n_columns, math.ceil(4 * math.log(n_samples)))
        counts = self._draw_counts(self.n_clusters, n_samples, rng)
        for k, seed in zip(counts, self._draw_seeds(rng), strict=True):
            draw = _PROJECTIONS[self.projection](width, random_state=seed)
            yield delayed(_partition)(points, draw, k, seed, self.n_init, self.max_iter)


def _partition(
    points: Any, draw: Any, n_clusters: int, seed: int, n_init: int, max_iter: int
) -> tuple[Array, Projected]:
    """Labels of one run of k-means on a projection, and its model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataDimensionalityWarning)  # more columns than before
        components = draw.fit(points).components_
    projected = points @ components.T
    centers, labels = KMeansRun(n_clusters, seed, n_init, max_iter, None).fit(projected)
    return labels, Projected(components, NearestCenter(centers))
