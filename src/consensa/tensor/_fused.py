r"""The Fourier solver for NumPy arrays in one sweep over memory an iteration.

With :math:`D_1 = \Lambda_1/\mu`, :math:`D_3 = \Lambda_3/\mu` and :math:`\Lambda_2 = -2\lambda E`
(which the E-step keeps true at all times), the next tensor T to be thresholded is a function of
P, D1, D3, E and A, entry by entry and with the mirrored entry. Both slices lie in one complex
matrix, T1 + iT2, so that one complex transform does two real ones. Seven arrays suffice besides A:
D1, D3, E, T1 and T2 overwritten by P1 and P2, and the spectrum, which is kept so that P can be had
again when it is asked for. D1, D3 and E lie tile by tile, mirrored tiles together, in the order in
which the sweep comes by.

Bytes an iteration, in n × n arrays: the sweep reads P1, P2, D1, D3, E, half of A and writes D1,
D3, E, T1, T2 (10.5); the transforms, with the sums and the multiplication done while a block of
rows is in the cache, read and write both slices twice (8). That is 18.5, against 25 with separate
passes.

Until the first singular value passes the threshold, iterations are done on scalars (`_asleep.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.threads import n_threads
from consensa.tensor import _fused_kernels as kernels
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._row_fft import row_transform
from consensa.tensor.asleep import Asleep
from consensa.tensor.pairs import Gram, shrinkage
from consensa.tensor.solver import Report, sweep_factors

__all__ = ["FusedEngine"]

_BLOCK_BYTES = 2**20  # of a block of rows that is transformed at a time, to stay in the cache
_TASK_ROWS = 2 * kernels.TILE  # of a task of any other kind


class FusedEngine:
    """Kernels on blocks of rows, shared by threads; the answer does not depend on their number."""

    def __init__(self, target: Array, linked: Array, penalty: float) -> None:
        n = target.shape[0]
        self.n, self.penalty = n, penalty
        self.target = np.ascontiguousarray(target)
        self.linked = np.ascontiguousarray(linked).view(np.uint8)
        self.frequencies, self.fft = FourierDomain(target), row_transform()
        pair = np.result_type(target.dtype, np.complex64)
        self.tensor = np.empty((n, n), pair)  # T between iterations, P within
        self.spectrum = np.empty((n, n), pair)  # of the last T
        self.tensor.real, self.tensor.imag = linked, self.target
        self.pool = ThreadPoolExecutor(threads) if (threads := n_threads()) > 1 else None
        self.awake = False
        energy = float(np.einsum("ij,ij->", self.target, self.target, dtype=np.float64))
        self.asleep = Asleep(self._transform(), self.target, linked, energy, penalty)

    def iterate(self, step: float, next_step: float) -> Report:
        """Do one iteration."""
        if not self.awake:
            if not self.asleep.ends(step):
                return self.asleep.iterate(step, next_step)
            self._wake_up()
        by = shrinkage(np, self._transform(), 1 / step)
        self.by = np.stack([by.first, by.second, by.cross_real, by.cross_imag])
        self._transform_back(self.tensor)
        gaps, energy = self._sweep(step, next_step)
        count = self.frequencies.multiplicity
        return Report(
            gaps=gaps,
            norm=float((count * by.singular_values).sum()) / self.n,
            error_energy=energy,
            n_survivors=int((count * (by.singular_values > 0)).sum()),
        )

    def iterate_arrays(self) -> tuple[Array, Array, Array]:
        """P1, P2 and E of the last iteration; P from its spectrum once more."""
        if not self.awake:
            zero = np.zeros_like(self.target)
            return zero, zero, self.asleep.e * self.target
        tensor = np.empty_like(self.tensor)
        self._transform_back(tensor)
        error = np.empty_like(self.target)
        self._over_rows(lambda *rows: kernels.write_error(self.error, error, *rows))
        return tensor.real.T.copy(), tensor.imag.T.copy(), error.T.copy()

    def result_arrays(self) -> tuple[Array, Array]:
        """Refined affinity and links."""
        if not self.awake:
            return np.zeros_like(self.target), self.linked.astype(self.target.dtype)
        del self.error  # before its like is taken
        PT, links = _numbers(self.tensor), np.empty_like(self.target)
        self._over_rows(
            lambda *rows: kernels.write_links(PT, self.multipliers, self.linked, links, *rows)
        )
        del self.multipliers
        affinity = np.empty_like(self.target)
        self._transform_back(self.tensor)
        self._over_rows(lambda *rows: kernels.write_affinity(PT, affinity, *rows))
        if self.pool:
            self.pool.shutdown()
        return affinity, links

    def _wake_up(self) -> None:
        """Write out the arrays that were multiples of the links and of A so far."""
        dtype, scalars = self.target.dtype.type, self.asleep
        self.awake = True
        pairs = kernels.pairs_before(self.n + kernels.TILE - 1, self.n)  # all of them
        self.multipliers = np.zeros(4 * kernels.PLANE * pairs, dtype)
        self.error = np.zeros(2 * kernels.PLANE * pairs, dtype)
        d, e = dtype(scalars.d), dtype(scalars.e)
        self._over_rows(
            lambda *rows: kernels.wake_up(
                self.target, self.linked, d, e, self.multipliers, self.error, *rows
            )
        )
        np.multiply(self.linked, dtype(scalars.t1), out=self.tensor.real)
        np.multiply(self.target, dtype(scalars.t2), out=self.tensor.imag)

    def _transform(self) -> Gram:
        """Spectrum of T in its place, and the Gram sums over all rows of each frequency."""

        def work(start: int, stop: int) -> Array:
            block = self.tensor[start:stop]
            self.fft.forward(block)
            sums = np.zeros((4, self.n // 2 + 1))
            kernels.add_gram(_numbers(block), sums)
            return sums

        # Partial sums are added in the order of the rows, whichever thread made them. The columns
        # f and n − f (conjugate) of the complex spectrum are those of the slices times a unitary
        # matrix times √2: their singular values and their shrinking are the same.
        with self.fft.alone():
            sums = sum(self._over_rows(work, self._block_rows())) / 2
        self.tensor, self.spectrum = self.spectrum, self.tensor
        return Gram(*sums)

    def _transform_back(self, out: Array) -> None:
        """Multiply the spectrum and transform it back to P."""
        by = self.by.astype(self.target.dtype)

        def work(start: int, stop: int) -> None:
            block = out[start:stop]
            kernels.multiply(_numbers(self.spectrum[start:stop]), by, _numbers(block))
            self.fft.backward(block)

        with self.fft.alone():
            self._over_rows(work, self._block_rows())

    def _block_rows(self) -> int:
        """Rows to be transformed at a time: few enough to stay in the cache, and a small part."""
        few = min(_BLOCK_BYTES // (self.n * self.tensor.itemsize), self.n // 16)
        return max(8, few // 8 * 8)

    def _sweep(self, step: float, next_step: float) -> tuple[tuple[float, float, float], float]:
        dtype = self.target.dtype.type
        ratio, keep, gain, carry = map(dtype, sweep_factors(self.penalty, step, next_step))

        def work(start: int, stop: int) -> Array:
            totals = np.empty(4)
            kernels.sweep(
                _numbers(self.tensor), self.multipliers, self.error, self.target,
                self.linked, start, stop, ratio, keep, gain, carry, totals,
            )  # fmt: skip
            return totals

        totals = np.stack(self._over_rows(work))
        gap1, gap2, gap3 = (float(gap) for gap in totals[:, :3].max(axis=0))
        return (gap1, gap2, gap3), float(totals[:, 3].sum())

    def _over_rows(self, work: Callable[[int, int], Any], rows: int = _TASK_ROWS) -> list[Any]:
        """Run `work` on every block of rows, in threads; results in the order of the rows."""
        starts = range(0, self.n, rows)
        stops = (min(start + rows, self.n) for start in starts)
        return list((self.pool.map if self.pool else map)(work, starts, stops))


def _numbers(pairs: Array) -> Array:
    """Real and imaginary parts in turn."""
    return pairs.view(pairs.real.dtype)
