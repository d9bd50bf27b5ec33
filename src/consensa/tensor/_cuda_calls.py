"""The steps between the Fourier transforms in plain torch calls, where Triton is not there.

The two slices lie in one complex matrix, the first as its real part, the second as its imaginary
part. With the spectrum Z of such a matrix, the spectra of the slices are
(Z(f) + conj Z(n − f)) / 2 and (Z(f) − conj Z(n − f)) / 2i.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from consensa._array import namespace
from consensa._optional import require
from consensa.tensor import pairs
from consensa.tensor.half_spectrum import multiplicity
from consensa.tensor.pairs import Gram, shrinkage
from consensa.tensor.solver import SweepFactors

__all__ = ["gram", "multipliers", "multiply", "sweep"]

_BLOCK_BYTES = 2**27


def gram(spectrum: Any) -> Any:
    """Entries of the Gram matrices of the two slices at each frequency: (4, n_frequencies)."""
    xp = namespace(spectrum)
    sums: Any = 0
    for block, mirrored in _blocks(spectrum):
        first, second = _slices(block, mirrored)
        sums = sums + xp.stack(pairs.gram(xp, first.mT, second.mT))
    return sums


def multipliers(gram: Any, n: int, threshold: float, dtype: Any) -> tuple[Any, Any]:
    """What `multiply` takes; and the norm of P and the number of survivors."""
    xp = namespace(gram)
    by = shrinkage(xp, Gram(*gram), threshold)
    count, values = multiplicity(n, like=gram), by.singular_values
    totals = xp.stack([xp.sum(count * values) / n, xp.sum(count * (values > 0))])
    # Over n, because the inverse transform is not scaled.
    return xp.stack([by.first, by.second, by.cross_real, by.cross_imag]).to(dtype) / n, totals


def multiply(spectrum: Any, by: Any) -> None:
    """Multiply the pair of each frequency with its 2 × 2 Hermitian matrix, in place."""
    by = by.to(spectrum.dtype)
    diagonal, cross = by[:2], by[2] + 1j * by[3]
    for block, mirrored in _blocks(spectrum):
        first, second = _slices(block, mirrored)
        out1 = first * diagonal[0] + second * cross.conj()
        out2 = first * cross + second * diagonal[1]
        block[:, : len(mirrored)] = out1 + 1j * out2
        block[:, mirrored] = out1.conj() + 1j * out2.conj()


def _blocks(spectrum: Any) -> Iterator[tuple[Any, Any]]:
    """Blocks of rows, and the places of the frequencies n − f of f = 0 … n // 2."""
    torch = require("torch", extra="gpu", purpose="The CUDA solver")
    n = spectrum.shape[0]
    mirrored = -torch.arange(n // 2 + 1, device=spectrum.device) % n
    for block in spectrum.split(max(1, _BLOCK_BYTES // (16 * n))):
        yield block, mirrored


def _slices(block: Any, mirrored: Any) -> tuple[Any, Any]:
    """Spectra of the two slices."""
    here, there = block[:, : len(mirrored)], block[:, mirrored].conj()
    return (here + there) / 2, (here - there) / 2j


def sweep(
    P: Any, T: Any, D1: Any, D3: Any, E: Any, A: Any, linked: Any, factors: SweepFactors
) -> tuple[Any, Any]:
    """Update E, D1, D3 from P, write the next T; the three gaps, and the sum of E²."""
    torch = require("torch", extra="gpu", purpose="The CUDA solver")
    ratio, keep, gain, carry = factors
    P1, P2 = torch.view_as_real(P).unbind(-1)
    T1, T2 = torch.view_as_real(T).unbind(-1)

    B = _unit_symmetric(D1.add_(P1)).masked_fill_(linked, 1)
    gap1 = _largest(P1 - B)
    D1.sub_(B).mul_(ratio)
    torch.sub(B, D1, out=T1)
    del B

    E.mul_(keep).add_(A - P2, alpha=gain)
    gap2 = _largest((P2 - A).add_(E))
    C = _unit_symmetric(D3.add_(P2))
    gap3 = _largest(P2 - C)
    D3.sub_(C).mul_(ratio)
    torch.mul(C.sub_(D3).add_(A).sub_(E, alpha=carry), 0.5, out=T2)
    energy = torch.linalg.vector_norm(E, dtype=torch.float64) ** 2
    return torch.stack([gap1, gap2, gap3]).double(), energy[None]


def _unit_symmetric(matrix: Any) -> Any:
    return (matrix + matrix.mT).mul_(0.5).clamp_(0, 1)


def _largest(gap: Any) -> Any:
    return gap.abs_().max()
