"""Compiled loops over a block of rows in lanes: transforms, Gram sums and the multiplication.

The discrete Fourier transform of a small length is written as straight code on vectors, and a pass
of the transform of a long one does many of them. The instructions take the places of the real and
of the imaginary parts; with both swapped, a transform is the one backwards.
"""

from __future__ import annotations

import math
from typing import Any

from consensa._machine.compile import compiled, generated
from consensa.tensor._lanes import Complex, Lanes, Memory

__all__ = ["add_gram", "butterflies", "multiply", "rotate"]


def dft(values: list[Complex]) -> list[Complex]:
    """Code of the transform of a few vectors; of a product of factors, by one factor at a time."""
    length = len(values)
    if length == 1:
        return values
    factor = next(factor for factor in (4, *range(2, length + 1)) if length % factor == 0)
    if factor == length:
        return _dft_2(*values) if length == 2 else _dft_4(*values) if length == 4 else _odd(values)
    others = length // factor
    columns = [dft(values[j::others]) for j in range(others)]
    found = values.copy()
    for k in range(factor):
        turned = [_turned(column[k], j * k, length) for j, column in enumerate(columns)]
        found[k::factor] = dft(turned)
    return found


def _turned(value: Complex, angle: int, circle: int) -> Complex:
    """The value times exp(−2πi · angle/circle)."""
    if angle == 0:
        return value
    radians = 2 * math.pi * angle / circle
    return value.times(math.cos(radians), -math.sin(radians))


def _dft_2(first: Complex, second: Complex) -> list[Complex]:
    return [first + second, first - second]


def _dft_4(a: Complex, b: Complex, c: Complex, d: Complex) -> list[Complex]:
    even, odd = _dft_2(a, c), _dft_2(b, d)
    plus = Complex(even[1].real + odd[1].imag, even[1].imag - odd[1].real)
    minus = Complex(even[1].real - odd[1].imag, even[1].imag + odd[1].real)
    return [even[0] + odd[0], plus, even[0] - odd[0], minus]


def _odd(values: list[Complex]) -> list[Complex]:
    """The transform of an odd length: entries j and −j share cosines and sines."""
    length, half = len(values), len(values) // 2
    sums = [values[j] + values[-j] for j in range(1, half + 1)]
    differences = [values[j] - values[-j] for j in range(1, half + 1)]
    found = values.copy()
    for value in sums:
        found[0] = found[0] + value
    for k in range(1, half + 1):
        angles = [2 * math.pi * (j * k % length) / length for j in range(1, half + 1)]
        cosines, sines = values[0], differences[0].times_real(math.sin(angles[0]))
        for angle, value in zip(angles, sums, strict=True):
            cosines = cosines + value.times_real(math.cos(angle))
        for angle, value in zip(angles[1:], differences[1:], strict=True):
            sines = sines + value.times_real(math.sin(angle))
        found[k] = Complex(cosines.real + sines.imag, cosines.imag - sines.real)
        found[-k] = Complex(cosines.real - sines.imag, cosines.imag + sines.real)
    return found


@generated
def _butterfly(
    _: Any, source: Any, at: Any, legs: Any, target: Any, to: Any, step: Any,
    twiddles: Any, first: Any, real: Any, imag: Any,
) -> Any:  # fmt: skip
    """One transform; as many vectors as there are legs, and but for the first times a twiddle."""
    from numba import types
    from numba.core.cgutils import unpack_tuple

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds, add = signature.args, builder.add
        memory, result = (Memory(context, builder, kinds[k], args[k]) for k in (0, 3))
        _, at, legs, _, to, step, _, first, real, imag = args
        places = [add(at, leg) for leg in unpack_tuple(builder, legs)]
        found = dft(
            [Complex(memory.load(add(k, real)), memory.load(add(k, imag))) for k in places]
        )
        if kinds[6] != types.none:
            factors = Memory(context, builder, kinds[6], args[6])
            for k in range(1, len(found)):
                parts = [factors.number(first, ahead) for ahead in (2 * k - 2, 2 * k - 1)]
                found[k] = found[k].times(*(memory.spread(part) for part in parts))
        for value in found:
            result.store(value.real, add(to, real))
            result.store(value.imag, add(to, imag))
            to = add(to, step)
        return context.get_dummy_value()

    return types.void(source, at, legs, target, to, step, twiddles, first, real, imag), write


