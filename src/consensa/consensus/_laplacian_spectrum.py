"""The bottom of the spectrum of the Laplacian of a graph, which SPCE and TRCE learn."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, eigsh

from consensa._array import Array
from consensa.partition.components import components
from consensa.partition.eigenpairs import eigenpairs

__all__ = ["Spectrum", "bottom_of_spectrum"]

_DENSE_BELOW = 1000  # below this order, a full eigendecomposition is faster than shift-invert


class Spectrum(NamedTuple):
    """The bottom of the spectrum of the graph's Laplacian."""

    embedding: Array  # F: one row for each microcluster, the part that its samples share
    spread: Array  # squared length of the part of F in which the samples of a microcluster differ
    tail: float  # sum of the K smallest eigenvalues
    component: Array


def bottom_of_spectrum(
    graph: Array, sizes: Array, n_clusters: int, *, alike: bool = False
) -> Spectrum:
    """The K smallest eigenvectors of the Laplacian of the samples.

    With `alike`, of those in which the samples of each microcluster have the same entry.

    The Laplacian is block diagonal over the connected components. Each has one eigenvalue 0, with
    a constant eigenvector: these are set, not computed, so that their number does not depend on
    rounding. The others are computed for each component.
    """
    component = components(graph)
    n_components = int(component.max()) + 1
    zeros = np.zeros(len(graph))
    if n_components > n_clusters:  # too many: this embedding is not used
        return Spectrum(zeros[:, None], zeros, 0.0, component)
    members = [np.flatnonzero(component == c) for c in range(n_components)]
    constant = np.zeros((len(graph), n_components))
    for c, inside in enumerate(members):
        constant[inside, c] = 1 / math.sqrt(sizes[inside].sum())
    lacking = n_clusters - n_components
    if lacking == 0:
        return Spectrum(constant, zeros, 0.0, component)
    parts = [_smallest_nonzero(graph, inside, sizes, lacking) for inside in members]
    values = np.concatenate([part[0] for part in parts])
    vectors = np.hstack([part[1] for part in parts])
    apart = np.ones_like(sizes) if alike else sizes
    kept, of_group, tail = _choose(values, graph @ sizes, apart, lacking)
    return Spectrum(np.hstack([constant, vectors[:, kept]]), of_group / sizes, tail, component)


def _choose(values: Array, degrees: Array, sizes: Array, count: int) -> tuple[Array, Array, float]:
    """Select the smallest eigenvalues: shared ones, and their number for each microcluster.

    In addition to the eigenvectors that are constant on microclusters, the Laplacian of the
    samples has, for each microcluster of size s, s − 1 eigenvectors with the degree as eigenvalue,
    in which its samples differ. They lengthen the rows of F of these samples, equally if all of
    them are among the smallest, and on average if only some are (which ones is not determined).
    """
    everything = np.concatenate([values, degrees])
    copies = np.concatenate([np.ones(len(values)), sizes - 1.0])
    order = np.argsort(everything, kind="stable")
    before = np.cumsum(copies[order]) - copies[order]
    taken = np.empty_like(copies)
    taken[order] = np.clip(count - before, 0, copies[order])
    of_group = taken[len(values) :]
    if of_group.any():  # microclusters of equal degrees are treated equally
        last = degrees[of_group > 0].max()
        tied = np.abs(degrees - last) <= 1e-9 * last
        of_group[tied] = of_group[tied].sum() * (sizes[tied] - 1) / (sizes[tied] - 1).sum()
    kept = np.flatnonzero(taken[: len(values)])
    return kept, of_group, float(taken @ everything)


def _smallest_nonzero(
    graph: Array, inside: Array, sizes: Array, count: int
) -> tuple[Array, Array]:
    """Smallest positive eigenvalues of one component, and rows of their vectors.

    On vectors that are constant on microclusters, the Laplacian of the samples is
    diag(S s) − √s S √s, with s the sizes.
    """
    order = len(inside)
    count = min(count, order - 1)
    rows = np.zeros((len(graph), count))
    if count == 0:
        return np.empty(0), rows
    root = np.sqrt(sizes[inside])
    laplacian = graph[np.ix_(inside, inside)]
    degrees = laplacian @ sizes[inside]
    laplacian *= -root[:, None]
    laplacian *= root[None, :]
    laplacian[np.diag_indices(order)] += degrees
    laplacian = laplacian.T  # symmetric, and now in the order that LAPACK overwrites
    if order <= _DENSE_BELOW or 3 * count > order:
        values, vectors = eigenpairs(laplacian, 1, count, overwrite=True)
    else:
        values, vectors = _by_inversion(laplacian, root, count)
    rows[inside] = vectors / root[:, None]
    return values, rows


def _by_inversion(laplacian: Array, root: Array, count: int) -> tuple[Array, Array]:
    """The same by Lanczos iterations with the inverse, from one Cholesky factor."""
    order = len(laplacian)
    constant = root / np.linalg.norm(root)  # the eigenvector of 0, which is excluded
    shift = 1e-3 * float(np.trace(laplacian)) / order
    laplacian[np.diag_indices(order)] += shift
    factor = cho_factor(laplacian, overwrite_a=True, check_finite=False)

    def invert(vector: Array) -> Array:
        solved = cho_solve(factor, vector - constant * (constant @ vector), check_finite=False)
        return solved - constant * (constant @ solved)

    start = np.cos(np.arange(order))  # any fixed vector
    inverse = LinearOperator((order, order), matvec=invert, dtype=np.float64)
    largest, vectors = eigsh(inverse, k=count, which="LA", v0=start)
    ascending = np.argsort(-largest)
    return 1 / largest[ascending] - shift, vectors[:, ascending]
