"""Short form of n × n matrices whose entries depend only on the microclusters.

The samples of a microcluster are exchangeable: entry (i, j) of an n × n matrix that is computed
from the partitions alone depends only on the microclusters of i and j, and on whether i = j. Such
a matrix is stored as an array of shape (g, g + 1) for g microclusters: the entries between
different samples, and in the last column those on the diagonal. Elementwise operations are the
same on both forms; the others are here. With sizes s and the n × g membership U of the
microclusters, the matrix is U X U' + diag(d).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components

from consensa._array import Array, to_library
from consensa._result import ConsensusResult
from consensa.ensemble import Ensemble
from consensa.partition import linkage_tree

__all__ = [
    "Resolvent",
    "agglomerated",
    "compress",
    "expand",
    "row_chunks",
    "squared_norm",
    "symmetrized",
    "transposed",
]

_CHUNK_BYTES = 2**18  # of the rows in one chunk, which fits in the cache


def compress(between: Array, diagonal: Any) -> Array:
    """The short form (g, g + 1) from entries between samples (g, g) and on the diagonal."""
    return np.column_stack([between, np.broadcast_to(diagonal, len(between))])


def expand(matrix: Array, group_of_sample: Array) -> Array:
    """The full matrix, of shape (n, n)."""
    full = matrix[np.ix_(group_of_sample, group_of_sample)]
    np.fill_diagonal(full, matrix[group_of_sample, -1])
    return full


def agglomerated(
    ensemble: Ensemble, n_clusters: int, matrix: Array, residuals: Array, converged: bool
) -> ConsensusResult:
    """Average linkage of a matrix in short form that a solver found, and how the solver ended."""
    groups = ensemble.microclusters().labels
    affinity = expand(matrix, groups)
    tree = linkage_tree(affinity, method="average", groups=groups)
    return ConsensusResult(
        tree.cut(n_clusters),
        ensemble,
        affinity=to_library(affinity, like=ensemble.labels),
        tree=tree,
        details={"converged": converged, "n_iter": len(residuals), "residuals": residuals},
    )


def row_chunks(n_groups: int) -> Iterator[slice]:
    """Iterate over the rows of a short form in chunks."""
    step = max(1, _CHUNK_BYTES // (8 * (n_groups + 1)))
    for start in range(0, n_groups, step):
        yield slice(start, min(start + step, n_groups))


def transposed(matrix: Array, rows: slice) -> Array:
    """Rows of the short form of the transpose."""
    chunk = matrix[rows].copy()
    chunk[:, :-1] = matrix[:, rows].T
    return chunk


def symmetrized(matrix: Array, rows: slice) -> Array:
    """Rows of the short form of the mean of the matrix and its transpose."""
    chunk = transposed(matrix, rows)
    chunk += matrix[rows]
    chunk /= 2
    return chunk


def squared_norm(chunk: Array, rows: slice, sizes: Array) -> float:
    """Contribution of these rows to the squared Frobenius norm of the n × n matrix."""
    squares = chunk * chunk
    own = sizes[rows]
    # Between the samples of one microcluster there are s (s − 1) entries, not s².
    doubled = squares[np.arange(len(own)), np.arange(rows.start, rows.stop)]
    return float(own @ (squares[:, :-1] @ sizes + squares[:, -1] - doubled))


class _Block(NamedTuple):
    """A connected component of the graph: L on vectors that are constant on microclusters."""

    groups: Array
    values: Array
    vectors: Array  # rows divided by √s


class Resolvent:
    """(2 L + shift I)⁻¹ for the Laplacian L of a graph, and any shift > 0.

    On vectors that are constant on microclusters, L is the g × g matrix T = diag(r) − √s Y √s,
    r = Y s, for weights Y between samples; on vectors inside one microcluster it is r. So
    with a = 2 r + shift the resolvent is diag(1/a) + U Z U', where
    Z = s^-1/2 ((2 T + shift I)⁻¹ − diag(1/a)) s^-1/2. T is block diagonal over the
    connected components of the graph, and so are its inverses: one eigendecomposition of each
    component is used for every shift.
    """

    def __init__(self, weights: Array, sizes: Array) -> None:
        self.sizes = sizes
        self.degrees = weights @ sizes
        n_components, component = connected_components(sparse.csr_array(weights > 0))
        alone = np.bincount(component)[component] == 1
        self.singles = np.flatnonzero(alone)
        by_component = np.argsort(component, kind="stable")
        counts = np.bincount(component, minlength=n_components)
        members = np.split(by_component, np.cumsum(counts)[:-1])
        self.blocks = [self._decompose(weights, inside) for inside in members if len(inside) > 1]

    def _decompose(self, weights: Array, inside: Array) -> _Block:
        root = np.sqrt(self.sizes[inside])
        laplacian = weights[np.ix_(inside, inside)]
        laplacian *= -root[:, None]
        laplacian *= root[None, :]
        laplacian[np.diag_indices(len(inside))] += self.degrees[inside]
        values, vectors = eigh(laplacian.T, overwrite_a=True)
        vectors /= root[:, None]
        return _Block(inside, values, vectors)

    def at(self, shift: float) -> _Inverse:
        """The resolvent for one shift."""
        inside = 1 / (2 * self.degrees + shift)
        mixed = []
        for block in self.blocks:
            z = (block.vectors / (2 * block.values + shift)) @ block.vectors.T
            z *= self.sizes[block.groups]  # diag(1/a) + Z s
            mixed.append((block.groups, z))
        return _Inverse(self.sizes, inside, mixed, self.singles, 1 / shift)


class _Inverse(NamedTuple):
    sizes: Array
    inside: Array  # 1/a
    mixed: list[tuple[Array, Array]]  # microclusters and diag(1/a) + Z s of each component
    singles: Array  # microclusters without links: T is 0 there
    single: float  # 1/a + Z s of these

    def apply(self, matrix: Array, out: Array) -> None:
        """Write the resolvent times `matrix` into `out`, both in short form."""
        own = matrix[:, -1] - np.einsum("ii->i", matrix[:, :-1])  # d, the excess of the diagonal
        for groups, mix in self.mixed:
            product = mix @ matrix[groups]
            product[:, groups] += mix * (own / self.sizes)[groups]
            out[groups] = product
        for group in self.singles:
            np.multiply(matrix[group], self.single, out=out[group])
            out[group, group] += self.single * own[group] / self.sizes[group]
        # So far 1/a is added to Z s where d is mixed; it belongs only to the diagonal.
        diagonal = np.einsum("ii->i", out[:, :-1])
        diagonal -= self.inside * own / self.sizes
        out[:, -1] = diagonal + self.inside * own
