"""A domain for LTA: cosines along the samples.

Like Fourier's it treats sample i and sample i + 1 as neighbors, but not the last and the first;
so reversing the rows does not change the result.
"""

from __future__ import annotations

from typing import Any

import scipy.fft

from consensa._array import namespace, to_library, to_numpy
from consensa.tensor.pairs import Shrunk, gram, shrinkage

__all__ = ["CosineDomain"]


class CosineDomain:
    """Threshold, for each cosine along the rows, the (n, 2) matrix of the two slices."""

    def __init__(self, coassociation: Any) -> None:
        self.n_samples = int(coassociation.shape[0])

    def shrink(self, links: Any, affinity: Any, threshold: float) -> Shrunk:
        """Shrink the singular values of both slices together."""
        xp = namespace(links, affinity)
        first, second = self._forward(links), self._forward(affinity)  # (n, n) real
        by = shrinkage(xp, gram(xp, first, second), threshold)
        diagonal1, diagonal2, cross = (
            xp.astype(part, first.dtype)[:, None] for part in (by.first, by.second, by.cross_real)
        )
        return Shrunk(
            links=self._backward(first * diagonal1 + second * cross),
            affinity=self._backward(first * cross + second * diagonal2),
            norm=float(xp.sum(by.singular_values)) / self.n_samples,
            n_survivors=int(xp.sum(xp.astype(by.singular_values > 0, xp.int64))),
        )

    # Orthonormal cosines times √n, the scale of the unnormalized Fourier transform.
    def _forward(self, matrix: Any) -> Any:
        spectrum = scipy.fft.dct(to_numpy(matrix), axis=0, norm="ortho", workers=-1)
        return to_library(spectrum * self.n_samples**0.5, like=matrix)

    def _backward(self, spectrum: Any) -> Any:
        matrix = scipy.fft.idct(to_numpy(spectrum), axis=0, norm="ortho", workers=-1)
        return to_library(matrix / self.n_samples**0.5, like=spectrum)
