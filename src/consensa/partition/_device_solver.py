"""The inverse of a sparse positive definite matrix on a device, as a whole matrix."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from scipy import sparse

from consensa._array import Array, free_device_bytes, is_on_gpu, tensors_on, to_numpy

__all__ = ["solver_on_device"]

_ARRAYS = 4  # n × n arrays that must fit: the matrix, its factor, the inverse, and one to spare
_ONE_AT_A_TIME = Lock()  # so that threads do not fill the device together


def solver_on_device(matrix: sparse.csc_array, device: Any) -> Callable[[Array], Array] | None:
    """The function that multiplies vectors by the inverse; None if it does not fit there."""
    n = matrix.shape[0]
    entries = matrix.tocoo()
    with _ONE_AT_A_TIME:
        xp, (data, rows, columns) = tensors_on(device, entries.data, *entries.coords)
        if is_on_gpu(data) and free_device_bytes(data) < _ARRAYS * 8 * n * n:
            return None
        whole = xp.zeros((n, n), dtype=data.dtype, device=device)
        whole[rows.long(), columns.long()] = data
        inverse = xp.cholesky_inverse(xp.linalg.cholesky(whole))

    def solve(vector: Array) -> Array:
        return to_numpy(inverse @ tensors_on(device, vector)[1][0])

    return solve
