"""Leading eigenvectors by restarted block Lanczos iteration, in the array library of the matrix.

For matrices on a device: only products with blocks of vectors touch the matrix, it is never
copied, and everything else is small. Vectors are in double precision whatever the matrix is in,
since eigenvalues near 1 lie close together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import device, namespace, to_library

__all__ = ["leading_normalized_eigenvectors"]

_GUARD = 8  # vectors more than asked for: the last one then converges as fast as the others
_DEPTH = 16  # blocks of the basis between restarts
_TOL = 1e-8  # of the angle between the space found and that of the eigenvectors
_ROUNDING = 1e-11  # of the residual, where there is no gap; eigenvalues are at most 1
_MAX_RESTARTS = 30
_SPARE = 1e-13  # length of a spare vector: above rounding, below what the matrix gives
_BLOCK_BYTES = 2**28  # rows of the matrix that are widened at a time


def leading_normalized_eigenvectors(
    affinity: Any, count: int, rng: np.random.RandomState
) -> tuple[Any, Any]:
    r"""Eigenvectors of the largest eigenvalues of the normalized affinity, the largest first.

    With W the symmetrized affinity and D its row sums, those of :math:`D^{-1/2} W D^{-1/2}`; and
    which samples have any affinity.
    """
    xp = namespace(affinity)
    n = int(affinity.shape[0])
    ones = xp.ones((n, 1), dtype=xp.float64, device=device(affinity))
    degree = _symmetric_product(xp, affinity, ones)
    connected = degree > 0
    scale = xp.where(connected, 1 / xp.sqrt(xp.where(connected, degree, ones)), 0 * ones)  # (n, 1)
    width = min(count + _GUARD, n)
    start = to_library(rng.standard_normal((n, width)), like=affinity)
    vectors = _lanczos(
        xp,
        lambda block: scale * _symmetric_product(xp, affinity, scale * block),
        start,
        count,
    )
    return vectors, connected[:, 0]


def _symmetric_product(xp: Any, matrix: Any, block: Any) -> Any:
    """The mean of the matrix and its transpose times a block, in double precision."""
    n = int(matrix.shape[0])
    step = max(1, _BLOCK_BYTES // (8 * n))
    product = xp.zeros_like(block)
    for start in range(0, n, step):
        stop = min(start + step, n)
        rows = xp.astype(matrix[start:stop, :], xp.float64, copy=False)
        product[start:stop, :] += rows @ block
        product += rows.T @ block[start:stop, :]
    return product / 2


def _lanczos(xp: Any, multiply: Any, start: Any, count: int) -> Any:
    """Leading eigenvectors of a symmetric operator, from a block of random vectors."""
    n, width = start.shape
    depth = max(2, min(_DEPTH, n // width))
    block = xp.linalg.qr(start).Q
    image = multiply(block)
    for _ in range(_MAX_RESTARTS):
        basis, images = block, image
        for turn in range(1, depth):
            # Where the matrix has no more directions to give, random ones take their place.
            spare = _SPARE / n**0.5 * xp.roll(start, turn, axis=0)
            block = _orthonormal(xp, image + spare, basis)
            image = multiply(block)
            basis = xp.concat([basis, block], axis=1)
            images = xp.concat([images, image], axis=1)
        small = basis.T @ images  # (depth · width, depth · width)
        values, rotation = xp.linalg.eigh((small + small.T) / 2)
        rotation = xp.flip(rotation[:, -width:], axis=1)
        block, image = basis @ rotation, images @ rotation
        values = xp.flip(values[-width:])
        residual = xp.linalg.matrix_norm((image - block * values)[:, :count])
        # The residual over the gap to the next eigenvalue bounds the sine of the angle.
        gap = values[count - 1] - values[min(count, width - 1)]
        if bool(residual < _TOL * gap) or bool(residual < _ROUNDING):
            break
    return block[:, :count]


def _orthonormal(xp: Any, block: Any, basis: Any) -> Any:
    """An orthonormal block at right angles to the basis, from what the given one adds to it."""
    for _ in range(2):  # what is left of a block that lies in the basis has lost its digits
        block = block - basis @ (basis.T @ block)
        block = xp.linalg.qr(block).Q
    return block
