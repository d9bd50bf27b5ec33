"""A matrix in fewer cells than it has entries: means of blocks."""

from __future__ import annotations

import numpy as np

from consensa._array import Array

__all__ = ["block_means"]


def block_means(matrix: Array, order: Array, max_cells: int) -> Array:
    """Reorder a matrix and average it over square blocks, at most `max_cells` per side.

    Rows are processed in blocks, so that the reordered matrix is never formed.
    """
    n = len(matrix)
    width = -(-n // max_cells)
    starts = np.arange(0, n, width)
    sizes = np.diff(np.append(starts, n))
    cells = np.empty((len(starts), len(starts)))
    for row, start in enumerate(starts):
        strip = matrix[order[start : start + width]].mean(axis=0, dtype=np.float64)
        cells[row] = np.add.reduceat(strip[order], starts) / sizes
    return cells
