"""The base class of generators whose partitions see random columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any, ClassVar

import numpy as np

from consensa._docs import GENERATOR, filled
from consensa._params import Declaration, Integer, Real
from consensa.exceptions import InvalidParameterError
from consensa.features import Features
from consensa.generation.base import BaseGenerator

__all__ = ["N_FEATURES", "RandomColumnsGenerator"]

N_FEATURES = (Integer(1), Real(above=0, most=1))
"""Constraints on the parameter `n_features`: a number of columns, or a proportion."""

_ENTRIES = {
    "n_partitions": GENERATOR["n_partitions"],
    "columns": cleandoc("""
        n_features : float or int, default=0.5
            Number of columns of each partition; a float is the proportion s of all columns,
            rounded up.
        n_clusters : int, (int, int) or None, default=None
            Number of clusters of every partition, or the range (low, high) to draw it from,
            inclusive; None is the range from 2 to the square root of the number of samples.
        n_jobs : int or None, default=None
            Number of parallel jobs, as in joblib; -1 uses all cores. The partitions do not depend
            on it.
    """),
}


class RandomColumnsGenerator(BaseGenerator):
    """Base class of generators of partitions on random columns.

    A subclass has `_call`: joblib's ``delayed(function)(arguments)`` of one partition.
    """

    n_features: float = 0.5
    n_clusters: int | tuple[int, int] | None = None
    _declared: ClassVar[Declaration] = {"n_features": N_FEATURES}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = filled(cls.__doc__, _ENTRIES)

    def _calls(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterator[Any]:
        points = features.points
        n_samples, n_columns = points.shape
        kept = self._number_of_columns(n_columns)
        counts = self._draw_counts(self.n_clusters, n_samples, rng)
        for k, seed in zip(counts, self._draw_seeds(rng), strict=True):
            yield self._call(points, kept, k, seed)

    def _call(self, points: Any, kept: int, n_clusters: int, seed: int) -> Any:
        """The work of one partition, on `kept` of the columns."""
        raise NotImplementedError

    def _number_of_columns(self, n_columns: int) -> int:
        """Number of columns of each partition: as given, or a proportion of all."""
        if isinstance(self.n_features, float):
            return math.ceil(self.n_features * n_columns)
        if self.n_features > n_columns:
            message = (
                f"The 'n_features' parameter of {type(self).__name__} must be at most the number "
                f"of columns, {n_columns}. Got {self.n_features}."
            )
            raise InvalidParameterError(message)
        return int(self.n_features)
