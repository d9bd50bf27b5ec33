"""One mixture of Gaussian distributions, by expectation and maximization from a given start."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from consensa._array import Array

__all__ = ["LEAST", "MAX_ITER", "REGULARIZATION", "TOLERANCE", "FittedMixture", "mixture_from"]

REGULARIZATION = 1e-3  # of the covariances, relative to the variance of the points
TOLERANCE = 1e-2  # of the mean log-likelihood, at which iterations end
MAX_ITER = 60
LEAST = 10 * np.finfo(np.float64).eps  # of the points of a component


class FittedMixture(NamedTuple):
    """A mixture that was fitted.

    Attributes
    ----------
    likelihood : float
        Mean log-likelihood of the points.
    labels : ndarray of shape (n_distinct,)
        Most probable component of each distinct point.
    """

    likelihood: float
    labels: Array


class _Parameters(NamedTuple):
    log_shares: Array  # (k,)
    means: Array  # (k, d)
    whitening: Array  # (k, d, d), the transposed inverse of the Cholesky factor of each covariance


def mixture_from(start: Array, points: Array, distinct: Array) -> FittedMixture:
    """Fit a mixture to `points`, whose components are first those of the labels `start`.

    The updates, and when they end, are those of scikit-learn's `GaussianMixture` with full
    covariances; without its checks, which take longer than the mixture of a few hundred points.
    """
    shares = (start[:, None] == np.arange(start.max() + 1)).astype(np.float64)
    fitted, likelihood = _maximize(points, shares), -math.inf
    for _ in range(MAX_ITER):
        log_densities = _log_densities(points, fitted)
        largest = log_densities.max(axis=1, keepdims=True)
        totals = largest + np.log(np.exp(log_densities - largest).sum(axis=1, keepdims=True))
        fitted = _maximize(points, np.exp(log_densities - totals))
        before, likelihood = likelihood, float(totals.mean())
        if abs(likelihood - before) < TOLERANCE:
            break
    return FittedMixture(likelihood, _log_densities(distinct, fitted).argmax(axis=1))


def _maximize(points: Array, shares: Array) -> _Parameters:
    """The mixture of the greatest likelihood, given the shares of the components in the points."""
    sizes = shares.sum(axis=0) + LEAST
    means = shares.T @ points / sizes[:, None]
    covariances = np.empty((len(sizes), points.shape[1], points.shape[1]))
    for component, mean in enumerate(means):
        apart = points - mean
        covariances[component] = (shares[:, component, None] * apart).T @ apart / sizes[component]
    diagonal = np.arange(points.shape[1])
    covariances[:, diagonal, diagonal] += REGULARIZATION
    whitening = np.linalg.inv(np.linalg.cholesky(covariances)).transpose(0, 2, 1)
    return _Parameters(np.log(sizes / sizes.sum()), means, whitening)


def _log_densities(points: Array, mixture: _Parameters) -> Array:
    """Logarithm of the density of each component at each point, times its share: (n, k)."""
    whitening = mixture.whitening
    log_volumes = np.log(whitening.diagonal(axis1=1, axis2=2)).sum(axis=1)
    constant = -0.5 * points.shape[1] * math.log(2 * math.pi)
    found = np.empty((len(points), len(whitening)))
    for component, (mean, own) in enumerate(zip(mixture.means, whitening, strict=True)):
        found[:, component] = np.square(points @ own - mean @ own).sum(axis=1)
    return np.asarray((constant + log_volumes + mixture.log_shares) - 0.5 * found)
