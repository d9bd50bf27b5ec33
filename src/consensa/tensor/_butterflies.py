"""A pass of the Fourier transform of rows in lanes: many small transforms as straight code.

The instructions take the places of the real and of the imaginary parts; with both swapped, a
transform is the one backwards.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from consensa._machine.compile import EntryPoint, entry_point, generated
from consensa.tensor._lanes import Complex, Memory

__all__ = ["one_pass", "run_pass"]


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
    _: Any, legs: Any, source: Any, at: Any, leg: Any, target: Any, to: Any, step: Any,
    twiddles: Any, first: Any, real: Any, imag: Any,
) -> Any:  # fmt: skip
    """One transform; as many vectors as there are legs, and but for the first times a twiddle."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds, add = signature.args, builder.add
        memory, result = (Memory(context, builder, kinds[k], args[k]) for k in (1, 4))
        _, _, at, leg, _, to, step, _, first, real, imag = args
        values = []
        for _ in range(len(kinds[0])):
            values.append(Complex(memory.load(add(at, real)), memory.load(add(at, imag))))
            at = add(at, leg)
        found = dft(values)
        if kinds[7] != types.none:
            factors = Memory(context, builder, kinds[7], args[7])
            for k in range(1, len(found)):
                parts = [factors.number(first, ahead) for ahead in (2 * k - 2, 2 * k - 1)]
                found[k] = found[k].times(*(memory.spread(part) for part in parts))
        for value in found:
            result.store(value.real, add(to, real))
            result.store(value.imag, add(to, imag))
            to = add(to, step)
        return context.get_dummy_value()

    return types.void(
        legs, source, at, leg, target, to, step, twiddles, first, real, imag
    ), write  # fmt: skip


@functools.cache
def one_pass(radix: int, dtype: str, *, last: bool) -> EntryPoint:
    """A pass of Stockham's algorithm, which leaves the entries in order.

    Each number of legs has a pass of its own, compiled when a length first needs it.
    """
    legs = (0,) * radix  # only their number counts

    def butterflies(
        source: Any, target: Any, twiddles: Any, groups: int, stride: int, width: int,
        real: int, imag: int,
    ) -> None:  # fmt: skip
        for group in range(groups):
            for k in range(stride):
                at, to = width * (k + stride * group), width * (k + stride * radix * group)
                leg, step = width * stride * groups, width * stride
                first = 2 * (radix - 1) * group
                if last:
                    _butterfly(legs, source, at, leg, target, to, step, None, 0, real, imag)
                else:
                    _butterfly(
                        legs, source, at, leg, target, to, step, twiddles, first, real, imag
                    )

    # A file of its own in numba's cache: two processes that add to one file at the same time could
    # exchange their entries.
    butterflies.__qualname__ += f"_{radix}_{dtype}" + "_last" * last
    pointers, numbers = [f"CPointer({dtype})"] * 3, ["intp"] * 5
    return entry_point(f"void({', '.join(pointers + numbers)})")(butterflies)


@generated
def run_pass(
    _: Any, address: Any, source: Any, start: Any, target: Any, begin: Any, twiddles: Any,
    first: Any, groups: Any, stride: Any, width: Any, real: Any, imag: Any,
) -> Any:  # fmt: skip
    """Call the pass at an address."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        pointers = [
            Memory(context, builder, signature.args[k], args[k]).place(args[k + 1])
            for k in (1, 3, 5)
        ]
        given = [*pointers, *args[7:]]
        kind = ir.FunctionType(ir.VoidType(), [value.type for value in given])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), given)
        return context.get_dummy_value()

    return types.void(
        address, source, start, target, begin, twiddles, first, groups, stride, width, real, imag
    ), write
