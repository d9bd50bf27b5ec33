"""Models that predict the clusters of new samples in a base partition.

A generator with such models ends with ``return with_models(ensemble, raw, models)``.
Models contain only arrays and numbers, so that they can be pickled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

from consensa._array import Array
from consensa._machine.plain_objects import storable
from consensa._machine.threads import one_thread
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import MISSING, is_labeled
from consensa.features.scaling import Scaling
from consensa.generation._neighbors import with_all_digits

__all__ = [
    "BaseModel",
    "NearestCenter",
    "NearestOnColumns",
    "NearestSample",
    "OnColumns",
    "Projected",
    "with_models",
]


class BaseModel(Protocol):
    """Model of a base partition that predicts the clusters of new samples."""

    def predict(self, X: Any) -> Any:
        """Cluster of each row of X; a negative number if it is unknown."""


@storable
class NearestCenter:
    """Each sample belongs to the nearest center, as in k-means."""

    centers: Array  # (n_clusters, n_features)

    def predict(self, X: Any) -> Array:
        """Number of the nearest center of each row."""
        points = X.astype(self.centers.dtype, copy=False)
        with one_thread():
            return np.asarray(pairwise_distances_argmin(points, self.centers))


@storable
class OnColumns:
    """A model of some of the columns."""

    columns: Array
    model: Any

    def predict(self, X: Any) -> Any:
        """Prediction from these columns of X."""
        return self.model.predict(X[:, self.columns])


@storable
class Projected:
    """A model of a linear projection."""

    components: Any  # (n_components, n_features), dense or sparse
    model: Any

    def predict(self, X: Any) -> Any:
        """Prediction from the projection of X."""
        return self.model.predict(X @ self.components.T)


@storable
class NearestSample:
    """Each new sample gets the cluster of the nearest known sample, after scaling.

    Models of one ensemble share `points` and `scaling`.
    """

    points: Any  # (n_known, n_features), scaled
    labels: Array
    scaling: Any  # its ``apply`` scales new samples

    def predict(self, X: Any) -> Array:
        """Cluster of the nearest known sample of each row."""
        rows = self.scaling.apply(X.astype(self.points.dtype, copy=False))
        with one_thread():
            nearest = pairwise_distances_argmin(rows, self.points)
        if isinstance(rows, np.ndarray) and isinstance(self.points, np.ndarray):
            nearest = with_all_digits(rows, self.points, nearest)
        return self.labels[nearest]


@storable
class NearestOnColumns:
    """Each new sample gets the cluster of the nearest known sample in some of the columns.

    Models of one ensemble share `points`.
    """

    columns: Array
    points: Any  # (n_known, n_features)
    labels: Array

    def predict(self, X: Any) -> Array:
        """Cluster of the nearest known sample of each row."""
        known = NearestSample(self.points[:, self.columns], self.labels, Scaling())
        return known.predict(X[:, self.columns])


@storable
class Renumbered:
    """A model whose cluster numbers are converted to those of the ensemble."""

    model: Any
    codes: Array  # the ensemble's number of each number of the model

    def predict(self, X: Any) -> Array:
        """Number of the cluster in the ensemble; -1 if it is unknown."""
        raw = np.asarray(self.model.predict(X)).astype(np.int64)
        known = (raw >= 0) & (raw < len(self.codes))
        return np.where(known, self.codes[np.where(known, raw, 0)], MISSING)


def with_models(
    ensemble: Ensemble,
    raw: Sequence[Array],
    models: Sequence[Any],
    codes: Sequence[Array] | None = None,
) -> Ensemble:
    """Add models for new samples to an ensemble.

    Parameters
    ----------
    ensemble : Ensemble
        The partitions.
    raw : sequence of n_partitions arrays
        Each partition in the numbers of its clusterer and its model.
    models : sequence of n_partitions objects with ``predict(X)``, or None
        Model of each partition; None if it cannot predict.
    codes : sequence of n_partitions arrays or None, default=None
        The numbers of the ensemble for the entries of `raw`; None if these are its samples.
    """
    numbers_of = ensemble.codes.T if codes is None else codes
    return ensemble._described(
        models=tuple(
            None if model is None else _renumbered(model, np.asarray(own), numbers)
            for model, own, numbers in zip(models, raw, numbers_of, strict=True)
        ),
    )


def _renumbered(model: BaseModel, raw: Array, codes: Array) -> BaseModel:
    """`model` in the numbers of the ensemble: centers are reordered, other models are wrapped."""
    seen = raw >= 0
    numbers = np.full(int(raw.max(initial=-1)) + 1, MISSING)
    numbers[raw[seen]] = codes[seen]
    if isinstance(model, NearestCenter):
        used = np.flatnonzero(is_labeled(numbers))  # with identical samples some centers have none
        return NearestCenter(model.centers[used[np.argsort(numbers[used])]])
    return Renumbered(model, numbers)
