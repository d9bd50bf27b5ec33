r"""Scaling of the columns before distances are computed.

``"range"`` divides each column by its range. Unlike the standard deviation, the range does not
inflate a nearly constant column, such as a pixel at the border of an image, and unlike no scaling
it does not depend on units. Outliers are clipped first, because a single one would determine the
range.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from consensa._array import Array
from consensa._machine.plain_objects import storable
from consensa.features._outliers import column_ends, usual_ends

__all__ = ["SCALINGS", "Scaling", "usual_range"]

_ROUNDING = 16  # a column is constant if its range is at most this many rounding errors


@storable
class Scaling:
    """Clips each column to [low, high] and divides it. Columns are not centered: distances do not
    change, and sparse features stay sparse. Zeros of sparse features are not clipped.
    """  # noqa: D205

    divisor: Array | None = None
    low: Array | None = None
    high: Array | None = None

    def apply(self, points: Any) -> Any:
        """The scaled features, a new array of the same type."""
        if self.divisor is None:
            return points
        if sparse.issparse(points):
            return self._apply_sparse(points)
        if self.low is None:
            return points / self.divisor
        clipped = np.clip(points, self.low, self.high)
        return np.divide(clipped, self.divisor, out=clipped)

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
    low, high = (ends.astype(points.dtype) for ends in usual_ends(points))
    left = column_ends(Scaling(np.ones_like(low), low, high).apply(points))
    return Scaling(_divisor(points, left[1] - left[0]), low, high)


SCALINGS: dict[str, Callable[[Any], Scaling]] = {
    "none": _none,
    "standard": _standard,
    "range": _range,
}


def _divisor(points: Any, spread: Array) -> Array:
    """The spread of each column; 1 for a column that is constant up to rounding."""
    low, high = column_ends(points)
    noise = _ROUNDING * np.finfo(points.dtype).eps * np.maximum(np.abs(low), np.abs(high))
    constant = (high - low <= noise) | (spread == 0)
    return np.where(constant, 1.0, spread).astype(points.dtype)


def _moments(points: Any) -> tuple[Array, Array]:
    """Mean and standard deviation of each column."""
    if sparse.issparse(points):
        mean, variance = mean_variance_axis(points, axis=0)
        return mean, np.sqrt(variance)
    return points.mean(axis=0, dtype=np.float64), points.std(axis=0, dtype=np.float64)


def usual_range(values: Array) -> tuple[float, float]:
    """Smallest and largest of the values that are not outliers."""
    low, high = usual_ends(values[:, None])
    return float(low[0]), float(high[0])
