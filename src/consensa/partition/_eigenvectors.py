"""Leading eigenvectors of a symmetric matrix, all at once or by Lanczos iteration."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa._random import random_source
from consensa.partition.eigenpairs import eigenpairs

__all__ = ["leading_eigenvectors"]

_DENSE_BELOW = 600  # up to this order, all eigenvectors at once are faster than Lanczos
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
    options: dict[str, Any] = {}
    if _RESTARTS_FROM_RNG:  # equal eigenvalues make it restart, by itself from fresh entropy
        options["rng"] = np.random.default_rng(rng.randint(2**31))
    return eigsh(matrix, k=count, which="LA", v0=start, **options)[1]
