"""Triton kernels of the CUDA engine: the steps between the Fourier transforms.

Matrices are stored transposed, entry (i, j) of the paper at [j, i]. The two slices lie in one
complex matrix, the first as its real part, the second as its imaginary part; kernels see it as
pairs of real numbers. `_cuda_calls.py` does the same in plain torch calls.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from consensa.tensor.solver import SweepFactors

__all__ = ["gram", "multipliers", "multiply", "sweep"]

# Measured on an H200. A small tile leaves room for many programs on a multiprocessor, which load
# while others store; the single warp of float32 also transposes it without a barrier.
_TILE = 16  # rows and columns of a tile of the sweep
_WARPS = {torch.float32: 1, torch.float64: 4}
_FREQUENCIES, _ROWS = 128, 4  # of a block of a spectrum
_PROGRAMS = 8192  # of the Gram sums: the same on every device, so that sums are too


@triton.jit
def _load_pair(matrix, offsets, inside):  # type: ignore[no-untyped-def]
    """Both slices at these offsets."""
    both = 2 * offsets[:, :, None] + tl.arange(0, 2)[None, None, :]
    return tl.split(tl.load(matrix + both, mask=inside[:, :, None], other=0.0))


@triton.jit
def _store_pair(matrix, offsets, inside, first, second):  # type: ignore[no-untyped-def]
    both = 2 * offsets[:, :, None] + tl.arange(0, 2)[None, None, :]
    tl.store(matrix + both, tl.join(first, second), mask=inside[:, :, None])


@triton.jit
def _unit_mean(tile, mirror):  # type: ignore[no-untyped-def]
    """Nearest tile that equals its mirror and has its entries in [0, 1]."""
    return tl.minimum(tl.maximum((tile + tl.trans(mirror)) * 0.5, 0.0), 1.0)


@triton.jit
def _update(  # type: ignore[no-untyped-def]
    T, D1, D3, E, place, inside, p1, p2, x1, x2, e, a, b, c, ratio, keep, gain, carry
):
    """Error, multipliers and next T on one tile, given B and C; its gaps and sum of E²."""
    error = gain * (a - p2) + keep * e
    u1, u3 = ratio * (x1 - b), ratio * (x2 - c)
    tl.store(D1 + place, u1, mask=inside)
    tl.store(D3 + place, u3, mask=inside)
    tl.store(E + place, error, mask=inside)
    _store_pair(T, place, inside, b - u1, 0.5 * (a - carry * error + c - u3))
    gap1 = tl.max(tl.where(inside, tl.abs(p1 - b), 0.0))
    gap2 = tl.max(tl.where(inside, tl.abs(p2 + error - a), 0.0))
    gap3 = tl.max(tl.where(inside, tl.abs(p2 - c), 0.0))
    energy = tl.sum(tl.where(inside, error * error, 0.0)).to(tl.float64)
    return gap1, gap2, gap3, energy


@triton.jit
def _sweep_kernel(  # type: ignore[no-untyped-def]
    P, T, D1, D3, E, A, linked, totals, n,
    ratio: tl.float64, keep: tl.float64, gain: tl.float64, carry: tl.float64,
    TILE: tl.constexpr,
):  # fmt: skip
    """One tile and its mirror. Each pair of tiles is met once, walking round each row of tiles."""
    n_tiles = tl.num_programs(0)
    top, turn = tl.program_id(0), tl.program_id(1)
    left = (top + turn) % n_tiles
    # The half turn meets each pair twice: one of the two has nothing to do.
    end = tl.where(2 * turn == n_tiles and top > left, 0, n)
    # On the diagonal a tile is its own mirror: it is neither read nor written twice.
    mirror_end = tl.where(top == left, 0, end)

    dtype = D1.dtype.element_ty
    ratio, keep = tl.full((1, 1), ratio, dtype), tl.full((1, 1), keep, dtype)
    gain, carry = tl.full((1, 1), gain, dtype), tl.full((1, 1), carry, dtype)
    rows, columns = top * TILE + tl.arange(0, TILE), left * TILE + tl.arange(0, TILE)
    here = rows[:, None].to(tl.int64) * n + columns[None, :]
    there = columns[:, None].to(tl.int64) * n + rows[None, :]
    in_here = (rows < end)[:, None] & (columns < end)[None, :]
    in_there = (columns < mirror_end)[:, None] & (rows < mirror_end)[None, :]

    p1, p2 = _load_pair(P, here, in_here)
    q1, q2 = _load_pair(P, there, in_there)
    x1 = p1 + tl.load(D1 + here, mask=in_here, other=0.0)
    x2 = p2 + tl.load(D3 + here, mask=in_here, other=0.0)
    y1 = q1 + tl.load(D1 + there, mask=in_there, other=0.0)
    y2 = q2 + tl.load(D3 + there, mask=in_there, other=0.0)
    e = tl.load(E + here, mask=in_here, other=0.0)
    f = tl.load(E + there, mask=in_there, other=0.0)
    a = tl.load(A + here, mask=in_here, other=0.0)  # symmetric, as are the links
    link = tl.load(linked + here, mask=in_here, other=0)

    b = _unit_mean(x1, tl.where(top == left, x1, y1))
    b = tl.where(link != 0, 1.0, b)
    c = _unit_mean(x2, tl.where(top == left, x2, y2))
    gap1, gap2, gap3, energy = _update(
        T, D1, D3, E, here, in_here, p1, p2, x1, x2, e, a, b, c, ratio, keep, gain, carry
    )
    mirror1, mirror2, mirror3, mirror_energy = _update(
        T, D1, D3, E, there, in_there, q1, q2, y1, y2, f, tl.trans(a), tl.trans(b), tl.trans(c),
        ratio, keep, gain, carry,
    )  # fmt: skip
    out = totals + 4 * (top * tl.num_programs(1) + turn)
    tl.store(out, tl.maximum(gap1, mirror1).to(tl.float64))
    tl.store(out + 1, tl.maximum(gap2, mirror2).to(tl.float64))
    tl.store(out + 2, tl.maximum(gap3, mirror3).to(tl.float64))
    tl.store(out + 3, energy + mirror_energy)


def sweep(
    P: Any, T: Any, D1: Any, D3: Any, E: Any, A: Any, linked: Any, factors: SweepFactors
) -> tuple[Any, Any]:
    """Update E, D1, D3 from P, write the next T; the three gaps, and the sum of E²."""
    n = P.shape[0]
    n_tiles = triton.cdiv(n, _TILE)
    turns = n_tiles // 2 + 1
    totals = torch.empty((n_tiles * turns, 4), dtype=torch.float64, device=P.device)
    _sweep_kernel[(n_tiles, turns)](
        torch.view_as_real(P), torch.view_as_real(T), D1, D3, E, A, linked.view(torch.uint8),
        totals, n, *factors, TILE=_TILE, num_warps=_WARPS[D1.dtype],
    )  # fmt: skip
    return totals[:, :3].amax(0), totals[:, 3:].sum(0)


@triton.jit
def _slices(spectrum, start, frequencies, n, inside, FREQUENCIES: tl.constexpr):  # type: ignore[no-untyped-def]
    """Twice the spectra of the two slices, from that of first + i·second at f and n − f."""
    mirrored = tl.where(frequencies == 0, 0, n - frequencies)
    re, im = _load_pair(spectrum, start + frequencies[None, :], inside)
    mirror_re, mirror_im = _load_pair(spectrum, start + mirrored[None, :], inside)
    return re, im, mirror_re, mirror_im, mirrored


@triton.jit
def _gram_kernel(  # type: ignore[no-untyped-def]
    spectrum, sums, n, n_frequencies, n_rows,
    FREQUENCIES: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Gram sums of a block of frequencies over a chunk of rows, in double precision."""
    frequencies = tl.program_id(0) * FREQUENCIES + tl.arange(0, FREQUENCIES)
    first_row = tl.program_id(1) * n_rows
    in_spectrum = frequencies < n_frequencies
    first = tl.zeros((ROWS, FREQUENCIES), tl.float64)
    second = tl.zeros((ROWS, FREQUENCIES), tl.float64)
    cross_re = tl.zeros((ROWS, FREQUENCIES), tl.float64)
    cross_im = tl.zeros((ROWS, FREQUENCIES), tl.float64)
    for row in range(0, n_rows, ROWS):
        within = row + tl.arange(0, ROWS)
        rows = first_row + within
        inside = ((within < n_rows) & (rows < n))[:, None] & in_spectrum[None, :]
        start = rows[:, None].to(tl.int64) * n
        re, im, mirror_re, mirror_im, _ = _slices(
            spectrum, start, frequencies, n, inside, FREQUENCIES
        )
        re, im = re.to(tl.float64), im.to(tl.float64)
        mirror_re, mirror_im = mirror_re.to(tl.float64), mirror_im.to(tl.float64)
        g1_re, g1_im, g2_re, g2_im = re + mirror_re, im - mirror_im, im + mirror_im, mirror_re - re
        first += g1_re * g1_re + g1_im * g1_im
        second += g2_re * g2_re + g2_im * g2_im
        cross_re += g1_re * g2_re + g1_im * g2_im
        cross_im += g1_re * g2_im - g1_im * g2_re
    out = sums + tl.program_id(1) * 4 * n_frequencies + frequencies
    tl.store(out, 0.25 * tl.sum(first, 0), mask=in_spectrum)
    tl.store(out + n_frequencies, 0.25 * tl.sum(second, 0), mask=in_spectrum)
    tl.store(out + 2 * n_frequencies, 0.25 * tl.sum(cross_re, 0), mask=in_spectrum)
    tl.store(out + 3 * n_frequencies, 0.25 * tl.sum(cross_im, 0), mask=in_spectrum)


