"""The paper's domain: Fourier along the samples.

It uses the row number: what is smooth or periodic along the file is kept, and the result depends
on the order of the rows.
"""

from __future__ import annotations

from typing import Any

import scipy.fft

from consensa._array import is_numpy, namespace
from consensa.tensor.half_spectrum import multiplicity
from consensa.tensor.pairs import Shrunk, gram, shrinkage

__all__ = ["FourierDomain"]


class FourierDomain:
    """Threshold, for each frequency along the rows, the (n, 2) matrix of the two slices."""

    def __init__(self, coassociation: Any) -> None:
        self.n_samples = int(coassociation.shape[0])
        self.multiplicity = multiplicity(self.n_samples, like=coassociation)

    def shrink(self, links: Any, affinity: Any, threshold: float) -> Shrunk:
        """Shrink the singular values of both slices together."""
        xp = namespace(links, affinity)
        first, second = self._forward(xp, links), self._forward(xp, affinity)  # (f, n) complex
        by = shrinkage(xp, gram(xp, first, second), threshold)
        survivors = xp.astype(by.singular_values > 0, xp.float64)

        diagonal = [xp.astype(d, first.dtype)[:, None] for d in (by.first, by.second)]
        cross = xp.astype(by.cross_real + 1j * by.cross_imag, first.dtype)[:, None]
        return Shrunk(
            # (g₁, g₂) times the Hermitian multiplier [[first, cross], [conj(cross), second]]
            links=self._backward(xp, first * diagonal[0] + second * xp.conj(cross)),
            affinity=self._backward(xp, first * cross + second * diagonal[1]),
            norm=float(xp.sum(self.multiplicity * by.singular_values)) / self.n_samples,
            n_survivors=int(xp.sum(self.multiplicity * survivors)),
        )

    # scipy.fft runs on all cores and in the dtype of its input; NumPy's own does neither.
    def _forward(self, xp: Any, matrix: Any) -> Any:
        if is_numpy(xp):
            return scipy.fft.rfft(matrix, axis=0, workers=-1)
        return xp.fft.rfft(matrix, axis=0)

    def _backward(self, xp: Any, spectrum: Any) -> Any:
        if is_numpy(xp):
            return scipy.fft.irfft(spectrum, n=self.n_samples, axis=0, workers=-1)
        return xp.fft.irfft(spectrum, n=self.n_samples, axis=0)
