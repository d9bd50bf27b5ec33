"""Numbers of clusters by density, for several sizes of the smallest one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN

from consensa._array import Array
from consensa.features import read_features
from consensa.generation.landscape import points_of

__all__ = ["counts_of_points", "density_counts", "density_votes"]

_SHARES = (0.01, 0.02, 0.03, 0.05, 0.08)  # of the samples
_SIZES = (5, 10, 15)
_WIDTH = 0.12  # of a vote, in the logarithm of the number of clusters


def density_counts(X: Any) -> Array:
    """Numbers of clusters that HDBSCAN finds, for several sizes of the smallest cluster.

    A number that is found for many sizes does not depend on that parameter [1]_.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; they are scaled as by the default generator.

    Returns
    -------
    ndarray of shape (n_sizes,)
        The number for sizes of 5, 10 and 15 samples, and of 1, 2, 3, 5 and 8 % of them.

    See Also
    --------
    sklearn.cluster.HDBSCAN : The method.

    References
    ----------
    .. [1] R. J. G. B. Campello, D. Moulavi and J. Sander, "Density-based clustering based on
       hierarchical density estimates", PAKDD 2013. :doi:`10.1007/978-3-642-37456-2_14`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.selection import density_counts
    >>> X = np.r_[np.linspace(0, 1, 40), np.linspace(5, 6, 40)][:, None]
    >>> density_counts(X)
    array([2, 2, 2, 2])
    """
    return counts_of_points(points_of(read_features(X, accept_sparse=False).points))


def counts_of_points(points: Array) -> Array:
    """The same for points in their space."""
    n = len(points)
    sizes = sorted({max(5, round(n * share)) for share in _SHARES} | set(_SIZES))
    sizes = [size for size in sizes if size <= n // 2]
    found = [HDBSCAN(min_cluster_size=size, copy=True).fit_predict(points) for size in sizes]
    return np.array([labels.max() + 1 for labels in found], dtype=np.int64)


def density_votes(counts: Array, candidates: Array) -> Array:
    """Mean vote of the counts for each candidate; near numbers get a part of it."""
    if len(counts) == 0:
        return np.zeros(len(candidates))
    away = np.abs(np.log(np.maximum(counts, 1)[:, None] / np.asarray(candidates)))
    return np.asarray(np.exp(-away / _WIDTH).mean(axis=0))
