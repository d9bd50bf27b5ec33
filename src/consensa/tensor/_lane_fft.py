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
from consensa.tensor._butterflies import butterflies, rotate
from consensa.tensor._lanes import VECTOR_BYTES

__all__ = ["Place", "factors_of", "lane_transform"]

# Lengths of the small transforms, and measured times of a pass of them, for each entry.
_COST = {
    2: 4.3, 3: 4.0, 4: 4.3, 5: 3.6, 6: 4.5, 7: 6.5, 8: 5.0, 9: 5.0, 10: 5.5, 11: 8.0, 12: 6.5,
    13: 8.0,
}  # fmt: skip


class Place(NamedTuple):
    """A block of rows in an array."""

    array: Array
    start: int


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


def lane_transform(n: int, dtype: Any) -> _Passes | _Convolution:
    """The transform of rows of length `n`."""
    factors = factors_of(n)
    return _Passes(n, factors.radices, dtype) if factors else _Convolution(n, dtype)


class _Passes:
    """A pass for each radix; every other one writes to the same half of the scratch."""

    def __init__(self, n: int, radices: tuple[int, ...], dtype: Any) -> None:
        self.n, self.width = n, _width(dtype)
        self.scratch_size = 2 * n * self.width
        self.passes: list[tuple[Any, ...]] = []
        groups, stride = n, 1
        for radix in radices:
            groups //= radix
            legs = tuple(self.width * stride * groups * leg for leg in range(radix))
            angles = np.outer(np.arange(groups), np.arange(1, radix)) / (groups * radix)
            twiddles = _numbers(np.exp(-2j * np.pi * angles), dtype) if groups > 1 else None
            self.passes.append((legs, twiddles, groups, stride))
            stride *= radix

    def __call__(self, source: Place, target: Place, scratch: Array, *, back: bool) -> None:
        """Transform a block, not divided by n; source and target may be the same if n is no radix.

        The source may also lie in the second half of the scratch.
        """
        half = self.width // 2
        parts = (half, 0) if back else (0, half)
        for k, (legs, twiddles, groups, stride) in enumerate(self.passes):
            last = k + 1 == len(self.passes)
            to = target if last else Place(scratch, k % 2 * self.n * self.width)
            butterflies(*source, legs, *to, twiddles, groups, stride, self.width, *parts)
            source = to


class _Convolution:
    """Bluestein's way: a product with a chirp, a convolution with another one, and a product."""

    def __init__(self, n: int, dtype: Any) -> None:
        self.n, self.width = n, _width(dtype)
        lengths = {m: factors for m in range(2 * n - 1, 4 * n) if (factors := factors_of(m))}
        length = min(lengths, key=lambda m: m * lengths[m].cost)
        self.passes = _Passes(length, lengths[length].radices, dtype)
        k = np.arange(n, dtype=np.int64)
        chirp = np.exp(-1j * np.pi * (k * k % (2 * n)) / n)
        kernel = np.zeros(length, np.complex128)
        kernel[:n] = chirp.conj()
        kernel[length - n + 1 :] = chirp.conj()[:0:-1]
        self.chirp = _numbers(chirp, dtype)
        self.kernel = _numbers(np.fft.fft(kernel) / length, dtype)
        self.size = length * self.width
        self.scratch_size = self.passes.scratch_size + 2 * self.size

    def __call__(self, source: Place, target: Place, scratch: Array, *, back: bool) -> None:
        """Transform a block, not divided by n."""
        half, width = self.width // 2, self.width
        parts = (half, 0) if back else (0, half)
        first = Place(scratch, self.passes.scratch_size)
        second = Place(scratch, first.start + self.size)
        rotate(*source, *first, self.chirp, self.n, width, *parts)
        scratch[first.start + self.n * width : second.start] = 0
        self.passes(first, second, scratch, back=back)
        rotate(*second, *first, self.kernel, self.passes.n, width, *parts)
        self.passes(first, second, scratch, back=not back)
        rotate(*second, *target, self.chirp, self.n, width, *parts)


def _width(dtype: Any) -> int:
    """Numbers of an entry of all rows of a block: the real parts, and the imaginary ones."""
    return 2 * VECTOR_BYTES // np.dtype(dtype).itemsize


def _numbers(values: Array, dtype: Any) -> Array:
    """Real and imaginary parts in turn."""
    return np.ascontiguousarray(values).view(np.float64).ravel().astype(dtype)
