"""Base partitions by k-means on random columns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from joblib import delayed

from consensa._array import Array
from consensa.generation._models import NearestCenter, OnColumns
from consensa.generation._random_columns import RandomColumnsGenerator
from consensa.generation.kmeans_run import KMeansRun

__all__ = ["RandomSubspace"]


class RandomSubspace(RandomColumnsGenerator):
    r"""Partitions by k-means, each on a random subset of the columns.

    Partition :math:`m` is a run of k-means on :math:`\lceil s d \rceil` of the :math:`d`
    columns, drawn without replacement, with :math:`k_m` clusters drawn uniformly from
    :math:`2, \dots, \lfloor\sqrt n\rfloor` [1]_.

    Parameters
    ----------
    %(n_partitions)s
    n_init : int, default=1
        Number of starts of each run of k-means.
    max_iter : int, default=100
        Maximum number of iterations of each run of k-means.
    %(columns)s

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

    n_init: int = 1
    max_iter: int = 100
    _copies_of_x: ClassVar[float] = 1.7

    def _call(self, points: Any, kept: int, n_clusters: int, seed: int) -> Any:
        return delayed(_partition)(points, kept, n_clusters, seed, self.n_init, self.max_iter)


def _partition(
    points: Any, kept: int, n_clusters: int, seed: int, n_init: int, max_iter: int
) -> tuple[Array, OnColumns]:
    """Labels of one run of k-means on some columns, and its model."""
    rng = np.random.RandomState(seed)
    columns = np.sort(rng.choice(points.shape[1], kept, replace=False))
    centers, labels = KMeansRun(n_clusters, seed, n_init, max_iter, None).fit(points[:, columns])
    return labels, OnColumns(columns, NearestCenter(centers))