def gram(spectrum: Any) -> Any:
    """Entries of the Gram matrices of the two slices at each frequency: (4, n_frequencies)."""
    n = spectrum.shape[0]
    n_frequencies = n // 2 + 1
    blocks = triton.cdiv(n_frequencies, _FREQUENCIES)
    n_rows = _ROWS * max(1, triton.cdiv(n * blocks, _PROGRAMS * _ROWS))
    chunks = triton.cdiv(n, n_rows)
    sums = torch.empty((chunks, 4, n_frequencies), dtype=torch.float64, device=spectrum.device)
    _gram_kernel[(blocks, chunks)](
        torch.view_as_real(spectrum), sums, n, n_frequencies, n_rows,
        FREQUENCIES=_FREQUENCIES, ROWS=_ROWS,
    )  # fmt: skip
    return sums.sum(0)


@triton.jit
def _kept(values, threshold):  # type: ignore[no-untyped-def]
    """φ(s) = max(1 − τ/s, 0): what is left of a singular value."""
    return tl.where(values > threshold, 1 - threshold / tl.maximum(values, threshold), 0.0)


@triton.jit
def _multipliers_kernel(  # type: ignore[no-untyped-def]
    gram, by, totals, n, n_frequencies, threshold: tl.float64, FREQUENCIES: tl.constexpr
):
    """What `_pairs.shrinkage` does, for a block of frequencies, over 2n; norm and survivors."""
    frequencies = tl.program_id(0) * FREQUENCIES + tl.arange(0, FREQUENCIES)
    inside = frequencies < n_frequencies
    sums = gram + frequencies
    first = tl.load(sums, mask=inside, other=0.0)
    second = tl.load(sums + n_frequencies, mask=inside, other=0.0)
    cross_re = tl.load(sums + 2 * n_frequencies, mask=inside, other=0.0)
    cross_im = tl.load(sums + 3 * n_frequencies, mask=inside, other=0.0)

    mean, half = (first + second) / 2, (first - second) / 2
    radius = tl.sqrt(half * half + cross_re * cross_re + cross_im * cross_im)
    large, small = tl.sqrt(mean + radius), tl.sqrt(tl.maximum(mean - radius, 0.0))
    threshold = tl.full((FREQUENCIES,), threshold, tl.float64)
    keep_large, keep_small = _kept(large, threshold), _kept(small, threshold)
    center = (keep_large + keep_small) / 2
    round_radius = tl.where(radius > 0, radius, 1.0)
    tilt = tl.where(radius > 0, (keep_large - keep_small) / 2, 0.0) / round_radius

    # Over n, because the inverse transform is not scaled; over 2, because `_multiply_kernel` works
    # on twice the spectra of the slices.
    out, scale = by + frequencies, tl.full((FREQUENCIES,), 0.5, tl.float64) / n
    tl.store(out, (center + tilt * half) * scale, mask=inside)
    tl.store(out + n_frequencies, (center - tilt * half) * scale, mask=inside)
    tl.store(out + 2 * n_frequencies, tilt * cross_re * scale, mask=inside)
    tl.store(out + 3 * n_frequencies, tilt * cross_im * scale, mask=inside)

    # The full spectrum holds f and n − f, but for those that are their own mirrors.
    count = tl.where((frequencies == 0) | (2 * frequencies == n), 1.0, 2.0)
    left_large, left_small = large * keep_large, small * keep_small
    survivors = (left_large > 0).to(tl.float64) + (left_small > 0).to(tl.float64)
    total = totals + 2 * tl.program_id(0)
    tl.store(total, tl.sum(tl.where(inside, count * (left_large + left_small), 0.0)) / n)
    tl.store(total + 1, tl.sum(tl.where(inside, count * survivors, 0.0)))


