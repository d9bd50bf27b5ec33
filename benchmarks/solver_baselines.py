"""What the LTA solver is compared with: the authors' recipe in NumPy, as is and vectorised."""

from __future__ import annotations

import numpy as np
import scipy.fft

from consensa.tensor.solver import Report


class Transcription:
    """The published program's steps, as one would write them down in NumPy."""

    def __init__(self, target, linked, penalty):
        self.W, self.M, self.penalty = target, linked, penalty
        self.B = self.C = self.E = np.zeros_like(target)
        self.L1 = self.L2 = self.L3 = np.zeros_like(target)

    def iterate(self, mu, next_mu):
        """One iteration; the step size of the next is not needed here."""
        n = len(self.W)
        stack = np.stack(
            [self.B - self.L1 / mu, (self.W - self.E - self.L2 / mu + self.C - self.L3 / mu) / 2],
            axis=2,
        )  # (i, j, slice)
        spectrum = scipy.fft.rfft(stack, axis=0, workers=-1)
        u, s, vh = np.linalg.svd(spectrum, full_matrices=False)
        shrunk = np.maximum(s - 1 / mu, 0).astype(u.dtype)
        tensor = scipy.fft.irfft((u * shrunk[:, None, :]) @ vh, n=n, axis=0, workers=-1)
        self.A1, self.A2 = tensor[:, :, 0], tensor[:, :, 1]
        return self._constraints(mu)

    def _constraints(self, mu):
        A1, A2 = self.A1, self.A2
        self.E = (self.W - A2 - self.L2 / mu) * (mu / (2 * self.penalty + mu))
        B = A1 + self.L1 / mu
        B = (B + B.T) / 2
        B[self.M] = 1
        self.B = np.clip(B, 0, 1)
        C = A2 + self.L3 / mu
        self.C = np.clip((C + C.T) / 2, 0, 1)
        gaps = [A1 - self.B, A2 + self.E - self.W, A2 - self.C]
        self.L1, self.L2, self.L3 = (
            multiplier + mu * gap
            for multiplier, gap in zip((self.L1, self.L2, self.L3), gaps, strict=True)
        )
        largest = tuple(float(np.abs(gap).max()) for gap in gaps)
        return Report(largest, 0.0, 0.0, 0)

    def iterate_arrays(self):
        """P1, P2 and E of the last iteration."""
        return self.A1, self.A2, self.E

    def result_arrays(self):
        """The refined matrix, symmetric and in [0, 1], and the completed links."""
        return np.clip((self.A2 + self.A2.T) / 2, 0, 1), self.B


class Vectorised(Transcription):
    """The same with no SVD and in place: Gram matrices of all frequencies at a time, and `eigh`.

    Multipliers are kept over the step size, as in the engines of Consensa.
    """

    def __init__(self, target, linked, penalty):
        super().__init__(target, linked, penalty)
        n, dtype = len(target), target.dtype
        self.B, self.C, self.E, self.L1, self.L2, self.L3, self.spare = np.zeros((7, n, n), dtype)
        self.stack = np.empty((n, 2, n), dtype)  # (i, slice, j)

    def iterate(self, mu, next_mu):
        """One iteration; multipliers are divided by the step size of the next."""
        first, second = self.stack[:, 0], self.stack[:, 1]
        np.subtract(self.B, self.L1, out=first)
        np.subtract(self.W, self.E, out=second)
        second -= self.L2
        second += self.C
        second -= self.L3
        second *= 0.5
        self._shrink(1 / mu)
        largest = self._sweep(mu)
        for multiplier in (self.L1, self.L2, self.L3):
            multiplier *= mu / next_mu
        return Report(largest, 0.0, 0.0, 0)

    def _shrink(self, threshold):
        spectrum = scipy.fft.rfft(self.stack, axis=0, workers=-1)  # (frequency, slice, j)
        gram = spectrum @ spectrum.conj().swapaxes(1, 2)
        squares, vectors = np.linalg.eigh(gram.astype(np.complex128))
        values = np.sqrt(np.maximum(squares, 0))
        kept = np.where(values > threshold, 1 - threshold / np.maximum(values, threshold), 0)
        by = (vectors * kept[:, None, :]) @ vectors.conj().swapaxes(1, 2)
        spectrum = by.astype(spectrum.dtype) @ spectrum
        tensor = scipy.fft.irfft(spectrum, n=len(self.W), axis=0, workers=-1, overwrite_x=True)
        self.A1, self.A2 = tensor[:, 0], tensor[:, 1]

    def _sweep(self, mu):
        np.subtract(self.W, self.A2, out=self.E)
        self.E -= self.L2
        self.E *= mu / (2 * self.penalty + mu)
        np.subtract(self.A2, self.W, out=self.spare)
        self.spare += self.E
        second = self._largest(self.spare)
        self.L2 += self.spare
        first = self._copy(self.A1, self.L1, self.B, linked=self.M)
        third = self._copy(self.A2, self.L3, self.C)
        return first, second, third

    def _copy(self, slice_, multiplier, copy, linked=None):
        """Nearest matrix that satisfies the constraints, its gap, and the multiplier."""
        multiplier += slice_
        np.add(multiplier, multiplier.T, out=copy)
        copy *= 0.5
        np.clip(copy, 0, 1, out=copy)
        if linked is not None:
            copy[linked] = 1
        multiplier -= copy
        return self._largest(np.subtract(slice_, copy, out=self.spare))

    @staticmethod
    def _largest(gap):
        return max(float(gap.max()), -float(gap.min()))
