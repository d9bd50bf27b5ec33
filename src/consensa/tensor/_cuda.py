r"""The Fourier solver for torch tensors on a CUDA device.

The mathematics is that of `_fused.py`, and so is the one complex matrix :math:`T_1 + i T_2` of
both slices: two real transforms took up to 1.7 times as long, and torch copies the input of the
real inverse. A spectrum is multiplied in place and not kept.

Bytes an iteration, in n × n arrays: the sweep reads P1, P2, D1, D3, E, A and writes D1, D3, E, T1,
T2 (11); the transforms read and write both slices at least once each (8); the Gram sums read them
(2); the multiplication reads and writes them in place (4).

What lies between the transforms is done by Triton kernels (`_cuda_kernels.py`) or by plain
torch calls (`_cuda_calls.py`). The device is asked for numbers once an iteration.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Protocol

from consensa._array import is_on_gpu, to_numpy
from consensa._optional import require
from consensa.tensor.asleep import Asleep
from consensa.tensor.pairs import Gram
from consensa.tensor.solver import Report, SweepFactors, sweep_factors

__all__ = ["CudaEngine"]


class Steps(Protocol):
    """What is done between the transforms."""

    def gram(self, spectrum: Any) -> Any:
        """Entries of the Gram matrices of the two slices at each frequency."""

    def multipliers(self, gram: Any, n: int, threshold: float, dtype: Any) -> tuple[Any, Any]:
        """What `multiply` takes; and the norm of P and the number of survivors."""

    def multiply(self, spectrum: Any, by: Any) -> None:
        """Multiply the pair of each frequency with its 2 × 2 Hermitian matrix, in place."""

    def sweep(
        self, P: Any, T: Any, D1: Any, D3: Any, E: Any, A: Any, linked: Any,
        factors: SweepFactors,
    ) -> tuple[Any, Any]:  # fmt: skip
        """Update E, D1, D3 from P, write the next T; the three gaps, and the sum of E²."""


def _steps(target: Any) -> Steps:
    """The kernels where they run, the plain calls everywhere else."""
    if is_on_gpu(target) and find_spec("triton") is not None:
        from consensa.tensor import _cuda_kernels  # needs Triton

        return _cuda_kernels
    from consensa.tensor import _cuda_calls

    return _cuda_calls


class CudaEngine:
    """Transforms by cuFFT, the rest by few steps; 7 n × n arrays and what cuFFT takes."""

    def __init__(
        self, target: Any, linked: Any, penalty: float, steps: Steps | None = None
    ) -> None:
        self.torch = require("torch", extra="gpu", purpose="The CUDA solver")
        self.steps = _steps(target) if steps is None else steps
        self.n, self.penalty = target.shape[0], penalty
        self.target, self.linked = target.contiguous(), linked.contiguous()
        self.awake = False
        self.tensor = self.next = None  # P and the next T, once awake
        start = self.steps.gram(self._spectrum(self._pair(1.0, 1.0)))
        energy = float(self.torch.linalg.vector_norm(target, dtype=self.torch.float64)) ** 2
        self.asleep = Asleep(Gram(*to_numpy(start)), self.target, self.linked, energy, penalty)

    def iterate(self, step: float, next_step: float) -> Report:
        """Do one iteration."""
        if not self.awake:
            if not self.asleep.ends(step):
                return self.asleep.iterate(step, next_step)
            self._wake_up()
        size = self._shrink(step)
        gaps, energy = self._sweep(step, next_step)
        numbers = self.torch.cat([gaps, energy, size]).tolist()  # waits for the device, once
        gap1, gap2, gap3, error_energy, norm, survivors = numbers
        return Report((gap1, gap2, gap3), norm, error_energy, int(survivors))

    def iterate_arrays(self) -> tuple[Any, Any, Any]:
        """P1, P2 and E of the last iteration."""
        if not self.awake:
            zero = self.torch.zeros_like(self.target)
            return zero, zero, self.asleep.e * self.target
        first, second = self.torch.view_as_real(self.tensor).unbind(-1)
        return tuple(matrix.mT.clone() for matrix in (first, second, self.error))

    def result_arrays(self) -> tuple[Any, Any]:
        """Refined affinity and links, written over arrays that are done with."""
        torch = self.torch
        if not self.awake:
            return torch.zeros_like(self.target), self.linked.to(self.target.dtype)
        second = torch.view_as_real(self.tensor)[..., 1]
        affinity = torch.add(second, second.mT, out=self.D3).mul_(0.5).clamp_(0, 1)
        copy = torch.add(torch.view_as_real(self.next)[..., 0], self.D1, out=self.error)  # B
        links = torch.add(copy, copy.mT, out=self.D1).mul_(0.5).clamp_(0, 1)
        return affinity, links.masked_fill_(self.linked, 1)

    def _pair(self, links: float, affinity: float) -> Any:
        """Multiples of the links and of A as one complex matrix."""
        pair = self.torch.empty(
            (self.n, self.n, 2), dtype=self.target.dtype, device=self.target.device
        )
        pair[..., 0].copy_(self.linked).mul_(links)
        pair[..., 1].copy_(self.target).mul_(affinity)
        return self.torch.view_as_complex(pair)

    def _wake_up(self) -> None:
        """Write out the arrays that were multiples of the links and of A so far."""
        self.awake = True
        scalars = self.asleep
        self.next = self._pair(scalars.t1, scalars.t2)  # T
        self.D1 = self.torch.zeros_like(self.target).masked_fill_(self.linked, -scalars.d)
        self.D3 = self.torch.zeros_like(self.target)
        self.error = self.target * scalars.e

    # Neither transform is scaled: torch would take a pass of its own for it.
    def _spectrum(self, pair: Any) -> Any:
        return self.torch.fft.fft(pair, norm="backward")

    def _shrink(self, step: float) -> Any:
        """Shrink the singular values of T: that is P. Its norm and number of survivors."""
        self.tensor = None  # the last P makes room for the spectrum, and T for the next P
        spectrum = self._spectrum(self.next)
        self.next = None
        gram = self.steps.gram(spectrum)
        by, size = self.steps.multipliers(gram, self.n, 1 / step, self.target.dtype)
        self.steps.multiply(spectrum, by)
        self.tensor = self.torch.fft.ifft(spectrum, norm="forward")
        return size

    def _sweep(self, step: float, next_step: float) -> tuple[Any, Any]:
        self.next = self.torch.empty_like(self.tensor)
        return self.steps.sweep(
            self.tensor, self.next, self.D1, self.D3, self.error, self.target, self.linked,
            sweep_factors(self.penalty, step, next_step),
        )  # fmt: skip
