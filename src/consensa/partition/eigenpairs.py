"""A range of the eigenvalues of a symmetric matrix, however often they repeat.

LAPACK finds a range by bisection. Where many eigenvalues are equal up to rounding, as in a graph
with many components, it can return fewer than it was asked for, without an error, or fail. All
are then computed instead.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, eigh, eigvalsh

from consensa._array import Array

__all__ = ["eigenpairs", "eigenvalues"]


def eigenpairs(
    matrix: Array, first: int, last: int, *, overwrite: bool = False
) -> tuple[Array, Array]:
    """Eigenvalues number `first` to `last`, in ascending order from 0, and their eigenvectors."""
    diagonal = matrix.diagonal().copy()
    try:
        found = eigh(matrix, subset_by_index=[first, last], overwrite_a=overwrite)
    except LinAlgError:
        found = np.empty(0), np.empty((len(matrix), 0))
    if len(found[0]) == last - first + 1:
        return found
    if overwrite:  # LAPACK did, but not the upper triangle
        np.fill_diagonal(matrix, diagonal)
    values, vectors = eigh(
        matrix, lower=False, driver="evd", overwrite_a=overwrite, check_finite=False
    )
    return values[first : last + 1], vectors[:, first : last + 1]


def eigenvalues(matrix: Array, first: int, last: int) -> Array:
    """The same without eigenvectors."""
    try:
        values = eigvalsh(matrix, subset_by_index=[first, last])
    except LinAlgError:
        values = np.empty(0)
    if len(values) == last - first + 1:
        return values
    return eigvalsh(matrix, driver="evd")[first : last + 1]
