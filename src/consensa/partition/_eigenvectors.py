"""Leading eigenvectors of a symmetric matrix, all at once or by Lanczos iteration."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackError, eigsh

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa._random import random_source
from consensa.partition.eigenpairs import eigenpairs

__all__ = ["lanczos_options", "leading_eigenvectors"]

_DENSE_BELOW = 600  # up to this order, all eigenvectors at once are faster than Lanczos
_RESTARTS = 300  # of Lanczos iteration; thousands where eigenvalues are almost equal
_RESTARTS_FROM_RNG = "rng" in inspect.signature(eigsh).parameters  # since SciPy 1.17


def leading_eigenvectors(matrix: Any, count: int, *, random_state: Any = None) -> Array:
    """Eigenvectors of the `count` largest eigenvalues, the largest first; at most all of them.

    `matrix` is symmetric: an array, or an operator that is only ever multiplied by vectors.
    """
    order = matrix.shape[0]
    if isinstance(matrix, np.ndarray) and (order <= _DENSE_BELOW or 2 * count + 1 >= order):
        with one_thread():  # small: two threads of BLAS wait for each other longer than they work
            _, vectors = eigenpairs(matrix, max(order - count, 0), order - 1)
    else:
        vectors = _lanczos(matrix, count, random_source(random_state))
    return np.ascontiguousarray(vectors[:, ::-1])


def _lanczos(matrix: Any, count: int, rng: np.random.RandomState) -> Array:
    start = rng.uniform(-1, 1, matrix.shape[0]).astype(matrix.dtype)
    options = lanczos_options(rng)
    try:
        return eigsh(matrix, k=count, which="LA", v0=start, maxiter=_RESTARTS, **options)[1]
    except ArpackError:
        # The eigenvalues are too close to each other, as those of long rings and lines are, or
        # the matrix is 0.
        if not isinstance(matrix, np.ndarray):
            raise
        order = len(matrix)
        with one_thread():
            return eigenpairs(matrix, order - count, order - 1)[1]


def lanczos_options(rng: np.random.RandomState) -> dict[str, Any]:
    """Options of `eigsh` that make its restarts reproducible.

    They take one number from `rng` with every SciPy, so that what is drawn afterwards is the same.
    """
    seed = rng.randint(2**31)
    if not _RESTARTS_FROM_RNG:
        return {}
    # Equal eigenvalues make it restart, by itself from fresh entropy.
    return {"rng": np.random.default_rng(seed)}
