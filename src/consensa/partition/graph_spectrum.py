"""Leading eigenvectors of a sparse graph, by shift and invert."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa.partition._device_solver import solver_on_device
from consensa.partition._lanczos_options import lanczos_options
from consensa.partition.components import component_vectors, components, some_of
from consensa.partition.eigenpairs import eigenpairs

__all__ = ["graph_spectrum", "largest_below_one"]

_SHIFT = 1e-4  # distance of the shift to the largest eigenvalue, which is 1
_TOLERANCE = 1e-4
_TIE = 1e-6  # relative difference up to which entries count as equal
_DENSE_UP_TO = 300


def graph_spectrum(
    graph: sparse.csr_array, count: int, rng: np.random.RandomState, device: Any = None
) -> Array:
    r"""Vectors of the `count` smoothest functions on a graph: (n_vertices, count), constant first.

    With W the weights of the edges and D the diagonal matrix of degrees, the columns are
    :math:`D^{-1/2} V`, where V are the eigenvectors of the largest eigenvalues of
    :math:`D^{-1/2} W D^{-1/2}`.

    Lanczos iteration runs on the inverse of the matrix shifted by a little more than its largest
    eigenvalue, 1. Eigenvalues that lie close to 1, as those of rings and lines do, are far apart
    after the inversion, so that it converges in a few steps; and the graph of near neighbors has
    a sparse factorization. Of a graph with several components the first vectors are constant on
    each, up to a rotation among these vectors. A device of torch inverts the whole matrix
    instead, if it has the memory, which is faster there.
    """
    n = graph.shape[0]
    count = min(count, n)
    scale = 1 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel())
    root = sparse.diags_array(scale)
    matrix = root @ graph @ root
    with one_thread():
        if n <= _DENSE_UP_TO or 3 * count >= n:
            vectors = eigenpairs(matrix.toarray(), n - count, n - 1)[1][:, ::-1]
        else:
            vectors = largest_below_one(matrix, count, rng, root=1 / scale, device=device)
    functions = vectors * scale[:, None]
    # The sign is arbitrary, and may differ between machines: the first of the entries that are the
    # largest but for rounding is positive.
    sizes = np.abs(functions)
    largest = (sizes >= (1 - _TIE) * sizes.max(axis=0)).argmax(axis=0)
    return np.asarray(functions * np.sign(functions[largest, np.arange(count)]))


def largest_below_one(
    matrix: sparse.csr_array,
    count: int,
    rng: np.random.RandomState,
    *,
    root: Array,
    device: Any = None,
) -> Array:
    """Leading eigenvectors of a sparse normalized graph, the largest eigenvalue first.

    `root` is the vector that the matrix leaves as it is, the square roots of the degrees.
    """
    component = components(matrix)
    known = component_vectors(component, root) if component.any() else np.empty((len(root), 0))
    others = count - known.shape[1]
    if others <= 0:
        return some_of(known, count, rng)
    rest = _by_inversion(matrix, others, rng, root, known, device)
    return np.hstack([known, rest])


def _by_inversion(
    matrix: sparse.csr_array,
    count: int,
    rng: np.random.RandomState,
    start: Array,
    known: Array,
    device: Any,
) -> Array:
    """The leading eigenvectors but for those that are known."""
    n = matrix.shape[0]
    shifted = sparse.csc_array((1 + _SHIFT) * sparse.eye_array(n) - matrix)
    solve = None if device is None else solver_on_device(shifted, device)
    if solve is None:
        # Positive definite: no pivots are needed, and the fill stays small.
        solve = splu(
            shifted,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        ).solve

    def invert(vector: Array) -> Array:
        solved = solve(vector)
        return np.asarray(solved - known @ (known.T @ solved)) if known.size else solved

    inverse = LinearOperator((n, n), matvec=invert, dtype=np.float64)
    values, vectors = eigsh(
        inverse,
        k=count,
        which="LA",
        v0=start * rng.uniform(0.5, 1.5, n),
        tol=_TOLERANCE,
        **lanczos_options(rng),
    )
    return np.asarray(vectors[:, np.argsort(-values, kind="stable")])
