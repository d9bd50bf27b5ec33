"""Matrices that treat the samples of a microcluster alike, at the size of the microclusters.

Whatever a method makes of the partitions alone, samples that no partition tells apart cannot
be told apart in it: entry (i, j) of an n × n matrix depends only on the microclusters of i and
j, and on whether i = j. Such a matrix is kept as an array of shape (g, g + 1) for g
microclusters: the entries between different samples, and in the last column those on the
diagonal. Entrywise operations are the same on both forms; the others are here. With sizes s
and the n × g membership U of the microclusters, the matrix is U X U' + diag(d).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

__all__ = ["Resolvent", "compress", "entry_counts", "expand", "transpose"]

_Array = np.ndarray[Any, Any]


def compress(between: _Array, diagonal: Any) -> _Array:
    """The short form (g, g + 1) from entries between samples (g, g) and on the diagonal."""
    return np.column_stack([between, np.broadcast_to(diagonal, len(between))])


def expand(matrix: _Array, group_of_sample: _Array) -> _Array:
    """The matrix itself, of shape (n, n)."""
    full = matrix[np.ix_(group_of_sample, group_of_sample)]
    np.fill_diagonal(full, matrix[group_of_sample, -1])
    return full


def transpose(matrix: _Array) -> _Array:
    """The short form of the transposed matrix."""
    return np.column_stack([matrix[:, :-1].T, matrix[:, -1]])


def entry_counts(sizes: _Array) -> _Array:
    """How many entries of the n × n matrix each entry of the short form stands for."""
    counts = np.multiply.outer(sizes, sizes).astype(np.float64)
    counts[np.diag_indices(len(sizes))] -= sizes
    return np.column_stack([counts, sizes])


class Resolvent:
    """(2 L + shift I)⁻¹ for the Laplacian L of a graph, and any shift > 0.

    On vectors that are constant on microclusters, L is the g × g matrix T = diag(r) − √s Y √s,
    r = Y s, for weights Y between samples; on vectors inside one microcluster it is r. So
    with a = 2 r + shift the resolvent is diag(1/a) + U Z U', where
    Z = s^-1/2 ((2 T + shift I)⁻¹ − diag(1/a)) s^-1/2. One eigendecomposition of T serves
    every shift.
    """

    def __init__(self, weights: _Array, sizes: _Array) -> None:
        root = np.sqrt(sizes)
        self.sizes = sizes
        self.root = root
        self.degrees = weights @ sizes
        laplacian = weights * -root[:, None] * root[None, :]
        laplacian[np.diag_indices(len(sizes))] += self.degrees
        self.values, self.vectors = eigh(laplacian, overwrite_a=True)

    def at(self, shift: float) -> tuple[_Array, _Array]:
        """The parts 1/a and Z of the resolvent."""
        inside = 1 / (2 * self.degrees + shift)
        between = (self.vectors / (2 * self.values + shift)) @ self.vectors.T
        between[np.diag_indices(len(inside))] -= inside
        between /= self.root[:, None]
        between /= self.root[None, :]
        return inside, between

    def apply(self, parts: tuple[_Array, _Array], matrix: _Array) -> _Array:
        """The resolvent times a matrix, both in short form."""
        inside, between = parts
        x = matrix[:, :-1]
        own = matrix[:, -1] - np.einsum("ii->i", x)  # d, what the diagonal has more
        product = np.empty_like(matrix)
        product[:, :-1] = between @ (x * self.sizes[:, None])
        product[:, :-1] += x * inside[:, None]
        product[:, :-1] += between * own
        product[:, -1] = np.einsum("ii->i", product[:, :-1]) + inside * own
        return product
