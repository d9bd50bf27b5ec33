"""Complex Fourier transforms along rows, one thread each: MKL's if mkl_fft is there, or SciPy's.

`docs/performance.md` has them side by side.
"""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import scipy.fft
from threadpoolctl import ThreadpoolController

from consensa._array import Array

__all__ = ["MKLTransform", "RowTransform", "SciPyTransform", "row_transform"]


class SciPyTransform:
    """The transforms of scipy.fft; called from many threads at a time."""

    def forward(self, block: Array) -> None:
        """Overwrite each row by its spectrum."""
        _put(scipy.fft.fft(block, axis=1, overwrite_x=True), block)

    def backward(self, block: Array) -> None:
        """Overwrite each spectrum by its row."""
        _put(scipy.fft.ifft(block, axis=1, overwrite_x=True), block)

    def alone(self) -> AbstractContextManager[Any]:
        """Within, a transform starts no threads of its own."""
        return nullcontext()


class MKLTransform:
    """The transforms of Intel's MKL."""

    def __init__(self) -> None:
        self.mkl_fft = importlib.import_module("mkl_fft")
        self.threads = ThreadpoolController().select(internal_api="mkl")

    def forward(self, block: Array) -> None:
        """Overwrite each row by its spectrum."""
        self.mkl_fft.fft(block, axis=1, out=block)

    def backward(self, block: Array) -> None:
        """Overwrite each spectrum by its row."""
        self.mkl_fft.ifft(block, axis=1, out=block)

    def alone(self) -> AbstractContextManager[Any]:
        """Within, a transform starts no threads of its own."""
        return self.threads.limit(limits=1)


def _put(result: Array, block: Array) -> None:
    """SciPy may overwrite its input, and as a rule does."""
    if not np.may_share_memory(result, block):
        block[...] = result


RowTransform = SciPyTransform | MKLTransform


def row_transform() -> RowTransform:
    """The quickest one that is installed."""
    try:
        return MKLTransform()
    except ImportError:
        return SciPyTransform()