@compiled()
def butterflies(
    source: Any, start: int, legs: Any, target: Any, begin: int, twiddles: Any,
    groups: int, stride: int, width: int, real: int, imag: int,
) -> None:  # fmt: skip
    """A pass of Stockham's algorithm, which leaves the entries in order; a leg for each input.

    numba compiles a version for each number of legs. `width` numbers are an entry of all rows.
    """
    radix = len(legs)
    for group in range(groups):
        for k in range(stride):
            _butterfly(
                source, start + width * (k + stride * group), legs,
                target, begin + width * (k + stride * radix * group), width * stride,
                twiddles, 2 * (radix - 1) * group, real, imag,
            )  # fmt: skip


@generated
def _rotated(
    _: Any, source: Any, at: Any, target: Any, to: Any, factors: Any, first: Any,
    real: Any, imag: Any,
) -> Any:  # fmt: skip
    """The product of an entry with a complex number."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory, result, numbers = (
            Memory(context, builder, signature.args[k], args[k]) for k in (0, 2, 4)
        )
        _, at, _, to, _, first, real, imag = args
        value = Complex(*(memory.load(builder.add(at, part)) for part in (real, imag)))
        value = value.times(*(memory.spread(numbers.number(first, k)) for k in (0, 1)))
        result.store(value.real, builder.add(to, real))
        result.store(value.imag, builder.add(to, imag))
        return context.get_dummy_value()

    return types.void(source, at, target, to, factors, first, real, imag), write


@compiled()
def rotate(
    source: Any, start: int, target: Any, begin: int, factors: Any, count: int,
    width: int, real: int, imag: int,
) -> None:  # fmt: skip
    """Multiply each entry of all rows with its complex number."""
    for k in range(count):
        _rotated(source, start + width * k, target, begin + width * k, factors, 2 * k, real, imag)


@generated
def _gram(_: Any, spectrum: Any, low: Any, high: Any, sums: Any, at: Any, step: Any) -> Any:
    """Add the Gram entries of two columns, the second conjugate, in double precision."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory, totals = (Memory(context, builder, signature.args[k], args[k]) for k in (0, 3))
        _, low, high, _, at, step = args
        ends = (low, memory.ahead(low), high, memory.ahead(high))
        a, b, c, d = (memory.load(end).in_double() for end in ends)
        for part in (a * a + b * b, c * c + d * d, a * c - b * d, (a * d + b * c) * -1.0):
            totals.add(part.total(), at)
            at = builder.add(at, step)
        return context.get_dummy_value()

    return types.void(spectrum, low, high, sums, at, step), write


@compiled()
def add_gram(spectrum: Any, start: int, n: int, width: int, sums: Any) -> None:
    """Add to `sums` the Gram entries of the columns f and n − f, this conjugate, of a block.

    The sums are (4, n//2 + 1), flat, and in double precision.
    """
    count = n // 2 + 1
    for f in range(count):
        partner = n - f if f else 0
        _gram(spectrum, start + width * f, start + width * partner, sums, f, count)


@generated
def _product(
    _: Any, spectrum: Any, low: Any, high: Any, by: Any, at: Any, step: Any,
    product: Any, low_to: Any, high_to: Any,
) -> Any:  # fmt: skip
    """Two columns, the second conjugate, times a Hermitian matrix."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory, factors, result = (
            Memory(context, builder, signature.args[k], args[k]) for k in (0, 3, 6)
        )
        _, low, high, _, at, step, _, low_to, high_to = args
        ends = (low, memory.ahead(low), high, memory.ahead(high))
        a, b, c, d = (memory.load(end) for end in ends)
        p, q, r, s = _spread_in_steps(memory, factors, at, step)
        result.store(a * p + c * r - d * s, low_to)
        result.store(b * p - c * s - d * r, result.ahead(low_to))
        result.store(a * r - b * s + c * q, high_to)
        result.store(d * q - a * s - b * r, result.ahead(high_to))
        return context.get_dummy_value()

    return types.void(spectrum, low, high, by, at, step, product, low_to, high_to), write


def _spread_in_steps(memory: Memory, factors: Memory, at: Any, step: Any) -> list[Lanes]:
    found = []
    for _ in range(4):
        found.append(memory.spread(factors.number(at)))
        at = memory.builder.add(at, step)
    return found


@compiled()
def multiply(
    spectrum: Any, start: int, n: int, width: int, by: Any, product: Any, begin: int
) -> None:
    """Multiply each pair of columns of a block with its 2 × 2 Hermitian matrix.

    The multipliers are (4, n//2 + 1), flat, in the precision of the spectrum.
    """
    count = n // 2 + 1
    for f in range(count):
        low, high = width * f, width * (n - f if f else 0)
        _product(
            spectrum, start + low, start + high, by, f, count, product, begin + low, begin + high
        )
