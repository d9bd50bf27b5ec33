"""Gaps between the eigenvalues of the graph of nearest neighbors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.features import read_features
from consensa.generation.landscape import Landscape, points_of

__all__ = ["gaps_of_landscape", "neighbor_eigengap"]

_N_NEIGHBORS = 10
_LEAST = 1e-6


def neighbor_eigengap(X: Any, n_clusters: Iterable[int]) -> Array:
    r"""Relative gap after the k-th eigenvalue of the graph of nearest neighbors.

    .. math:: g_k = 1 - \frac{1 - \lambda_k}{1 - \lambda_{k+1}},

    where :math:`\lambda_1 \ge \lambda_2 \ge \dots` are the eigenvalues of the random walk on the
    graph of the ten nearest neighbors. It is 1 if the graph has k components that are connected
    inside.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; they are scaled as by the default generator.
    n_clusters : iterable of int
        Numbers of clusters.

    Returns
    -------
    ndarray
        In [0, 1], one for each number.

    See Also
    --------
    eigengap : That of an affinity, such as the co-association matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.selection import neighbor_eigengap
    >>> X = np.r_[np.linspace(0, 1, 30), np.linspace(5, 6, 30)][:, None]
    >>> int(neighbor_eigengap(X, range(2, 6)).argmax()) + 2
    2
    """
    points = points_of(read_features(X, accept_sparse=False).points)
    return gaps_of_landscape(Landscape.of(points, _N_NEIGHBORS), np.array(list(n_clusters)))


def gaps_of_landscape(landscape: Landscape, numbers: Array) -> Array:
    """The same for the points of a landscape."""
    count = min(int(numbers.max()) + 1, landscape.n_points)
    values, _ = landscape.spectrum(_N_NEIGHBORS, count)
    rest = np.maximum(1 - values, _LEAST)
    rest = np.concatenate([rest, np.repeat(rest[-1:], max(0, numbers.max() + 1 - count))])
    return np.asarray(np.clip(1 - rest[numbers - 1] / rest[numbers], 0, 1))
