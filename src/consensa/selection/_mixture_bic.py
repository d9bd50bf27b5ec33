"""BIC of Gaussian mixtures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa.features import read_features
from consensa.generation.landscape import points_of

__all__ = ["bic_of_points", "mixture_bic"]

_COMPONENTS = 10


def mixture_bic(X: Any, n_clusters: Iterable[int]) -> Array:
    """BIC of a Gaussian mixture of each number of components, per sample; smaller is better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; they are scaled as by the default generator, and reduced to at most ten principal
        components.
    n_clusters : iterable of int
        Numbers of components.

    Returns
    -------
    ndarray
        One value for each number; infinity above the number of distinct samples.

    See Also
    --------
    sklearn.mixture.GaussianMixture.bic : Its definition.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.selection import mixture_bic
    >>> rng = np.random.RandomState(0)
    >>> X = np.r_[rng.normal(0, 1, (40, 2)), rng.normal(9, 1, (40, 2))]
    >>> int(mixture_bic(X, range(1, 5)).argmin()) + 1
    2
    """
    points = points_of(read_features(X, accept_sparse=False).points)
    return bic_of_points(points, np.array(list(n_clusters)))


def bic_of_points(points: Array, numbers: Array) -> Array:
    """The same for points in their space."""
    centered = points - points.mean(axis=0)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if points.shape[1] > _COMPONENTS:
            centered = centered @ np.linalg.svd(centered.T @ centered)[0][:, :_COMPONENTS]
        centered = centered / (centered.std() or 1.0)
        return np.array([_bic(centered, int(k)) for k in numbers])


def _bic(points: Array, k: int) -> float:
    if k > len(points):
        return np.inf
    mixture = GaussianMixture(k, reg_covar=1e-3, tol=1e-2, max_iter=60, random_state=0)
    return float(mixture.fit(points).bic(points) / len(points))
