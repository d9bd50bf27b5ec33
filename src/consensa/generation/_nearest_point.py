"""The nearest point of each row of features: the same in any block of rows and on any thread."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.features.space import Space
from consensa.generation._device_neighbors import search_among

__all__ = ["NearestPoint", "coordinates_of"]

_PADDED = 512  # rows of one projection


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
    device : torch.device or None, default=None
        Device on which the search runs; None is the processor.
    """

    def __init__(self, points: Array, space: Space, device: Any = None) -> None:
        self.space = space
        self.search = search_among(points, 1, device)

    def __call__(self, rows: Any) -> Array:
        """Number of the nearest point of each row."""
        return self.search(coordinates_of(rows, self.space))[0][:, 0]