def multipliers(gram: Any, n: int, threshold: float, dtype: Any) -> tuple[Any, Any]:
    """What `multiply` takes; and the norm of P and the number of survivors."""
    n_frequencies = gram.shape[1]
    blocks = triton.cdiv(n_frequencies, _FREQUENCIES)
    by = torch.empty((4, n_frequencies), dtype=dtype, device=gram.device)
    totals = torch.empty((blocks, 2), dtype=torch.float64, device=gram.device)
    _multipliers_kernel[(blocks,)](
        gram, by, totals, n, n_frequencies, threshold, FREQUENCIES=_FREQUENCIES
    )
    return by, totals.sum(0)


@triton.jit
def _multiply_kernel(  # type: ignore[no-untyped-def]
    spectrum, by, n, n_frequencies, FREQUENCIES: tl.constexpr, ROWS: tl.constexpr
):
    """Multiply the slices at f and n − f, where nobody else reads or writes."""
    frequencies = tl.program_id(0) * FREQUENCIES + tl.arange(0, FREQUENCIES)
    rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    in_spectrum = frequencies < n_frequencies
    inside = (rows < n)[:, None] & in_spectrum[None, :]
    start = rows[:, None].to(tl.int64) * n
    re, im, mirror_re, mirror_im, mirrored = _slices(
        spectrum, start, frequencies, n, inside, FREQUENCIES
    )
    g1_re, g1_im, g2_re, g2_im = re + mirror_re, im - mirror_im, im + mirror_im, mirror_re - re
    weights = by + frequencies
    p = tl.load(weights, mask=in_spectrum, other=0.0)[None, :]
    q = tl.load(weights + n_frequencies, mask=in_spectrum, other=0.0)[None, :]
    r = tl.load(weights + 2 * n_frequencies, mask=in_spectrum, other=0.0)[None, :]
    s = tl.load(weights + 3 * n_frequencies, mask=in_spectrum, other=0.0)[None, :]
    out1_re = g1_re * p + g2_re * r + g2_im * s
    out1_im = g1_im * p + g2_im * r - g2_re * s
    out2_re = g1_re * r - g1_im * s + g2_re * q
    out2_im = g1_re * s + g1_im * r + g2_im * q
    here, there = start + frequencies[None, :], start + mirrored[None, :]
    _store_pair(spectrum, here, inside, out1_re - out2_im, out1_im + out2_re)
    twice = inside & (mirrored != frequencies)[None, :]
    _store_pair(spectrum, there, twice, out1_re + out2_im, out2_re - out1_im)


def multiply(spectrum: Any, by: Any) -> None:
    """Multiply the pair of each frequency with its 2 × 2 Hermitian matrix, in place."""
    n = spectrum.shape[0]
    n_frequencies = n // 2 + 1
    grid = (triton.cdiv(n_frequencies, _FREQUENCIES), triton.cdiv(n, _ROWS))
    _multiply_kernel[grid](
        torch.view_as_real(spectrum), by, n, n_frequencies, FREQUENCIES=_FREQUENCIES, ROWS=_ROWS
    )
