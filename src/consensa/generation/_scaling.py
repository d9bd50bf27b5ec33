r"""What is done to the columns before distances are measured.

``"range"`` divides each column by its range. Unlike the standard deviation, the range does not
blow up a column that is nearly constant, such as a pixel at the border of an image, and unlike
no scaling at all it does not depend on units. What speaks against the range is that one outlier
decides it; so values further than four standard deviations from the mean are clipped to there.
Mean and deviation are those of the values that are not clipped, found in three rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

__all__ = ["SCALINGS", "Scaling"]

_CLIP = 4.0  # standard deviations
_CLIP_ROUNDS = 3
_ROUNDING = 16  # a column whose range is this many roundings of its values is constant
_Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Scaling:
    """Clips each column to [low, high] and divides it. Nothing is centred: distances do not
    notice, and sparse features stay sparse; their zeros are not clipped.
    """  # noqa: D205

    divisor: _Array | None = None
    low: _Array | None = None
    high: _Array | None = None

    def apply(self, points: Any) -> Any:
        """The scaled features, a new array of the same type."""
        if self.divisor is None:
            return points
        if sparse.issparse(points):
            return self._apply_sparse(points)
        clipped = points if self.low is None else np.clip(points, self.low, self.high)
        return clipped / self.divisor

    def _apply_sparse(self, points: Any) -> sparse.csr_array:
        scaled = sparse.csr_array(points, copy=True)
        columns = scaled.indices
        if self.low is not None and self.high is not None:
            scaled.data = np.clip(scaled.data, self.low[columns], self.high[columns])
        assert self.divisor is not None
        scaled.data = scaled.data / self.divisor[columns]
        return scaled


def _none(points: Any) -> Scaling:
    return Scaling()


def _standard(points: Any) -> Scaling:
    return Scaling(_divisor(points, _moments(points)[1]))


def _range(points: Any) -> Scaling:
    low, high = _ends(points)
    for _ in range(_CLIP_ROUNDS):
        mean, deviation = _moments_within(points, low, high)
        spread = deviation > 0  # a column of one value and few exceptions keeps those
        low = np.where(spread, np.maximum(low, mean - _CLIP * deviation), low)
        high = np.where(spread, np.minimum(high, mean + _CLIP * deviation), high)
    low, high = low.astype(points.dtype), high.astype(points.dtype)
    left = _ends(Scaling(np.ones_like(low), low, high).apply(points))
    return Scaling(_divisor(points, left[1] - left[0]), low, high)


SCALINGS: dict[str, Callable[[Any], Scaling]] = {
    "none": _none,
    "standard": _standard,
    "range": _range,
}


def _divisor(points: Any, spread: _Array) -> _Array:
    """The spread of each column; 1 for a column that is constant but for rounding."""
    low, high = _ends(points)
    noise = _ROUNDING * np.finfo(points.dtype).eps * np.maximum(np.abs(low), np.abs(high))
    constant = (high - low <= noise) | (spread == 0)
    return np.where(constant, 1.0, spread).astype(points.dtype)


def _moments(points: Any) -> tuple[_Array, _Array]:
    """Mean and standard deviation of each column."""
    if sparse.issparse(points):
        mean, variance = mean_variance_axis(points, axis=0)
        return mean, np.sqrt(variance)
    return points.mean(axis=0, dtype=np.float64), points.std(axis=0, dtype=np.float64)


def _moments_within(points: Any, low: _Array, high: _Array) -> tuple[_Array, _Array]:
    """Mean and standard deviation of the values of each column that lie in [low, high]."""
    n_samples, n_columns = points.shape
    if sparse.issparse(points):
        values, columns = points.data.astype(np.float64), points.indices
        inside = (values >= low[columns]) & (values <= high[columns])
        values, columns = values[inside], columns[inside]
        # The zeros that are not stored count as inside.
        count = n_samples - np.bincount(points.indices[~inside], minlength=n_columns)
        mean = np.bincount(columns, values, n_columns) / count
        square = np.bincount(columns, values**2, n_columns) / count
        return mean, np.sqrt(np.maximum(square - mean**2, 0))
    inside = (points >= low) & (points <= high)
    kept = {"axis": 0, "where": inside, "dtype": np.float64}
    return points.mean(**kept), points.std(**kept)


def _ends(points: Any) -> tuple[_Array, _Array]:
    """Least and largest value of each column."""
    if sparse.issparse(points):
        low, high = min_max_axis(points, axis=0)
    else:
        low, high = points.min(axis=0), points.max(axis=0)
    return low.astype(np.float64), high.astype(np.float64)
