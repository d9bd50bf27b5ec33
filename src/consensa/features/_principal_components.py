"""Leading principal components, dense or sparse, by the smaller of two eigenproblems."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds

from consensa._array import Array

__all__ = ["principal_components"]

_DENSE_UP_TO = 1000  # order up to which the Gram matrix is decomposed, else by Lanczos iteration
_TINY = 1e-12  # relative to the largest singular value


def principal_components(points: Any, center: Array, count: int) -> Array:
    """Directions of largest variance of the centered points: (n_features, at most `count`).

    The sign is that of the largest entry, which is positive.
    """
    n, d = points.shape
    count = min(count, n - 1, d)
    if d <= _DENSE_UP_TO:
        gram = _gram(points, center)
        # All of them: a range of equal eigenvalues can come back incomplete.
        values, vectors = (found[..., ::-1][..., :count] for found in np.linalg.eigh(gram))
        directions = vectors[:, values > _TINY * max(values[0], 0)]
    else:
        directions = _by_lanczos(points, center, count)
    if directions.shape[1] == 0:  # all rows are equal
        directions = np.eye(d, 1)
    largest = np.abs(directions).argmax(axis=0)
    return directions * np.sign(directions[largest, np.arange(directions.shape[1])])


def _gram(points: Any, center: Array) -> Array:
    """Products of the centered columns."""
    if sparse.issparse(points):
        gram = (points.T @ points).toarray()
        return np.asarray(gram - points.shape[0] * np.outer(center, center))
    centered = points - center  # first: the difference of products loses digits if means are large
    return np.asarray(centered.T @ centered)


def _by_lanczos(points: Any, center: Array, count: int) -> Array:
    n, d = points.shape
    centered = LinearOperator(
        (n, d),
        matvec=lambda v: points @ v.ravel() - center @ v.ravel(),
        rmatvec=lambda u: points.T @ u.ravel() - center * u.sum(),
        dtype=np.float64,
    )
    start = np.random.RandomState(0).uniform(-1, 1, min(n, d))
    _, values, right = svds(centered, k=min(count, min(n, d) - 1), v0=start)
    order = np.argsort(-values, kind="stable")
    kept = order[values[order] > _TINY * values.max(initial=0)]
    return np.asarray(right[kept].T)
