"""Base partitions by k-means on random columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from joblib import delayed

from consensa._array import Array
from consensa._params import Declaration, Integer, Real
from consensa.exceptions import InvalidParameterError
from consensa.features import Features
from consensa.generation._models import NearestCenter, OnColumns
from consensa.generation.base import BaseGenerator
from consensa.generation.kmeans_run import KMeansRun

__all__ = ["N_FEATURES", "RandomSubspace", "number_of_columns"]

N_FEATURES = (Integer(1), Real(above=0, most=1))
"""Constraints on the parameter `n_features`: a number of columns, or a proportion."""


class RandomSubspace(BaseGenerator):
    r"""Partitions by k-means, each on a random subset of the columns.

    Partition :math:`m` is a run of k-means on :math:`\lceil s d \rceil` of the :math:`d`
    columns, drawn without replacement, with :math:`k_m` clusters drawn uniformly from
    :math:`2, \dots, \lfloor\sqrt n\rfloor` [1]_.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of partitions.
    n_features : float or int, default=0.5
        Number of columns of each partition; a float is the proportion s of all columns,
        rounded up.
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
    RandomProjection : K-means on random projections.

    References
    ----------
    .. [1] T. K. Ho, "The random subspace method for constructing decision forests", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 20(8), 1998.
       :doi:`10.1109/34.709601`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import RandomSubspace
    >>> X = np.array([[0.0, 1.0], [0.1, 1.1], [5.0, 7.0], [5.1, 7.2]])
    >>> RandomSubspace(2, n_clusters=2).generate(X, random_state=0).labels
    array([[0, 0],
           [0, 0],
           [1, 1],
           [1, 1]], dtype=int32)
    """

    n_features: float = 0.5
    n_clusters: int | tuple[int, int] | None = None
    n_init: int = 1
    max_iter: int = 100
    _copies_of_x: ClassVar[float] = 1.7
    _declared: ClassVar[Declaration] = {
        "n_features": N_FEATURES,
    }

    def _calls(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterator[Any]:
        points = features.points
        n_samples, n_columns = points.shape
        kept = number_of_columns(self.n_features, n_columns, owner="RandomSubspace")
        counts = self._draw_counts(self.n_clusters, n_samples, rng)
        for k, seed in zip(counts, self._draw_seeds(rng), strict=True):
            yield delayed(_partition)(points, kept, k, seed, self.n_init, self.max_iter)


def number_of_columns(n_features: float, n_columns: int, *, owner: str) -> int:
    """Number of columns of each partition: as given, or a proportion of all."""
    if isinstance(n_features, float):
        return math.ceil(n_features * n_columns)
    if n_features > n_columns:
        message = (
            f"The 'n_features' parameter of {owner} must be at most the number of "
            f"columns, {n_columns}. Got {n_features}."
        )
        raise InvalidParameterError(message)
    return int(n_features)


def _partition(
    points: Any, kept: int, n_clusters: int, seed: int, n_init: int, max_iter: int
) -> tuple[Array, OnColumns]:
    """Labels of one run of k-means on some columns, and its model."""
    rng = np.random.RandomState(seed)
    columns = np.sort(rng.choice(points.shape[1], kept, replace=False))
    centers, labels = KMeansRun(n_clusters, seed, n_init, max_iter, None).fit(points[:, columns])
    return labels, OnColumns(columns, NearestCenter(centers))
