"""Projection onto the Fantope: symmetric matrices with eigenvalues in [0, 1] and a given trace.

The projection adds a number to all eigenvalues and clips them to [0, 1]. If only a few are
clipped, only these and their eigenvectors are needed, which a Lanczos iteration finds: the others
are shifted by adding the number to the diagonal. That the result is in the Fantope, so that no
further eigenvalue had to be clipped, is certified by two Cholesky decompositions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array, device, namespace, to_library, to_numpy

__all__ = ["capped_simplex", "project_fantope"]

_FEW_FROM = 400  # samples; below, the whole decomposition is quicker
_MOST = 12  # eigenvalues clipped at either end
_STEPS = 80  # of the Lanczos iteration
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
    """The projection if a few eigenvalues are clipped, or None."""
    xp, n = namespace(matrix), int(matrix.shape[0])
    ritz = _outer_eigenpairs(matrix)
    diagonal = float(xp.sum(xp.linalg.diagonal(matrix), dtype=xp.float64))
    if (clipped := _clipped(ritz.values, diagonal, trace, n)) is None:
        return None
    shift, low, high = clipped
    chosen = np.r_[0:low, len(ritz.values) - high : len(ritz.values)]
    precision = _ROUNDING * float(xp.finfo(matrix.dtype).eps)
    if np.any(ritz.residuals[chosen] > precision * np.abs(ritz.values).max()):
        return None
    values = ritz.values[chosen] + shift
    vectors = ritz.vectors(chosen)
    change = _like(np.clip(values, 0, 1) - values, vectors)
    projected = matrix + (vectors * change[None, :]) @ xp.matrix_transpose(vectors)
    identity = xp.eye(n, dtype=matrix.dtype, device=device(matrix))
    projected += shift * identity
    allowed = n * precision
    inside = _is_positive(projected + allowed * identity) and _is_positive(
        (1 + allowed) * identity - projected
    )
    return projected if inside else None


def _clipped(values: Array, diagonal: float, trace: int, n: int) -> tuple[float, int, int] | None:
    """What is added to the eigenvalues, and how many of them are clipped at 0 and at 1."""
    lower, upper = -values[-1], 1 - values[0]  # all at 0; all at 1
    for _ in range(_HALVINGS):  # the trace grows with the shift
        shift = (lower + upper) / 2
        clipping = np.clip(values + shift, 0, 1) - (values + shift)
        lower, upper = (
            (shift, upper) if diagonal + n * shift + clipping.sum() < trace else (lower, shift)
        )
    low, high = int(np.sum(values + upper < 0)), int(np.sum(values + lower > 1))
    if max(low, high) > _MOST:
        return None
    inside = diagonal - values[:low].sum() - values[len(values) - high :].sum()
    return float((trace - high - inside) / (n - low - high)), low, high


class _Ritz(NamedTuple):
    """Eigenpairs in a Krylov space: those at the ends are eigenpairs of the matrix."""

    values: Array  # ascending
    residuals: Array
    small: Array  # eigenvectors in the basis
    basis: Any

    def vectors(self, chosen: Array) -> Any:
        return self.basis @ _like(np.ascontiguousarray(self.small[:, chosen]), self.basis)


def _outer_eigenpairs(matrix: Any) -> _Ritz:
    """Lanczos iteration in which every vector is made orthogonal to all before, twice."""
    xp, n = namespace(matrix), int(matrix.shape[0])
    start = np.random.RandomState(0).standard_normal(n)
    vector = _like(start / np.linalg.norm(start), matrix)
    steps = min(_STEPS, n // 2)
    basis = xp.zeros((n, steps), dtype=matrix.dtype, device=device(matrix))
    projected = np.zeros((steps, steps))
    norm = 0.0
    for step in range(steps):
        basis[:, step] = vector
        image = matrix @ vector
        known = basis[:, : step + 1]
        weights = xp.matrix_transpose(known) @ image
        image = image - known @ weights
        again = xp.matrix_transpose(known) @ image
        image = image - known @ again
        projected[: step + 1, step] = to_numpy(weights + again)
        norm = float(xp.linalg.vector_norm(image))
        if norm <= float(xp.finfo(matrix.dtype).eps):  # the space is complete
            basis, projected = known, projected[: step + 1, : step + 1]
            break
        vector = image / norm
    values, small = np.linalg.eigh(projected, UPLO="U")
    return _Ritz(values, norm * np.abs(small[-1]), small, basis)


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
