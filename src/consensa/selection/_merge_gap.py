"""Gaps between the lengths of the last merges of a tree of clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.features import read_features
from consensa.generation.landscape import Landscape, points_of

__all__ = ["gaps_of_merges", "merge_gap"]

_N_NEIGHBORS = 10


def merge_gap(X: Any, n_clusters: Iterable[int]) -> Array:
    r"""Relative gap between the merge of k clusters and the merge before.

    .. math:: h_k = \max\left(0,\; 1 - \frac{\ell_{k+1}}{\ell_k}\right),

    where :math:`\ell_k` is the length of the edge by which Genie merges k clusters into k − 1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; they are scaled as by the default generator.
    n_clusters : iterable of int
        Numbers of clusters, each 2 or more.

    Returns
    -------
    ndarray
        In [0, 1], one for each number.

    See Also
    --------
    consensa.GenieTrees : The trees.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.selection import merge_gap
    >>> X = np.r_[np.linspace(0, 1, 30), np.linspace(5, 6, 30)][:, None]
    >>> int(merge_gap(X, range(2, 6)).argmax()) + 2
    2
    """
    points = points_of(read_features(X, accept_sparse=False).points)
    return gaps_of_merges(Landscape.of(points, _N_NEIGHBORS), np.array(list(n_clusters)))


def gaps_of_merges(landscape: Landscape, numbers: Array) -> Array:
    """The same for the points of a landscape."""
    lengths = landscape.merge_lengths()
    last = len(lengths) - 1
    merged = lengths[np.minimum(numbers - 2, last)]
    before = lengths[np.minimum(numbers - 1, last)]
    return np.asarray(np.maximum(0, 1 - before / np.maximum(merged, np.finfo(float).tiny)))
