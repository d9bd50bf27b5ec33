"""Complex Fourier transforms of rows in lanes, of any length.

Lengths of which all prime factors are small are transformed in passes, each a small transform of
many entries. Other lengths become a convolution (Bluestein), which is done by transforms of a
longer length with small factors. `docs/performance.md` compares it with libraries.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.tensor._butterflies import one_pass
from consensa.tensor._lanes import VECTOR_BYTES

__all__ = ["Transform", "factors_of", "lane_transform"]

# Lengths of the small transforms, and measured times of a pass of them, for each entry.
_COST = {
    2: 4.3, 3: 4.0, 4: 4.3, 5: 3.6, 6: 4.5, 7: 6.5, 8: 5.0, 9: 5.0, 10: 5.5, 11: 8.0, 12: 6.5,
    13: 8.0,
}  # fmt: skip


class _Factors(NamedTuple):
    """A length as a product of small ones."""

    cost: float  # of all passes, for each entry
    radices: tuple[int, ...]


@functools.cache
def factors_of(n: int) -> _Factors | None:
    """The product that takes the least time; None if a prime factor is too large."""
    if n == 1:
        return _Factors(0.0, ())
    found = [
        _Factors(_COST[radix] + rest.cost, tuple(sorted((radix, *rest.radices), reverse=True)))
        for radix in _COST
        if n % radix == 0 and (rest := factors_of(n // radix))
    ]
    return min(found, default=None)


class Transform(NamedTuple):
    """What the compiled loops need for the transform of rows of a length.

    Attributes
    ----------
    n : int
        Length of the rows.
    width : int
        Numbers of an entry of all rows of a block: the real parts, and the imaginary ones.
    scratch_size : int
        Numbers of the memory that a thread needs.
    length : int
        Length of what is transformed in passes: n, or at least 2 n − 1 for a convolution.
    passes : ndarray of shape (n_passes, 4)
        Address of the pass, groups, stride, and where its twiddles begin.
    twiddles : ndarray
        Of all passes.
    chirp, kernel : ndarray of shape (2 * n,), (2 * length,)
        Factors of a convolution; empty if there is none.
    """

    n: int
    width: int
    scratch_size: int
    length: int
    passes: Array
    twiddles: Array
    chirp: Array
    kernel: Array


def lane_transform(n: int, dtype: Any) -> Transform:
    """The transform of rows of length `n`."""
    width = 2 * VECTOR_BYTES // np.dtype(dtype).itemsize
    if factors := factors_of(n):
        passes, none = _passes(n, factors.radices, dtype), np.empty(0, dtype)
        return Transform(n, width, 2 * n * width, n, *passes, none, none)

    lengths = {m: factors for m in range(2 * n - 1, 4 * n) if (factors := factors_of(m))}
    length = min(lengths, key=lambda m: m * lengths[m].cost)
    k = np.arange(n, dtype=np.int64)
    chirp = np.exp(-1j * np.pi * (k * k % (2 * n)) / n)
    kernel = np.zeros(length, np.complex128)
    kernel[:n] = chirp.conj()
    kernel[length - n + 1 :] = chirp.conj()[:0:-1]
    kernel = np.fft.fft(kernel) / length
    passes = _passes(length, lengths[length].radices, dtype)
    return Transform(
        n, width, 4 * length * width, length, *passes,
        _numbers(chirp, dtype), _numbers(kernel, dtype),
    )  # fmt: skip


def _passes(n: int, radices: tuple[int, ...], dtype: Any) -> tuple[Array, Array]:
    """A pass for each radix, and the twiddles of all."""
    passes, twiddles = [], [np.empty(0, dtype)]
    groups, stride = n, 1
    for radix in radices:
        groups //= radix
        address = one_pass(radix, np.dtype(dtype).name, last=groups == 1).address
        passes.append((address, groups, stride, sum(map(len, twiddles))))
        angles = np.outer(np.arange(groups), np.arange(1, radix)) / (groups * radix)
        twiddles.append(_numbers(np.exp(-2j * np.pi * angles), dtype))
        stride *= radix
    return np.array(passes, np.int64), np.concatenate(twiddles)


def _numbers(values: Array, dtype: Any) -> Array:
    """Real and imaginary parts in turn."""
    return np.ascontiguousarray(values).view(np.float64).ravel().astype(dtype)
