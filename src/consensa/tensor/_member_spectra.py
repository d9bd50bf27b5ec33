"""The spectra of GTLEC's tensor, some columns at a time: Gram matrices and thresholded tensor.

The tensor is T = A + ratio · rest, with `copies` A and `rests` of shape (m, n, n); the transform
runs along the samples, the second axis. Both classes read it twice, once for the Gram matrices of
all frequencies and once to multiply its spectra, so that no spectrum is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
import scipy.fft

from consensa._array import Array, is_numpy, is_on_gpu, namespace
from consensa._machine.threads import over_row_blocks
from consensa.tensor import _member_kernels as kernels
from consensa.tensor._lane_fft import lane_transform
from consensa.tensor._lane_kernels import transform
from consensa.tensor._lanes import aligned_zeros

__all__ = ["LaneSpectra", "MemberSpectra", "PlainSpectra", "spectra_of"]

_BLOCK_BYTES, _BLOCK_BYTES_ON_DEVICE = 2**22, 2**27  # of the spectra of some columns
# Samples; as for LTA's engines, a matter of size alone, because the two round differently.
_LANES_FROM = 256
_TASKS = 8  # for threads; each has Gram matrices of its own


class MemberSpectra(Protocol):
    """What the solver needs."""

    def gram(self, ratio: float) -> Any:
        """Gram matrices of the columns of all frequencies: (n_freq, m, m)."""

    def replace(self, multipliers: Any, ratio: float) -> Any:
        """Make A the tensor whose spectra are multiplied; the absolute row sums of its change."""


def spectra_of(copies: Any, rests: Any) -> MemberSpectra:
    """The compiled loops where they pay, array functions everywhere else."""
    lanes = is_numpy(namespace(copies)) and copies.shape[1] >= _LANES_FROM
    return LaneSpectra(copies, rests) if lanes else PlainSpectra(copies, rests)


class PlainSpectra:
    """Functions of an array library."""

    def __init__(self, copies: Any, rests: Any) -> None:
        self.xp, self.copies, self.rests = namespace(copies), copies, rests
        self.m, self.n = (int(size) for size in copies.shape[:2])

    def gram(self, ratio: float) -> Any:
        """Gram matrices of the columns of all frequencies: (n_freq, m, m)."""
        xp = self.xp
        total: Any = 0.0
        for block in self._blocks():
            spectrum = self._spectrum(self._tensor(block, ratio))
            total = total + xp.conj(spectrum) @ xp.matrix_transpose(spectrum)
        return total

    def replace(self, multipliers: Any, ratio: float) -> Any:
        """Make A the tensor whose spectra are multiplied; the absolute row sums of its change."""
        xp = self.xp
        # The small singular values are differences of large numbers.
        multipliers = xp.astype(xp.matrix_transpose(multipliers), xp.complex128, copy=False)
        sums: Any = 0.0
        for block in self._blocks():
            tensor = self._tensor(block, ratio)
            shrunk = self._back(multipliers @ self._spectrum(tensor))
            sums = sums + xp.sum(xp.abs(self.copies[:, :, block] - shrunk), axis=2)
            self.copies[:, :, block] = shrunk
            self.rests[:, :, block] = tensor - shrunk
        return sums

    def _blocks(self) -> Iterator[slice]:
        """Columns by blocks, of which the spectra of all partitions are in memory."""
        size = _BLOCK_BYTES_ON_DEVICE if is_on_gpu(self.copies) else _BLOCK_BYTES
        width = max(1, size // (16 * self.n * self.m))
        for start in range(0, self.n, width):
            yield slice(start, min(start + width, self.n))

    def _tensor(self, block: slice, ratio: float) -> Any:
        """T in these columns."""
        return self.copies[:, :, block] + ratio * self.rests[:, :, block]

    def _spectrum(self, tensor: Any) -> Any:
        """Fourier transform along the samples: (n_freq, m, columns)."""
        xp = self.xp
        tensor = xp.astype(tensor, xp.float64, copy=False)
        transform = scipy.fft.rfft if is_numpy(xp) else xp.fft.rfft
        return xp.permute_dims(transform(tensor, axis=1), (1, 0, 2))

    def _back(self, spectrum: Any) -> Any:
        xp = self.xp
        transform = scipy.fft.irfft if is_numpy(xp) else xp.fft.irfft
        tensor = transform(xp.permute_dims(spectrum, (1, 0, 2)), n=self.n, axis=1)
        return xp.astype(tensor, self.copies.dtype, copy=False)


class LaneSpectra:
    """Compiled loops on all cores; the answer does not depend on their number.

    The Gram matrices are those of the slices times a unitary matrix, and so are the multipliers:
    singular values and the thresholded tensor are the same.
    """

    def __init__(self, copies: Array, rests: Array) -> None:
        self.copies, self.rests = copies, rests
        self.m, self.n, _ = copies.shape
        self.pairs, self.fft = (self.m + 1) // 2, lane_transform(self.n, np.float64)

    def gram(self, ratio: float) -> Array:
        """Gram matrices of the columns of all frequencies: (n_freq, m, m)."""

        def work(start: int, stop: int) -> Array:
            sums = np.zeros((self.n // 2 + 1, self.m, self.m, 2))
            for _, blocks, _ in self._transformed(start, stop, ratio):
                for block in blocks:
                    kernels.add_gram(block, self.n, self.m, sums)
            return sums

        upper = self._total(work).view(np.complex128)[..., 0]
        lower = np.triu(upper, 1).conj().swapaxes(1, 2)
        return np.asarray(upper + lower)

    def replace(self, multipliers: Array, ratio: float) -> Array:
        """Make A the tensor whose spectra are multiplied; the absolute row sums of its change."""
        by = np.ascontiguousarray(multipliers / self.n).view(np.float64)
        by = by.reshape(*multipliers.shape, 2)
        step = self.copies.dtype.type(ratio)

        def work(start: int, stop: int) -> Array:
            sums = np.zeros((self.m, self.n))
            for first, blocks, scratch in self._transformed(start, stop, ratio):
                for block in blocks:
                    kernels.multiply(block, self.n, self.m, by)
                self._transform(blocks, scratch, back=True)
                kernels.store(blocks, step, first, self.copies, self.rests, sums)
            return sums

        return self._total(work)

    def _transformed(
        self, start: int, stop: int, ratio: float
    ) -> Iterator[tuple[int, Array, Array]]:
        """First column, blocks of spectra and scratch memory, some columns at a time."""
        step = self.copies.dtype.type(ratio)
        size, lanes = self.pairs * self._size, kernels.LANES
        memory = aligned_zeros(kernels.WIDTH // lanes * size, np.float64).reshape(-1, size)
        scratch = aligned_zeros(self.fft.scratch_size, np.float64)
        for first in range(start, stop, kernels.WIDTH):
            kernels.load(self.copies, self.rests, step, first, memory)
            blocks = memory[: -(-(stop - first) // lanes)]
            self._transform(blocks, scratch, back=False)
            yield first, blocks, scratch

    def _transform(self, blocks: Array, scratch: Array, *, back: bool) -> None:
        transform(self.fft, blocks.reshape(-1), 0, blocks.size, self._size, scratch, back)

    @property
    def _size(self) -> int:
        """Numbers of a pair in a block."""
        return 2 * kernels.LANES * self.n

    def _total(self, work: Callable[[int, int], Array]) -> Array:
        """The sum of what `work` gives for blocks of columns, in their order."""
        wide = -(-self.n // (_TASKS * kernels.WIDTH)) * kernels.WIDTH
        total, *others = over_row_blocks(work, self.n, wide)
        for other in others:
            total += other
        return total
