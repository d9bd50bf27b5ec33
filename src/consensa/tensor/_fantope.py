"""Projection onto the Fantope: symmetric matrices with eigenvalues in [0, 1] and a given trace.

The projection adds a number to all eigenvalues and clips them to [0, 1]. If only a few are
clipped, only these and their eigenvectors are needed, which a Lanczos iteration finds: the others
are shifted by adding the number to the diagonal. If only a few remain above 0, only these are
needed. That no further eigenvalue had to be clipped, or remains, is certified by Cholesky
decompositions. A first iteration has one vector; if it does not suffice, a second has blocks of
them, for eigenvalues that are multiple, as those of clusters of the same size are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array, device, is_on_gpu, namespace, to_library, to_numpy

__all__ = ["capped_simplex", "project_fantope"]

_FEW_FROM = 400  # samples; below, the whole decomposition is quicker
_BLOCKS_FROM = 2000  # the same for the iteration with blocks; on a GPU that is always quicker
_MOST, _MOST_OF_BLOCKS = 12, 128  # eigenvalues clipped at either end
_STEPS = 80  # of the Lanczos iteration
_WIDTH, _BLOCKS = 16, 24  # of the iteration with blocks
_HALVINGS = 60
_ROUNDING = 32  # times the precision of the dtype


def project_fantope(matrix: Any, trace: int) -> Any:
    """Nearest symmetric matrix with eigenvalues in [0, 1] that sum to `trace`."""
    found = _project_by_few(matrix, trace) if matrix.shape[0] >= _FEW_FROM else None
    if found is not None:
        return found
    xp = namespace(matrix)
    values, vectors = xp.linalg.eigh(matrix)
    kept = capped_simplex(to_numpy(values).astype(np.float64), trace)
    first = int(np.argmax(kept > 0))
    vectors = vectors[:, first:]
    return (vectors * _like(kept[first:], vectors)[None, :]) @ xp.matrix_transpose(vectors)


def capped_simplex(values: Array, total: float) -> Array:
    """Nearest vector with entries in [0, 1] and this sum: the values plus one number, clipped.

    The sum of the clipped entries grows with the number by straight lines, whose slope changes
    where an entry leaves 0 or reaches 1.
    """
    if total >= len(values):
        return np.ones_like(values)
    ends = np.concatenate([-values, 1 - values])
    order = np.argsort(ends, kind="stable")
    slopes = np.cumsum(np.where(order < len(values), 1, -1))[:-1]
    ends = ends[order]
    sums = np.concatenate([[0.0], np.cumsum(slopes * np.diff(ends))])
    before = int(np.clip(np.searchsorted(sums, total, side="right") - 1, 0, len(slopes) - 1))
    shift = ends[before] + (total - sums[before]) / max(slopes[before], 1)
    return np.clip(values + shift, 0, 1)


def _project_by_few(matrix: Any, trace: int) -> Any:
    """The projection if few eigenvalues are clipped or few remain, or None."""
    ritz = _outer_eigenpairs(matrix)
    if (found := _with_few_clipped(ritz, matrix, trace, _MOST)) is not None:
        return found
    if matrix.shape[0] < _BLOCKS_FROM and not is_on_gpu(matrix):
        return None
    ritz = _outer_eigenspaces(matrix)
    if (found := _with_few_left(ritz, matrix, trace)) is not None:
        return found
    return _with_few_clipped(ritz, matrix, trace, _MOST_OF_BLOCKS)


def _with_few_clipped(ritz: _Ritz, matrix: Any, trace: int, most: int) -> Any:
    """The projection if at most so many eigenvalues are clipped at either end, or None."""
    xp, n = namespace(matrix), int(matrix.shape[0])
    diagonal = float(xp.sum(xp.linalg.diagonal(matrix), dtype=xp.float64))
    if (clipped := _clipped(ritz, diagonal, trace, n, most)) is None:
        return None
    shift, low, high = clipped
    chosen = np.r_[0:low, len(ritz.values) - high : len(ritz.values)]
    if not np.all(ritz.exact[chosen]):
        return None
    values = ritz.values[chosen] + shift
    vectors = ritz.vectors(chosen)
    change = _like(np.clip(values, 0, 1) - values, vectors)
    projected = matrix + (vectors * change[None, :]) @ xp.matrix_transpose(vectors)
    identity = xp.eye(n, dtype=matrix.dtype, device=device(matrix))
    projected += shift * identity
    allowed = n * ritz.precision
    inside = _is_positive(projected + allowed * identity) and _is_positive(
        (1 + allowed) * identity - projected
    )
    return projected if inside else None


def _with_few_left(ritz: _Ritz, matrix: Any, trace: int) -> Any:
    """The projection if only the largest eigenvalues are above 0, or None."""
    xp, n = namespace(matrix), int(matrix.shape[0])
    known = int(np.argmin(np.append(ritz.exact[::-1], False)))  # the largest ones, without a gap
    if known <= trace:
        return None
    values = ritz.values[len(ritz.values) - known :]
    kept = capped_simplex(values, trace)
    left = int(np.sum(kept > 0))
    inside = (kept > 0) & (kept < 1)
    shift = float((kept - values)[inside][0]) if np.any(inside) else -float(values[-left - 1])
    if left == known or values[0] + shift > 0:
        return None
    vectors = ritz.vectors(np.arange(len(ritz.values) - left, len(ritz.values)))
    # All other eigenvalues are at 0 if none of them is above -shift.
    shifted = _like(values[-left:] + shift, vectors)
    rest = matrix - (vectors * shifted[None, :]) @ xp.matrix_transpose(vectors)
    bound = n * ritz.precision * max(1.0, float(np.abs(values).max())) - shift
    if not _is_positive(bound * xp.eye(n, dtype=matrix.dtype, device=device(matrix)) - rest):
        return None
    return (vectors * _like(kept[-left:], vectors)[None, :]) @ xp.matrix_transpose(vectors)


def _clipped(
    ritz: _Ritz, diagonal: float, trace: int, n: int, most: int
) -> tuple[float, int, int] | None:
    """What is added to the eigenvalues, and how many of them are clipped at 0 and at 1."""
    values = ritz.values
    lower, upper = -values[-1], 1 - values[0]  # all at 0; all at 1
    for _ in range(_HALVINGS):  # the trace grows with the shift
        shift = (lower + upper) / 2
        clipping = np.clip(values + shift, 0, 1) - (values + shift)
        lower, upper = (
            (shift, upper) if diagonal + n * shift + clipping.sum() < trace else (lower, shift)
        )
    rounding = ritz.precision * np.abs(values).max()
    low, high = int(np.sum(values + upper < -rounding)), int(np.sum(values + lower > 1))
    if max(low, high) > most:
        return None
    inside = diagonal - values[:low].sum() - values[len(values) - high :].sum()
    return float((trace - high - inside) / (n - low - high)), low, high


class _Ritz(NamedTuple):
    """Eigenpairs in a Krylov space: those at the ends are eigenpairs of the matrix."""

    values: Array  # ascending
    residuals: Array
    small: Array  # eigenvectors in the basis
    basis: Any

    @property
    def precision(self) -> float:
        return _ROUNDING * float(namespace(self.basis).finfo(self.basis.dtype).eps)

    @property
    def exact(self) -> Array:
        """Which of them are eigenpairs of the matrix, up to rounding."""
        return np.asarray(self.residuals <= self.precision * np.abs(self.values).max())

    def vectors(self, chosen: Array) -> Any:
        return self.basis @ _like(np.ascontiguousarray(self.small[:, chosen]), self.basis)


def _outer_eigenpairs(matrix: Any) -> _Ritz:
    """Lanczos iteration in which every vector is made orthogonal to all before, twice."""
    xp, n = namespace(matrix), int(matrix.shape[0])
    start = np.random.RandomState(0).standard_normal(n)
    vector = _like(start / np.linalg.norm(start), matrix)
    steps = min(_STEPS, n // 2)
    basis = xp.zeros((n, steps), dtype=matrix.dtype, device=device(matrix))
    projected = xp.zeros((steps, steps), dtype=matrix.dtype, device=device(matrix))
    norms = []
    for step in range(steps):  # nothing is read back here: a GPU would wait for it
        basis[:, step] = vector
        image = matrix @ vector
        known = basis[:, : step + 1]
        weights = xp.matrix_transpose(known) @ image
        image = image - known @ weights
        again = xp.matrix_transpose(known) @ image
        image = image - known @ again
        projected[: step + 1, step] = weights + again
        norm = xp.linalg.vector_norm(image)
        norms.append(norm)
        vector = image / xp.where(norm > 0, norm, xp.ones_like(norm))
    sizes = to_numpy(xp.stack(norms)).astype(np.float64)
    complete = np.append(sizes <= float(xp.finfo(matrix.dtype).eps), True)
    steps = min(int(np.argmax(complete)) + 1, steps)  # the space is complete after these
    small = to_numpy(projected).astype(np.float64)[:steps, :steps]
    values, vectors = np.linalg.eigh(small, UPLO="U")
    return _Ritz(values, sizes[steps - 1] * np.abs(vectors[-1]), vectors, basis[:, :steps])


def _outer_eigenspaces(matrix: Any) -> _Ritz:
    """Lanczos iteration with blocks of vectors, which finds multiple eigenvalues too."""
    xp, n = namespace(matrix), int(matrix.shape[0])
    start = np.random.RandomState(0).standard_normal((n, _WIDTH))
    block = xp.linalg.qr(_like(start, matrix))[0]
    basis = block
    while basis.shape[1] < min(_BLOCKS * _WIDTH, n // 3):
        block = matrix @ block
        for _ in range(2):
            block = block - basis @ (xp.matrix_transpose(basis) @ block)
        block = xp.linalg.qr(block)[0]
        basis = xp.concat([basis, block], axis=1)
    # A complete space leaves blocks of rounding errors, which are not orthogonal to the others.
    basis = xp.linalg.qr(basis)[0]
    image = matrix @ basis
    small = to_numpy(xp.matrix_transpose(basis) @ image).astype(np.float64)
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    rotation = _like(vectors, basis)
    errors = image @ rotation - (basis @ rotation) * _like(values, basis)[None, :]
    residuals = to_numpy(xp.linalg.vector_norm(errors, axis=0)).astype(np.float64)
    return _Ritz(values, residuals, vectors, basis)


def _like(values: Array, array: Any) -> Any:
    """A NumPy array in the library, the device and the dtype of another."""
    return namespace(array).astype(to_library(values, like=array), array.dtype, copy=False)


def _is_positive(matrix: Any) -> bool:
    """Whether a symmetric matrix is positive definite."""
    try:
        namespace(matrix).linalg.cholesky(matrix)
    except (np.linalg.LinAlgError, RuntimeError):  # NumPy's error, and that of torch
        return False
    return True
