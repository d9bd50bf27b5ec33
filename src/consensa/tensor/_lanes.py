"""Vectors of rows: the arithmetic in which the transforms of the fused engine are written.

A vector of 64 bytes holds one entry of several rows, 8 in double precision and 16 in single, a
*lane* each. What is done to the rows of a matrix in lanes needs no instruction that moves data
between lanes, whatever the length of the rows and its factors. Processors with shorter vectors do
the same in several steps.

A matrix of complex numbers lies in *blocks* of as many rows as there are lanes: [block, column,
real or imaginary part, lane], so that a vector is contiguous. numba turns a loop into vector
instructions only if it can prove that no two of its arrays overlap; where it cannot, they are
written here. numba's cache does not detect changes of this file: clear it after a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.compile import generated

__all__ = ["VECTOR_BYTES", "Complex", "Lanes", "Memory", "aligned_zeros", "move", "turn"]

VECTOR_BYTES = 64
_FLAGS = ("contract", "nsz")  # a product and a sum may be one instruction


def aligned_zeros(size: int, dtype: Any) -> Array:
    """Zeros, the first of them where a vector may begin."""
    spare = VECTOR_BYTES // np.dtype(dtype).itemsize
    zeros = np.zeros(size + spare, dtype)
    first = -zeros.ctypes.data % VECTOR_BYTES // zeros.itemsize
    return zeros[first : first + size]


class Lanes:
    """A vector in the code that is being written."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def __add__(self, other: Lanes) -> Lanes:
        return Lanes(self.builder, self.builder.fadd(self.value, other.value, flags=_FLAGS))

    def __sub__(self, other: Lanes) -> Lanes:
        return Lanes(self.builder, self.builder.fsub(self.value, other.value, flags=_FLAGS))

    def __mul__(self, by: Lanes | float) -> Lanes:
        kind = self.value.type
        factor = by.value if isinstance(by, Lanes) else kind([by] * kind.count)
        return Lanes(self.builder, self.builder.fmul(self.value, factor, flags=_FLAGS))

    def mixed(self, other: Lanes, order: list[int]) -> Lanes:
        """Lanes of this vector, and of the other one from the number of lanes on."""
        from llvmlite import ir

        mask = ir.VectorType(ir.IntType(32), len(order))(order)
        return Lanes(self.builder, self.builder.shuffle_vector(self.value, other.value, mask))

    def in_double(self) -> Lanes:
        """The same numbers in double precision."""
        from llvmlite import ir

        wide = ir.VectorType(ir.DoubleType(), self.value.type.count)
        if self.value.type == wide:
            return self
        return Lanes(self.builder, self.builder.fpext(self.value, wide))

    @staticmethod
    def totals(vectors: Sequence[Lanes]) -> Lanes:
        """The sums of all lanes of each vector, whose number is a power of two.

        One half of what is left of each vector is added to the other again and again.
        """
        run = vectors[0].value.type.count  # lanes that are left of each
        while run > 1:
            run //= 2
            pairs = zip(vectors[::2], vectors[1::2] or vectors, strict=True)
            lanes = range(vectors[0].value.type.count * min(len(vectors), 2))
            low = [k for k in lanes if k // run % 2 == 0]
            high = [k for k in lanes if k // run % 2]
            vectors = [a.mixed(b, low) + a.mixed(b, high) for a, b in pairs]
        return vectors[0]


class Complex:
    """A vector of complex numbers."""

    def __init__(self, real: Lanes, imag: Lanes) -> None:
        self.real, self.imag = real, imag

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.real + other.real, self.imag + other.imag)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.real - other.real, self.imag - other.imag)

    def times_real(self, by: float) -> Complex:
        """The product with a real number."""
        return Complex(self.real * by, self.imag * by)

    def times(self, real: Lanes | float, imag: Lanes | float) -> Complex:
        """The product with a complex number."""
        return Complex(self.real * real - self.imag * imag, self.imag * real + self.real * imag)


class Memory:
    """An array or a pointer that is an argument of an instruction, as vectors."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        from llvmlite import ir
        from numba import types

        self.builder = builder
        is_pointer = isinstance(kind, types.CPointer)
        self.data = value if is_pointer else context.make_array(kind)(context, builder, value).data
        self.itemsize = kind.dtype.bitwidth // 8
        self.lanes = VECTOR_BYTES // self.itemsize
        self.vector = ir.VectorType(context.get_value_type(kind.dtype), self.lanes)

    def load(self, at: Any) -> Lanes:
        """The vector that begins there."""
        value = self.builder.load(self._vector_at(at))
        value.align = self.itemsize
        return Lanes(self.builder, value)

    def store(self, lanes: Lanes, at: Any) -> None:
        """Write a vector there."""
        self.builder.store(lanes.value, self._vector_at(at)).align = self.itemsize

    def number(self, at: Any, ahead: int = 0) -> Any:
        """The number there, or so many ahead."""
        return self.builder.load(self.place(self.builder.add(at, at.type(ahead))))

    def add(self, lanes: Lanes, at: Any) -> None:
        """Add to the numbers there."""
        place = self.builder.bitcast(self.place(at), lanes.value.type.as_pointer())
        before = self.builder.load(place)
        before.align = self.itemsize
        sum_of_both = Lanes(self.builder, before) + lanes
        self.builder.store(sum_of_both.value, place).align = self.itemsize

    def ahead(self, at: Any) -> Any:
        """The place of the next vector."""
        return self.builder.add(at, at.type(self.lanes))

    def spread(self, number: Any) -> Lanes:
        """A vector of one number."""
        from llvmlite import ir

        none = self.vector(ir.Undefined)
        first = self.builder.insert_element(none, number, ir.IntType(32)(0))
        return Lanes(self.builder, first).mixed(Lanes(self.builder, none), [0] * self.lanes)

    def place(self, at: Any) -> Any:
        """Pointer to the number there."""
        return self.builder.gep(self.data, [at])

    def _vector_at(self, at: Any) -> Any:
        return self.builder.bitcast(self.place(at), self.vector.as_pointer())


@generated
def move(_: Any, source: Any, at: Any, target: Any, to: Any) -> Any:
    """Copy the vector at index `at` of `source` to index `to` of `target`."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory = [Memory(context, builder, signature.args[k], args[k]) for k in (0, 2)]
        memory[1].store(memory[0].load(args[1]), args[3])
        return context.get_dummy_value()

    return types.void(source, at, target, to), write


@generated
def turn(_: Any, source: Any, at: Any, step: Any, target: Any, to: Any, step_to: Any) -> Any:
    """Transpose the square of vectors that begins at `at`, `step` apart."""
    from numba import types

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory = [Memory(context, builder, signature.args[k], args[k]) for k in (0, 3)]
        rows, index = [], args[1]
        for _ in range(memory[0].lanes):
            rows.append(memory[0].load(index))
            index = builder.add(index, args[2])
        index = args[4]
        for row in _transposed(rows):
            memory[1].store(row, index)
            index = builder.add(index, args[5])
        return context.get_dummy_value()

    return types.void(source, at, step, target, to, step_to), write


def _transposed(rows: list[Lanes]) -> list[Lanes]:
    """Swap squares of 1, 2, 4, … lanes across the diagonal."""
    side, width = len(rows), 1
    while width < side:
        low = [k if not k & width else k - width + side for k in range(side)]
        high = [k + width if not k & width else k + side for k in range(side)]
        swapped = list(rows)
        for k in range(side):
            if not k & width:
                swapped[k] = rows[k].mixed(rows[k + width], low)
                swapped[k + width] = rows[k].mixed(rows[k + width], high)
        rows, width = swapped, 2 * width
    return rows
