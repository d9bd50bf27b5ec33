"""Range of the values of a column without outliers.

An outlier is more than four standard deviations away from the mean. Mean and standard deviation
are computed without outliers, in three rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import min_max_axis

from consensa._array import Array

__all__ = ["column_ends", "usual_ends"]

_FAR = 4.0  # standard deviations
_ROUNDS = 3


def usual_ends(points: Any) -> tuple[Array, Array]:
    """Smallest and largest value of each column that is not an outlier."""
    low, high = column_ends(points)
    for _ in range(_ROUNDS):
        mean, deviation = _moments_within(points, low, high)
        spread = deviation > 0  # in a column of one value, exceptions are not outliers
        low = np.where(spread, np.maximum(low, mean - _FAR * deviation), low)
        high = np.where(spread, np.minimum(high, mean + _FAR * deviation), high)
    return low, high


def column_ends(points: Any) -> tuple[Array, Array]:
    """Smallest and largest value of each column."""
    if sparse.issparse(points):
        low, high = min_max_axis(points, axis=0)
    else:
        low, high = points.min(axis=0), points.max(axis=0)
    return low.astype(np.float64), high.astype(np.float64)


def _moments_within(points: Any, low: Array, high: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of the values of each column that lie in [low, high]."""
    n_samples, n_columns = points.shape
    if sparse.issparse(points):
        values, columns = points.data.astype(np.float64), points.indices
        inside = (values >= low[columns]) & (values <= high[columns])
        values, columns = values[inside], columns[inside]
        # Zeros that are not stored are inside.
        count = n_samples - np.bincount(points.indices[~inside], minlength=n_columns)
        mean = np.bincount(columns, values, n_columns) / count
        square = np.bincount(columns, values**2, n_columns) / count
        return mean, np.sqrt(np.maximum(square - mean**2, 0))
    inside = (points >= low) & (points <= high)
    kept = {"axis": 0, "where": inside, "dtype": np.float64}
    return points.mean(**kept), points.std(**kept)
