"""Mixtures of Gaussian distributions on a device, by expectation and maximization."""

from __future__ import annotations

import math
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array, tensors_on, to_numpy
from consensa.generation._mixture import (
    LEAST,
    MAX_ITER,
    REGULARIZATION,
    TOLERANCE,
    FittedMixture,
)

__all__ = ["mixture_on_device"]

_BLOCK_BYTES = 2**29  # of the points, whitened by the covariances of several components
_LOADING = Lock()


class _Mixture(NamedTuple):
    """The parameters of a mixture, as tensors."""

    log_shares: Any  # (k,)
    means: Any  # (k, d)
    whitening: Any  # (k, d, d), the transposed inverse of the Cholesky factor of each covariance


def mixture_on_device(start: Array, points: Array, distinct: Array, device: Any) -> FittedMixture:
    """Fit a mixture to `points`, whose components are first those of the labels `start`.

    The updates and the end of the iterations are those of `mixture_from`, so that the labels are
    the same up to rounding.
    """
    xp, (rows, targets, labels) = tensors_on(device, points, distinct, start.astype(np.int64))
    with _LOADING:
        _load_linear_algebra(xp, rows.device)
    shares = xp.nn.functional.one_hot(labels, int(start.max()) + 1).to(rows.dtype)
    fitted, likelihood = _maximize(xp, rows, shares), -math.inf
    for _ in range(MAX_ITER):
        log_densities = _log_densities(xp, rows, fitted)
        totals = xp.logsumexp(log_densities, 1, keepdim=True)
        fitted = _maximize(xp, rows, (log_densities - totals).exp())
        before, likelihood = likelihood, float(totals.mean())
        if abs(likelihood - before) < TOLERANCE:
            break
    return FittedMixture(likelihood, to_numpy(_log_densities(xp, targets, fitted).argmax(1)))


@cache
def _load_linear_algebra(xp: Any, device: Any) -> None:
    """Factorize once: torch raises an error if threads load its linear algebra at one time."""
    xp.linalg.cholesky(xp.eye(2, device=device))


def _maximize(xp: Any, rows: Any, shares: Any) -> _Mixture:
    """The mixture of the greatest likelihood, given the shares of the components in the points."""
    n_columns = rows.shape[1]
    sizes = shares.sum(0) + LEAST
    means = shares.T @ rows / sizes[:, None]
    covariances = xp.cat(
        [
            (column[:, :, None] * (rows - mean[:, None])).mT @ (rows - mean[:, None])
            for column, mean in zip(
                *(xp.split(part, _height(rows)) for part in (shares.T, means)), strict=True
            )
        ]
    )
    covariances /= sizes[:, None, None]
    identity = xp.eye(n_columns, dtype=rows.dtype, device=rows.device)
    roots = xp.linalg.cholesky(covariances + REGULARIZATION * identity)
    whitening = xp.linalg.solve_triangular(roots, identity.expand_as(roots), upper=False).mT
    return _Mixture(xp.log(sizes / sizes.sum()), means, whitening)


def _log_densities(xp: Any, rows: Any, mixture: _Mixture) -> Any:
    """Logarithm of the density of each component at each point, times its share: (n, k)."""
    squares = xp.cat(
        [
            xp.square(rows @ whitening - (means[:, None] @ whitening)).sum(2)
            for means, whitening in zip(
                *(xp.split(part, _height(rows)) for part in mixture[1:]), strict=True
            )
        ]
    )
    log_volumes = mixture.whitening.diagonal(dim1=1, dim2=2).log().sum(1)
    constant = -0.5 * rows.shape[1] * math.log(2 * math.pi)
    return (constant + log_volumes + mixture.log_shares) - 0.5 * squares.T


def _height(rows: Any) -> int:
    """Number of components for which points are computed at once."""
    return max(1, _BLOCK_BYTES // (8 * rows.shape[0] * rows.shape[1]))
