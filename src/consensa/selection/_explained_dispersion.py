"""Dispersion of the samples that a partition explains."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa.ensemble.labels import read_labels
from consensa.features import read_features

__all__ = ["dispersion_of_points", "explained_dispersion"]


def explained_dispersion(X: Any, labels: Any) -> float:
    r"""Logarithm of the ratio of the total dispersion to that within the clusters.

    .. math:: \log \frac{\sum_i \|x_i - \bar x\|^2}{\sum_c \sum_{i \in c} \|x_i - \bar x_c\|^2},

    which the gap statistic compares between the data and reference data without clusters [1]_.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    labels : array-like of shape (n_samples,)
        A partition of the samples.

    Returns
    -------
    float
        0 for one cluster, larger for tighter clusters.

    See Also
    --------
    select_n_clusters : Compares it with that of reference data.

    References
    ----------
    .. [1] R. Tibshirani, G. Walther and T. Hastie, "Estimating the number of clusters in a
       data set via the gap statistic", Journal of the Royal Statistical Society B 63(2),
       2001. :doi:`10.1111/1467-9868.00293`

    Examples
    --------
    >>> from consensa.selection import explained_dispersion
    >>> round(explained_dispersion([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 3)
    3.258
    """
    points = read_features(X, accept_sparse=False).points
    return dispersion_of_points(points, read_labels(labels, "labels"))


def dispersion_of_points(points: Array, codes: Array) -> float:
    """The same for features that were read and labels numbered from 0."""
    points = points.astype(np.float64, copy=False)
    centered = points - points.mean(axis=0)
    sums = np.zeros((int(codes.max()) + 1, points.shape[1]))
    np.add.at(sums, codes, centered)
    total = float((centered**2).sum())
    between = float(((sums**2).sum(axis=1) / np.bincount(codes)).sum())
    smallest = np.finfo(float).eps * max(total, np.finfo(float).tiny)
    return float(np.log(max(total, smallest)) - np.log(max(total - between, smallest)))
