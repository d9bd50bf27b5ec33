"""An order-free domain: the eigenvectors of the co-association matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import namespace, to_library, to_numpy
from consensa.tensor.pairs import Gram, Shrunk, gram, shrinkage

__all__ = ["GraphDomain"]


class GraphDomain:
    """Threshold the two slices in the eigenbasis of the co-association matrix.

    The orthonormal eigenvectors are scaled by √n, like the unnormalized Fourier transform.
    Eigenvectors of one eigenvalue are only defined as a space: its r rows form one block
    that is thresholded as one (r·n, 2) matrix, the null space first, so that neither the
    choice of basis nor the order of the rows matters.
    """

    def __init__(self, coassociation: Any) -> None:
        xp = namespace(coassociation)
        self.n_samples = int(coassociation.shape[0])
        values, vectors = xp.linalg.eigh(xp.astype(coassociation, xp.float64, copy=False))
        basis = vectors * self.n_samples**0.5  # (n, n), eigenvectors in columns
        self.basis = xp.astype(basis, coassociation.dtype, copy=False)
        rounding = float(xp.finfo(coassociation.dtype).eps)
        self.block = to_library(_blocks(to_numpy(values), rounding), like=coassociation)

    def shrink(self, links: Any, affinity: Any, threshold: float) -> Shrunk:
        """Shrink the singular values of both slices together, block by block."""
        xp = namespace(links, affinity)
        forward = xp.matrix_transpose(self.basis)
        first, second = forward @ links, forward @ affinity  # (n, n) real
        by_block = Gram(*(self._sum_blocks(xp, part) for part in gram(xp, first, second)))
        by = shrinkage(xp, by_block, threshold)

        rows = [
            xp.astype(xp.take(part, self.block), first.dtype)[:, None]
            for part in (by.first, by.second, by.cross_real)
        ]
        return Shrunk(
            links=self.basis @ (first * rows[0] + second * rows[2]) / self.n_samples,
            affinity=self.basis @ (first * rows[2] + second * rows[1]) / self.n_samples,
            norm=float(xp.sum(by.singular_values)) / self.n_samples,
            n_survivors=int(xp.sum(xp.astype(by.singular_values > 0, xp.int64))),
        )

    def _sum_blocks(self, xp: Any, values: Any) -> Any:
        """Sum over the rows of each block."""
        sums = np.bincount(to_numpy(self.block), weights=to_numpy(values))
        return to_library(sums, like=values)


def _blocks(eigenvalues: np.ndarray[Any, Any], rounding: float) -> np.ndarray[Any, Any]:
    """Number of the block of each eigenvalue (ascending): the null space, then equal values."""
    tolerance = 8 * rounding * np.sqrt(len(eigenvalues)) * np.abs(eigenvalues).max()
    null = np.abs(eigenvalues) <= tolerance
    apart = np.diff(eigenvalues) > tolerance
    return np.concatenate([[0], np.cumsum(apart & ~(null[1:] & null[:-1]))]).astype(np.int64)
