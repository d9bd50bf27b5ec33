"""The nearest point of each row, exactly: the same in any block of rows and on any thread.

Distances to all points are first computed by a matrix product in float32. Its rounding errors are
bounded, so that all points that may be the nearest are known; mostly there is one. If there are
more, their distances are computed again from differences, in float64, each pair by itself. Of
equally near points the first is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.features.space import Space

__all__ = ["NearestPoint", "coordinates_of"]

_HEIGHT = 256  # rows of one product: its result fits in the cache of most machines
_PADDED = 512  # rows of one projection
_FEW = 32  # candidates of a row, on average, that float32 may leave
_MOST_PAIRS = 2**18  # compared at once


def coordinates_of(rows: Any, space: Space) -> Array:
    """Coordinates of rows of features, which do not depend on the other rows of the block.

    BLAS treats the last rows of a matrix differently. So principal components are projected on in
    blocks of one height, which are filled with zeros.
    """
    if space.components is None or sparse.issparse(rows):
        return space.apply(rows)
    n_rows = len(rows)
    found = np.empty((n_rows, space.components.shape[1]))
    for start in range(0, n_rows, _PADDED):
        part = np.ascontiguousarray(rows[start : start + _PADDED])
        whole = np.zeros((_PADDED, part.shape[1]), part.dtype)
        whole[: len(part)] = part
        found[start : start + _PADDED] = space.apply(whole)[: len(part)]
    return found


class NearestPoint:
    """Numbers of the nearest points of rows of features.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
        Coordinates of the points.
    space : Space
        Converts features to coordinates.
    """

    def __init__(self, points: Array, space: Space) -> None:
        self.points, self.space = points, space
        self.largest = float(np.sqrt(np.square(points).sum(axis=1).max(initial=0.0))) or 1.0

    def __call__(self, rows: Any) -> Array:
        """Number of the nearest point of each row."""
        where = coordinates_of(rows, self.space)
        nearest = np.empty(len(where), np.int64)
        product = _Product(self.points, self.largest, np.float32)
        finer: _Product | None = None
        for start in range(0, len(where), _HEIGHT):
            block = where[start : start + _HEIGHT]
            hits = product.candidates(block)
            if len(hits[0]) > _FEW * len(block):  # the points are close, and far from zero
                finer = finer or _Product(self.points, self.largest, np.float64)
                hits = finer.candidates(block)
            nearest[start : start + _HEIGHT] = _closest(block, self.points, *hits)
        return nearest


class _Product:
    """Squared distances but for those of the rows to zero, by one matrix product."""

    def __init__(self, points: Array, largest: float, dtype: Any) -> None:
        scaled = points / largest
        squares = np.square(scaled).sum(axis=1, keepdims=True)
        self.right = np.ascontiguousarray(np.hstack([-2 * scaled, squares]).T, dtype=dtype)
        self.largest = largest
        self.left = np.ones((_HEIGHT, points.shape[1] + 1), dtype)
        self.values = np.empty((_HEIGHT, len(points)), dtype)
        self.small = np.empty(self.values.shape, bool)
        self.error = (points.shape[1] + 8) * float(np.finfo(dtype).eps)

    def candidates(self, block: Array) -> tuple[Array, Array]:
        """Numbers of rows and of points that may be nearest to them, ordered by row."""
        height = len(block)
        scaled = block / self.largest
        self.left[:height, :-1] = scaled
        values, small = self.values[:height], self.small[:height]
        np.matmul(self.left[:height], self.right, out=values)
        bound = self.error * (1 + 2 * np.sqrt(np.square(scaled).sum(axis=1)))
        limits = (values.min(axis=1) + 2 * bound).astype(values.dtype)
        np.less_equal(values, np.nextafter(limits, np.inf, dtype=values.dtype)[:, None], out=small)
        small[np.isnan(limits)] = True  # an overflow
        hits = np.flatnonzero(small)
        return np.divmod(hits, values.shape[1])


def _closest(block: Array, points: Array, rows: Array, numbers: Array) -> Array:
    """The closest of the candidates of each row; of equally close ones the first."""
    if len(rows) == len(block):  # one of each
        return numbers
    squares = np.empty(len(rows))
    for start in range(0, len(rows), _MOST_PAIRS):
        part = slice(start, start + _MOST_PAIRS)
        squares[part] = np.square(block[rows[part]] - points[numbers[part]]).sum(axis=1)
    begins = np.searchsorted(rows, np.arange(len(block)))
    least = np.minimum.reduceat(squares, begins)
    closest = np.flatnonzero(squares == least[rows])
    return numbers[closest[np.searchsorted(rows[closest], np.arange(len(block)))]]
