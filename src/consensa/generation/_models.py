"""What puts a new sample into the clusters of a base partition.

A generator that keeps such models ends with ``return with_models(ensemble, raw, models)``.
Models are plain: arrays and numbers, so that they can be pickled and read by others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import MISSING, is_labeled

__all__ = ["BaseModel", "NearestCenter", "NearestSample", "OnColumns", "Projected", "with_models"]


class BaseModel(Protocol):
    """What a base partition needs so that it can be asked about new samples."""

    def predict(self, X: Any) -> Any:
        """Cluster of each row of X; a negative number where it cannot say."""


@dataclass(frozen=True, eq=False)
class NearestCenter:
    """Each sample belongs to the nearest center, as in k-means."""

    centers: Array  # (n_clusters, n_features)

    def predict(self, X: Any) -> Array:
        """Number of the nearest center of each row."""
        points = X.astype(self.centers.dtype, copy=False)
        with one_thread():
            return np.asarray(pairwise_distances_argmin(points, self.centers))


@dataclass(frozen=True, eq=False)
class OnColumns:
    """A model of some of the columns."""

    columns: Array
    model: Any

    def predict(self, X: Any) -> Any:
        """What the model says of these columns of X."""
        return self.model.predict(X[:, self.columns])


@dataclass(frozen=True, eq=False)
class Projected:
    """A model of a linear projection."""

    components: Any  # (n_components, n_features), dense or sparse
    model: Any

    def predict(self, X: Any) -> Any:
        """What the model says of the projection of X."""
        return self.model.predict(X @ self.components.T)


@dataclass(frozen=True, eq=False)
class NearestSample:
    """Each new sample goes where the nearest known one is, after scaling.

    Models of one ensemble share `points` and `scaling`.
    """

    points: Any  # (n_known, n_features), scaled
    labels: Array
    scaling: Any  # its ``apply`` scales new samples

    def predict(self, X: Any) -> Array:
        """Cluster of the nearest known sample of each row."""
        rows = self.scaling.apply(X.astype(self.points.dtype, copy=False))
        with one_thread():
            return self.labels[pairwise_distances_argmin(rows, self.points)]


@dataclass(frozen=True, eq=False)
class Renumbered:
    """A model whose cluster numbers are turned into those of the ensemble."""

    model: Any
    codes: Array  # the ensemble's number of each number of the model

    def predict(self, X: Any) -> Array:
        """Number of the cluster in the ensemble; -1 where the model cannot say."""
        raw = np.asarray(self.model.predict(X)).astype(np.int64)
        known = (raw >= 0) & (raw < len(self.codes))
        return np.where(known, self.codes[np.where(known, raw, 0)], MISSING)


def with_models(ensemble: Ensemble, raw: Sequence[Array], models: Sequence[Any]) -> Ensemble:
    """The same ensemble, able to place new samples.

    Parameters
    ----------
    ensemble : Ensemble
        The partitions.
    raw : sequence of n_partitions arrays
        Each partition as its clusterer numbered it, which is how its model speaks.
    models : sequence of n_partitions objects with ``predict(X)``, or None
        What made each partition; None where it cannot be asked about new samples.
    """
    return replace(
        ensemble,
        models=tuple(
            None if model is None else _renumbered(model, np.asarray(own), codes)
            for model, own, codes in zip(models, raw, ensemble.codes.T, strict=True)
        ),
    )


def _renumbered(model: BaseModel, raw: Array, codes: Array) -> BaseModel:
    """`model` in the numbers of the ensemble; centers are put in order, others are wrapped."""
    seen = raw >= 0
    numbers = np.full(int(raw.max(initial=-1)) + 1, MISSING)
    numbers[raw[seen]] = codes[seen]
    if isinstance(model, NearestCenter):
        used = np.flatnonzero(is_labeled(numbers))  # identical samples leave some without any
        return NearestCenter(model.centers[used[np.argsort(numbers[used])]])
    return Renumbered(model, numbers)
