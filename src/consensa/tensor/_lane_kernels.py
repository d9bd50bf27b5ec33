"""Compiled loops over blocks of rows in lanes: transforms, Gram sums and the multiplication.

`plan` is the `Transform` of the length, and `step` the numbers of a block. A task of a thread is
one call, since Python would let only one thread at a time go from a block to the next.
"""

from __future__ import annotations

from typing import Any

from consensa._machine.compile import compiled, generated
from consensa.tensor._butterflies import run_pass
from consensa.tensor._lanes import Complex, Lanes, Memory

__all__ = ["spectra_and_gram", "transform", "transform_back"]


@compiled()
def transform(
    plan: Any, array: Any, start: int, stop: int, step: int, scratch: Any, back: bool
) -> None:
    """Transform blocks in their place, not divided by n."""
    for block in range(start, stop, step):
        _transform(plan, array, block, array, block, scratch, back)


@compiled()
def spectra_and_gram(
    plan: Any, array: Any, start: int, stop: int, step: int, scratch: Any, sums: Any
) -> None:
    """Transform blocks, and add to `sums` the Gram entries of each column f and n − f, conjugate.

    The sums are (n//2 + 1, 4), flat, and in double precision.
    """
    for block in range(start, stop, step):
        _transform(plan, array, block, array, block, scratch, False)
        for f in range(plan.n // 2 + 1):
            low, high = plan.width * f, plan.width * (plan.n - f if f else 0)
            _add_gram(array, block + low, block + high, sums, 4 * f)


@compiled()
def transform_back(
    plan: Any, spectra: Any, by: Any, target: Any, start: int, stop: int, step: int, scratch: Any
) -> None:
    """Multiply each pair of columns with its 2 × 2 Hermitian matrix, and transform back.

    The matrices are (n//2 + 1, 4), flat, in the precision of the spectra.
    """
    product = plan.n * plan.width
    for block in range(start, stop, step):
        for f in range(plan.n // 2 + 1):
            low, high = plan.width * f, plan.width * (plan.n - f if f else 0)
            _multiply(
                spectra, block + low, block + high, by, 4 * f,
                scratch, product + low, product + high,
            )  # fmt: skip
        _transform(plan, scratch, product, target, block, scratch, True)


@compiled()
def _transform(
    plan: Any, source: Any, start: int, target: Any, begin: int, scratch: Any, back: bool
) -> None:
    """Transform a block; by the passes alone, or with a convolution (Bluestein).

    Source and target may be the same, and the source the second half of the scratch of passes.
    """
    half, width = plan.width // 2, plan.width
    real, imag = (half, 0) if back else (0, half)
    if len(plan.kernel) == 0:
        _passes(plan, source, start, target, begin, scratch, real, imag)
        return
    first = 2 * plan.length * width
    second = first + plan.length * width
    _rotate(source, start, scratch, first, plan.chirp, plan.n, width, real, imag)
    scratch[first + plan.n * width : second] = 0
    _passes(plan, scratch, first, scratch, second, scratch, real, imag)
    _rotate(scratch, second, scratch, first, plan.kernel, plan.length, width, real, imag)
    _passes(plan, scratch, first, scratch, second, scratch, imag, real)
    _rotate(scratch, second, target, begin, plan.chirp, plan.n, width, real, imag)


@compiled()
def _passes(
    plan: Any, source: Any, start: int, target: Any, begin: int, scratch: Any, real: int, imag: int
) -> None:
    """All passes; every other one writes to the same half of the scratch."""
    last = len(plan.passes) - 1
    for k in range(last):
        address, groups, stride, first = plan.passes[k]
        to = k % 2 * plan.length * plan.width
        run_pass(
            address, source, start, scratch, to, plan.twiddles, first,
            groups, stride, plan.width, real, imag,
        )  # fmt: skip
        source, start = scratch, to
    address, groups, stride, first = plan.passes[last]
    run_pass(
        address, source, start, target, begin, plan.twiddles, first,
        groups, stride, plan.width, real, imag,
    )  # fmt: skip


@compiled()
def _rotate(
    source: Any, start: int, target: Any, begin: int, factors: Any, count: int,
    width: int, real: int, imag: int,
) -> None:  # fmt: skip
    """Multiply each entry of all rows with its complex number."""
    for k in range(count):
        _rotated(source, start + width * k, target, begin + width * k, factors, 2 * k, real, imag)


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


@generated
def _add_gram(_: Any, spectrum: Any, low: Any, high: Any, sums: Any, at: Any) -> Any:
    """Add the Gram entries of two columns, the second conjugate, in double precision."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory, totals = (Memory(context, builder, signature.args[k], args[k]) for k in (0, 3))
        _, low, high, _, at = args
        ends = (low, memory.ahead(low), high, memory.ahead(high))
        a, b, c, d = (memory.load(end).in_double() for end in ends)
        entries = (a * a + b * b, c * c + d * d, a * c - b * d, (a * d + b * c) * -1.0)
        totals.add(Lanes.totals(entries), at)
        return context.get_dummy_value()

    return types.void(spectrum, low, high, sums, at), write


@generated
def _multiply(
    _: Any, spectrum: Any, low: Any, high: Any, by: Any, at: Any,
    product: Any, low_to: Any, high_to: Any,
) -> Any:  # fmt: skip
    """Two columns, the second conjugate, times a Hermitian matrix."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory, factors, result = (
            Memory(context, builder, signature.args[k], args[k]) for k in (0, 3, 5)
        )
        _, low, high, _, at, _, low_to, high_to = args
        ends = (low, memory.ahead(low), high, memory.ahead(high))
        a, b, c, d = (memory.load(end) for end in ends)
        p, q, r, s = (memory.spread(factors.number(at, ahead)) for ahead in range(4))
        result.store(a * p + c * r - d * s, low_to)
        result.store(b * p - c * s - d * r, result.ahead(low_to))
        result.store(a * r - b * s + c * q, high_to)
        result.store(d * q - a * s - b * r, result.ahead(high_to))
        return context.get_dummy_value()

    return types.void(spectrum, low, high, by, at, product, low_to, high_to), write
