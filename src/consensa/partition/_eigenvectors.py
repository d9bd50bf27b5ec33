"""Leading eigenvectors of a normalized graph, all at once or by Lanczos iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from consensa._array import Array
from consensa._machine.memory import require_square
from consensa._machine.threads import one_thread
from consensa._random import random_source
from consensa.partition._lanczos_options import lanczos_options
from consensa.partition.components import component_vectors, components, some_of
from consensa.partition.eigenpairs import eigenpairs
from consensa.partition.graph_spectrum import largest_below_one

__all__ = ["leading_eigenvectors"]

_DENSE_BELOW = 600  # up to this order, all eigenvectors at once are faster than Lanczos
_RESTARTS = 300  # of Lanczos iteration; thousands where eigenvalues are almost equal


def leading_eigenvectors(
    matrix: Any,
    count: int,
    *,
    root: Array,
    component: Array | None = None,
    formed: Callable[[], sparse.csr_array] | None = None,
    random_state: Any = None,
) -> Array:
    """Eigenvectors of the `count` largest eigenvalues, the largest first; at most all of them.

    `matrix` is a normalized graph, symmetric: an array, a sparse array, or an operator that is
    multiplied by vectors. `root` is the vector that it leaves as it is: the square roots of the
    degrees. Of an operator, `component` is the connected component of each node, and `formed`
    gives the entries as a sparse array, if a Lanczos iteration does not converge.
    """
    order = matrix.shape[0]
    rng = random_source(random_state)
    if component is None and not isinstance(matrix, LinearOperator):
        component = components(matrix, least=np.finfo(matrix.dtype).eps)
    known = np.empty((order, 0))
    if component is not None and component.any():
        known = component_vectors(component, root)
    others = min(count, order) - known.shape[1]
    if others <= 0:
        return some_of(known, count, rng)
    if isinstance(matrix, np.ndarray) and (order <= _DENSE_BELOW or 2 * count + 1 >= order):
        rest = matrix - 2 * (known @ known.T) if known.size else matrix
        with one_thread():  # small: two threads of BLAS wait for each other longer than they work
            _, vectors = eigenpairs(rest, order - others, order - 1)
        return np.hstack([known, vectors[:, ::-1]])
    try:
        rest = _lanczos(_without(matrix, known) if known.size else matrix, others, rng)
    except ArpackError:
        # The eigenvalues are too close to each other, as those of long rings and lines are, or
        # the matrix is 0.
        return _at_once(matrix, count, root, formed, rng)
    return np.hstack([known, rest])


def _lanczos(matrix: Any, count: int, rng: np.random.RandomState) -> Array:
    start = rng.uniform(-1, 1, matrix.shape[0]).astype(matrix.dtype)
    options = lanczos_options(rng)
    vectors = eigsh(matrix, k=count, which="LA", v0=start, maxiter=_RESTARTS, **options)[1]
    return np.asarray(vectors[:, ::-1])


def _without(matrix: Any, known: Array) -> LinearOperator:
    """The matrix with −1 as the eigenvalue of known vectors, of which it was 1; none is less."""
    known = known.astype(matrix.dtype, copy=False)

    def multiply(vector: Array) -> Array:
        vector = vector.ravel()
        return np.asarray(matrix @ vector - 2 * (known @ (known.T @ vector)))

    return LinearOperator(matrix.shape, matvec=multiply, dtype=matrix.dtype)


def _at_once(
    matrix: Any,
    count: int,
    root: Array,
    formed: Callable[[], sparse.csr_array] | None,
    rng: np.random.RandomState,
) -> Array:
    """The leading eigenvectors without a Lanczos iteration on the matrix itself.

    Eigenvalues close to 1 are far apart after inversion, if the matrix is sparse.
    """
    if sparse.issparse(matrix) or formed is not None:
        graph = sparse.csr_array(matrix if formed is None else formed())
        return largest_below_one(graph, count, rng, root=root)
    order = matrix.shape[0]
    if not isinstance(matrix, np.ndarray):
        step = "An eigendecomposition, after a Lanczos iteration that did not converge,"
        require_square(order, np.float64, arrays=4, step=step, of="rows")
        matrix = matrix @ np.eye(order)
    with one_thread():
        vectors = eigenpairs(matrix, order - count, order - 1)[1]
    return np.ascontiguousarray(vectors[:, ::-1])
