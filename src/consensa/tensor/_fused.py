r"""The Fourier solver for NumPy arrays in one sweep over memory an iteration.

With :math:`D_1 = \Lambda_1/\mu`, :math:`D_3 = \Lambda_3/\mu` and :math:`\Lambda_2 = -2\lambda E`
(which the E-step keeps true at all times), the next tensor T to be thresholded is a function of
P, D1, D3, E and A, entry by entry and with the mirrored entry. Both slices lie in one complex
matrix, T1 + iT2, so that one complex transform does two real ones, and its rows lie in lanes
(`_lanes.py`), for the transforms. Seven arrays suffice besides A: D1, D3, E, T1 and T2 overwritten
by P1 and P2, and the spectrum, which is kept so that P can be had again when it is asked for. D1,
D3 and E lie tile by tile, mirrored tiles together, in the order in which the sweep comes by.

Bytes an iteration, in n × n arrays: the sweep reads P1, P2, D1, D3, E, half of A and writes D1,
D3, E, T1, T2 (10.5); the transforms, with the sums and the multiplication done while a block of
rows is in the cache, read and write both slices twice (8). That is 18.5, against 25 with separate
passes.

Until the first singular value passes the threshold, iterations are done on scalars (`asleep.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.threads import n_threads
from consensa.tensor import _fused_kernels as kernels
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._lane_fft import lane_transform
from consensa.tensor._lane_kernels import spectra_and_gram, transform_back
from consensa.tensor._lanes import VECTOR_BYTES, aligned_zeros
from consensa.tensor.asleep import Asleep
from consensa.tensor.pairs import Gram, shrinkage
from consensa.tensor.solver import Report, sweep_factors

__all__ = ["FusedEngine"]

_TASK_ROWS = 2 * kernels.TILE


class FusedEngine:
    """Kernels on blocks of rows, shared by threads; the answer does not depend on their number."""

    def __init__(self, target: Array, linked: Array, penalty: float) -> None:
        n, dtype = target.shape[0], target.dtype
        self.n, self.penalty = n, penalty
        self.target = np.ascontiguousarray(target)
        self.linked = np.ascontiguousarray(linked).view(np.uint8)
        self.frequencies, self.fft = FourierDomain(target), lane_transform(n, dtype)
        self.lanes = VECTOR_BYTES // dtype.itemsize
        self.side = kernels.whole_tiles(n)
        self.tensor = aligned_zeros(2 * self.side**2, dtype)  # T between iterations, P within
        self.spectrum = aligned_zeros(2 * self.side**2, dtype)  # of the last T
        self.scratch: list[Array] = []  # of the threads that are not at work
        self._put(1, 1)
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
        self.by = np.stack([by.first, by.second, by.cross_real, by.cross_imag], axis=1)
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
        tensor = aligned_zeros(self.tensor.size, self.tensor.dtype)
        self._transform_back(tensor)
        error = np.empty_like(self.target)
        self._over_rows(lambda *rows: kernels.write_error(self.error, error, *rows))
        return self._slice(tensor, 0), self._slice(tensor, 1), error

    def result_arrays(self) -> tuple[Array, Array]:
        """Refined affinity and links."""
        if not self.awake:
            return np.zeros_like(self.target), self.linked.astype(self.target.dtype)
        del self.error  # before its like is taken
        links = np.empty_like(self.target)
        self._over_rows(
            lambda *rows: kernels.write_links(
                self.tensor, self.multipliers, self.linked, links, self.lanes, *rows
            )
        )
        del self.multipliers
        affinity = np.empty_like(self.target)
        self._transform_back(self.tensor)
        self._over_rows(
            lambda *rows: kernels.write_affinity(self.tensor, affinity, self.lanes, *rows)
        )
        if self.pool:
            self.pool.shutdown()
        return affinity, links

    def _wake_up(self) -> None:
        """Write out the arrays that were multiples of the links and of A so far."""
        dtype, scalars = self.target.dtype.type, self.asleep
        self.awake = True
        pairs = kernels.pairs_before(self.n + kernels.TILE - 1, self.n)  # all of them
        self.multipliers = aligned_zeros(4 * kernels.PLANE * pairs, dtype)
        self.error = aligned_zeros(2 * kernels.PLANE * pairs, dtype)
        d, e = dtype(scalars.d), dtype(scalars.e)
        self._over_rows(
            lambda *rows: kernels.wake_up(
                self.target, self.linked, d, e, self.multipliers, self.error, *rows
            )
        )
        self._put(scalars.t1, scalars.t2)

    def _put(self, t1: float, t2: float) -> None:
        """T1 = t1·links and T2 = t2·A, block by block."""
        blocks = self.tensor.reshape(-1, self.side, 2, self.lanes)
        for first in range(0, self.n, self.lanes):
            rows, block = slice(first, first + self.lanes), blocks[first // self.lanes, : self.n]
            for part, (factor, matrix) in enumerate(((t1, self.linked), (t2, self.target))):
                some = matrix[rows].T
                np.multiply(
                    some, self.target.dtype.type(factor), out=block[:, part, : some.shape[1]]
                )

    def _slice(self, tensor: Array, part: int) -> Array:
        """A slice of a tensor as a matrix."""
        blocks = tensor.reshape(-1, self.side, 2, self.lanes)[:, : self.n, part]
        return blocks.transpose(1, 0, 2).reshape(self.n, -1)[:, : self.n].copy()

    def _transform(self) -> Gram:
        """Spectrum of T in its place, and the Gram sums over all rows of each frequency."""

        def work(start: int, stop: int) -> Array:
            sums = np.zeros(4 * (self.n // 2 + 1))
            with self._scratch() as scratch:
                spectra_and_gram(self.fft, self.tensor, *self._blocks(start, stop), scratch, sums)
            return sums

        # Partial sums are added in the order of the rows, whichever thread made them. The columns
        # f and n − f (conjugate) of the complex spectrum are those of the slices times a unitary
        # matrix times √2: their singular values and their shrinking are the same.
        sums = sum(self._over_rows(work)) / 2
        self.tensor, self.spectrum = self.spectrum, self.tensor
        return Gram(*sums.reshape(-1, 4).T)

    def _transform_back(self, out: Array) -> None:
        """Multiply the spectrum and transform it back to P."""
        by = (self.by / self.n).astype(out.dtype).ravel()

        def work(start: int, stop: int) -> None:
            with self._scratch() as scratch:
                transform_back(
                    self.fft, self.spectrum, by, out, *self._blocks(start, stop), scratch
                )

        self._over_rows(work)

    def _blocks(self, start: int, stop: int) -> tuple[int, int, int]:
        """Where the blocks of some rows begin and end, and the numbers of each."""
        return 2 * self.side * start, 2 * self.side * stop, 2 * self.side * self.lanes

    @contextmanager
    def _scratch(self) -> Iterator[Array]:
        """Memory of a thread at work, which another takes over."""
        try:
            scratch = self.scratch.pop()
        except IndexError:
            scratch = aligned_zeros(self.fft.scratch_size, self.target.dtype)
        yield scratch
        self.scratch.append(scratch)

    def _sweep(self, step: float, next_step: float) -> tuple[tuple[float, float, float], float]:
        dtype = self.target.dtype.type
        ratio, keep, gain, carry = map(dtype, sweep_factors(self.penalty, step, next_step))

        def work(start: int, stop: int) -> Array:
            totals = np.empty(4)
            kernels.sweep(
                self.tensor, self.multipliers, self.error, self.target, self.linked, self.lanes,
                start, stop, ratio, keep, gain, carry, totals,
            )  # fmt: skip
            return totals

        totals = np.stack(self._over_rows(work))
        gap1, gap2, gap3 = (float(gap) for gap in totals[:, :3].max(axis=0))
        return (gap1, gap2, gap3), float(totals[:, 3].sum())

    def _over_rows(self, work: Callable[[int, int], Any]) -> list[Any]:
        """Run `work` on some rows at a time, in threads; results in the order of the rows."""
        starts = range(0, self.n, _TASK_ROWS)
        stops = (min(start + _TASK_ROWS, self.n) for start in starts)
        return list((self.pool.map if self.pool else map)(work, starts, stops))
