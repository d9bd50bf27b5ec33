"""Base partitions of resampled rows; samples outside a draw have missing labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from sklearn.cluster import KMeans

from consensa._array import Array
from consensa._params import (
    Declaration,
    HasMethod,
    NoneType,
    Real,
)
from consensa.ensemble.missing import MISSING
from consensa.exceptions import InvalidParameterError
from consensa.features import Features
from consensa.generation._clusterer import cluster_rows, seeded
from consensa.generation.base import BaseGenerator

__all__ = ["Bootstrap"]

_COUNTS = ("n_clusters", "n_components")  # scikit-learn's names for the number of clusters


class Bootstrap(BaseGenerator):
    r"""Partitions of resampled rows.

    Partition :math:`m` clusters :math:`\lceil s n \rceil` rows drawn from the :math:`n` samples;
    the other samples have a missing label in it. The co-association of two samples, over the
    draws that contain both, shows how much it depends on the samples that were drawn.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of partitions.
    clusterer : object with ``fit_predict(X)`` or None, default=None
        Clusters the rows of each draw; None is k-means from one start. Its ``random_state``,
        if any, is set for each draw; its noise label -1 is a missing label.
    n_clusters : int, (int, int) or None, default=None
        Number of clusters of every partition, or the range (low, high) to draw it from,
        inclusive. With None, a given clusterer keeps its own number; for k-means it is drawn
        from 2 to the square root of the number of samples.
    share : float, default=1.0
        Size of a draw as a proportion of the samples, at most 1.
    replace : bool, default=True
        Whether to draw with replacement: the bootstrap, which omits 37 % of the samples.
        ``share=0.8, replace=False`` is the subsampling of Monti et al. [1]_.
    n_jobs : int or None, default=None
        Number of parallel jobs, as in joblib; -1 uses all cores. The partitions do not depend
        on it.

    See Also
    --------
    RandomKMeans : All samples in every partition.

    Notes
    -----
    A sample that is in no draw is added to a random one, so that every sample is labeled.

    References
    ----------
    .. [1] S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a
       resampling-based method for class discovery and visualization of gene expression
       microarray data", Machine Learning 52, 2003. :doi:`10.1023/A:1023949509487`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import EAC, Bootstrap
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> EAC(2, generator=Bootstrap(10, n_clusters=2), random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    clusterer: Any = None
    n_clusters: int | tuple[int, int] | None = None
    share: float = 1.0
    replace: bool = True
    _copies_of_x: ClassVar[float] = 3.3
    _declared: ClassVar[Declaration] = {
        "clusterer": (HasMethod("fit_predict"), NoneType()),
        "share": (Real(above=0, most=1),),
    }

    def _calls(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterator[Any]:
        points = features.points
        draws = self._draws(points.shape[0], rng)
        counts = self._counts(min(len(rows) for rows in draws), rng)
        return (
            delayed(_partition)(points[rows], rows, points.shape[0], self._prepared(count, seed))
            for rows, count, seed in zip(draws, counts, self._draw_seeds(rng), strict=True)
        )

    def _draws(self, n_samples: int, rng: np.random.RandomState) -> list[Array]:
        """Rows of each draw, possibly repeated; every row is in at least one draw."""
        size = max(2, int(np.ceil(self.share * n_samples)))
        draws = [
            rng.choice(n_samples, size, replace=self.replace) for _ in range(self.n_partitions)
        ]
        never = np.setdiff1d(np.arange(n_samples), np.concatenate(draws))
        home = rng.randint(self.n_partitions, size=len(never))
        return [np.sort(np.concatenate([rows, never[home == j]])) for j, rows in enumerate(draws)]

    def _counts(self, n_rows: int, rng: np.random.RandomState) -> list[int | None]:
        """Number of clusters of each partition; None if the clusterer keeps its own."""
        if self.clusterer is not None and self.n_clusters is None:
            return [None] * self.n_partitions
        if self.clusterer is not None and _count_name(self.clusterer) is None:
            message = (
                f"The 'n_clusters' parameter of Bootstrap needs a clusterer with a parameter "
                f"{' or '.join(_COUNTS)}. Got {type(self.clusterer).__name__}, which has none; "
                f"omit n_clusters."
            )
            raise InvalidParameterError(message)
        return [*self._draw_counts(self.n_clusters, n_rows, rng)]

    def _prepared(self, count: int | None, seed: int) -> Any:
        """A copy of the clusterer with this number of clusters and seed."""
        if self.clusterer is None:
            return KMeans(count, n_init=1, max_iter=100, random_state=seed)
        name = _count_name(self.clusterer)
        settings = {} if name is None or count is None else {name: count}
        return seeded(self.clusterer, seed, **settings)


def _partition(points: Any, rows: Array, n_samples: int, clusterer: Any) -> tuple[Array, Any]:
    """Labels of the samples, missing if they were not drawn, and the clusterer's model."""
    drawn, model = cluster_rows(points, clusterer)
    labels = np.full(n_samples, MISSING)
    labels[rows] = drawn
    return labels, model


def _count_name(clusterer: Any) -> str | None:
    """Name of the parameter for the number of clusters; None if there is none."""
    return next((name for name in _COUNTS if name in clusterer.get_params()), None)
