r"""The Fourier solver for NumPy arrays in one sweep over memory an iteration.

With :math:`D_1 = \Lambda_1/\mu`, :math:`D_3 = \Lambda_3/\mu` and :math:`\Lambda_2 = -2\lambda E`
(which the E-step keeps true at all times), the next tensor to be thresholded is a function of
P, D1, D3, E and A, entry by entry and with the mirrored entry. Seven arrays suffice besides A:
D1, D3, E, and two pairs of work buffers that change roles between the matrices and their spectra.

Bytes an iteration, in n × n arrays: the sweep reads P1, P2, D1, D3, E, A and writes D1, D3, E,
T1, T2 (11); the transforms with the sums and the multiplication done while a block of rows is in
the cache read and write both slices twice (8). That is 19, against 25 with separate passes.

Until the first singular value passes the threshold, iterations are done on scalars (`_asleep.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.fft

from consensa._threads import n_threads
from consensa.tensor import _fused_kernels as kernels
from consensa.tensor._asleep import Asleep
from consensa.tensor._fourier import FourierTransform
from consensa.tensor._pairs import Gram, shrinkage
from consensa.tensor._solver import Report

__all__ = ["FusedEngine"]

_ROWS = kernels.TILE  # rows of a block of the transforms, and of a task of the sweep
_Array = np.ndarray[Any, Any]


class FusedEngine:
    """Kernels on blocks of rows, shared by threads; the answer does not depend on their number."""

    def __init__(self, target: _Array, linked: _Array, penalty: float) -> None:
        n = target.shape[0]
        self.n, self.penalty = n, penalty
        self.target = np.ascontiguousarray(target)
        self.linked = np.ascontiguousarray(linked)
        self.frequencies = FourierTransform(target)
        self.matrices = [np.empty((n, n + 2), target.dtype) for _ in range(2)]  # P
        self.others = [np.empty((n, n + 2), target.dtype) for _ in range(2)]  # T, then spectra
        self.pool = ThreadPoolExecutor(n_threads())
        self.awake = False
        for matrix, source in zip(self.others, (self.linked, self.target), strict=True):
            matrix[:, :n] = source
        energy = float(np.einsum("ij,ij->", self.target, self.target, dtype=np.float64))
        self.asleep = Asleep(self._transform(), self.target, self.linked, energy, penalty)

    def iterate(self, step: float, next_step: float) -> Report:
        """Do one iteration."""
        if not self.awake:
            if not self.asleep.ends(step):
                return self.asleep.iterate(step, next_step)
            self._wake_up()
        by = shrinkage(np, self._transform(), 1 / step)
        self._transform_back(np.stack([by.first, by.second, by.cross_real, by.cross_imag]))
        gaps, energy = self._sweep(step, next_step)
        count = self.frequencies.multiplicity
        return Report(
            gaps=gaps,
            norm=float((count * by.singular_values).sum()) / self.n,
            error_energy=energy,
            n_survivors=int((count * (by.singular_values > 0)).sum()),
        )

    def iterate_arrays(self) -> tuple[_Array, _Array, _Array]:
        """P1, P2 and E of the last iteration."""
        if not self.awake:
            zero = np.zeros_like(self.target)
            return zero, zero, self.asleep.e * self.target
        n = self.n
        first, second = (matrix[:, :n].T.copy() for matrix in self.matrices)
        return first, second, self.error.T.copy()

    def result_arrays(self) -> tuple[_Array, _Array]:
        """Refined affinity and links, written over arrays that are done with."""
        if not self.awake:
            return np.zeros_like(self.target), self.linked.astype(self.target.dtype)
        P2, T1 = self.matrices[1], self.others[0]
        affinity, links = self.D3, self.error

        def work(start: int, stop: int) -> None:
            kernels.finish(P2, self.D1, T1, self.linked, affinity, links, start, stop)

        self._over_rows(work)
        self.pool.shutdown()
        return affinity, links

    def _wake_up(self) -> None:
        """Write out the arrays that were multiples of the links and of A so far."""
        n, dtype, scalars = self.n, self.target.dtype, self.asleep
        self.awake = True
        self.D1 = np.multiply(self.linked, -scalars.d, dtype=dtype)
        self.D3 = np.zeros((n, n), dtype)
        self.error = np.multiply(self.target, scalars.e, dtype=dtype)
        np.multiply(self.linked, scalars.t1, out=self.others[0][:, :n])
        np.multiply(self.target, scalars.t2, out=self.others[1][:, :n])

    def _transform(self) -> Gram:
        """Spectra of T, and the Gram sums over all rows of each frequency."""
        n = self.n

        def work(start: int, stop: int) -> _Array:
            sums = np.zeros((4, n // 2 + 1))
            blocks = []
            for source, target in zip(self.others, self.matrices, strict=True):
                spectrum = scipy.fft.rfft(source[start:stop, :n], axis=1).view(source.dtype)
                target[start:stop, : spectrum.shape[1]] = spectrum
                blocks.append(spectrum)
            kernels.add_gram(blocks[0], blocks[1], sums)
            return sums

        # Partial sums are added in the order of the rows, whichever thread made them.
        return Gram(*sum(self._over_rows(work)))

    def _transform_back(self, by: _Array) -> None:
        """Multiply the spectra and transform them back to P."""
        n = self.n
        by = by.astype(self.target.dtype)
        width = 2 * (n // 2 + 1)

        def work(start: int, stop: int) -> None:
            shape = (stop - start, width)
            out = [np.empty(shape, by.dtype), np.empty(shape, by.dtype)]
            first, second = (m[start:stop, :width] for m in self.matrices)
            kernels.multiply(first, second, by, *out)
            pair = np.result_type(by.dtype, np.complex64)
            for spectrum, matrix in zip(out, self.others, strict=True):
                matrix[start:stop, :n] = scipy.fft.irfft(spectrum.view(pair), n=n, axis=1)

        self._over_rows(work)
        # P now lies where T was; the sweep writes the next T where the spectra were.
        self.matrices, self.others = self.others, self.matrices

    def _sweep(self, step: float, next_step: float) -> tuple[tuple[float, float, float], float]:
        twice = 2 * self.penalty
        scalars = (step / next_step, twice / (twice + step), step / (twice + step))
        dtype = self.target.dtype.type

        def work(start: int, stop: int) -> _Array:
            totals = np.empty(4)
            kernels.sweep(
                *self.matrices, *self.others, self.D1, self.D3, self.error, self.target,
                self.linked, start, stop, *(dtype(s) for s in scalars),
                dtype(1 - twice / next_step), totals,
            )  # fmt: skip
            return totals

        totals = np.stack(self._over_rows(work))
        gap1, gap2, gap3 = (float(gap) for gap in totals[:, :3].max(axis=0))
        return (gap1, gap2, gap3), float(totals[:, 3].sum())

    def _over_rows(self, work: Callable[[int, int], Any]) -> list[Any]:
        """Run `work` on every block of rows, in threads; results in the order of the rows."""
        return list(self.pool.map(lambda block: work(*block), self._row_blocks()))

    def _row_blocks(self) -> Iterator[tuple[int, int]]:
        return ((i, min(i + _ROWS, self.n)) for i in range(0, self.n, _ROWS))
