"""Base partitions by random hyperplanes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed

from consensa.features import Features
from consensa.generation.base import BaseGenerator

__all__ = ["RandomHyperplanes"]

_Array = np.ndarray[Any, Any]


class RandomHyperplanes(BaseGenerator):
    r"""Partitions by which side of random hyperplanes a sample lies on.

    Partition :math:`m` draws directions :math:`r_1, \dots, r_q` from a normal distribution and
    puts two samples together if they lie on the same side of every hyperplane,

    .. math:: [x^T r_1 > t_1], \dots, [x^T r_q > t_q],

    where :math:`t_l` is drawn between the quartiles of the projections. Near samples are rarely
    parted, far ones nearly always: no partition is good, and their consensus may be.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of partitions.
    n_planes : int, default=3
        Hyperplanes q of each partition, which has at most :math:`2^q` clusters.
    n_jobs : int or None, default=None
        Number of partitions made at the same time, as in joblib; -1 is all cores. The
        partitions are the same for any number.

    See Also
    --------
    consensa.RandomKMeans : Partitions that look at the data.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> RandomHyperplanes(20, n_planes=1).generate(X, random_state=0)
    Ensemble(n_samples=4, n_partitions=20, n_clusters=40)
    """

    n_planes: int = 3

    def _calls(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterator[Any]:
        del n_clusters  # the planes do not know how many will be asked for
        for seed in self._draw_seeds(rng):
            yield delayed(_partition)(features.points, self.n_planes, seed)


@dataclass(frozen=True, eq=False)
class Sides:
    """The model of a partition: plain arrays, so that it can be pickled and read by others."""

    directions: _Array  # (n_features, n_planes)
    thresholds: _Array  # (n_planes,)

    def predict(self, X: Any) -> _Array:
        """Number of the cell of each row."""
        above = np.asarray(X @ self.directions) > self.thresholds
        return above @ (1 << np.arange(above.shape[1]))


def _partition(points: Any, n_planes: int, seed: int) -> tuple[_Array, Sides]:
    """Labels of one partition, and its model."""
    rng = np.random.RandomState(seed)
    directions = rng.normal(size=(points.shape[1], n_planes)).astype(points.dtype)
    projected = np.asarray(points @ directions)
    low, high = np.quantile(projected, [0.25, 0.75], axis=0)
    model = Sides(directions, low + rng.uniform(size=n_planes) * (high - low))
    return model.predict(points), model
