"""Match the clusters of one partition to those of another by their overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from consensa._array import Array

__all__ = ["match_clusters"]


def match_clusters(agreement: Any) -> Array:
    r"""Match each row of a contingency table to a column.

    .. math:: \max_\pi \sum_a T_{a\, \pi(a)}

    over the maps :math:`\pi` that are one-to-one if there are at most as many rows as columns,
    and otherwise onto. The second case is reduced to the first: a free row is matched to its best
    column, so only the loss of the other rows compared with their best column counts, which the
    Hungarian method minimizes.

    Parameters
    ----------
    agreement : array of shape (n_rows, n_columns)
        Overlap of the clusters, such as the number of samples that they share.

    Returns
    -------
    ndarray of shape (n_rows,)
        Column of each row.

    See Also
    --------
    scipy.optimize.linear_sum_assignment : The Hungarian method.

    Examples
    --------
    >>> from consensa.partition import match_clusters
    >>> match_clusters([[9, 8], [7, 2]])
    array([1, 0])

    Three clusters for two columns: none is left empty.

    >>> match_clusters([[9, 2], [8, 1], [7, 5]])
    array([0, 0, 1])
    """
    table = np.asarray(agreement, dtype=np.float64)
    matched = table.argmax(axis=1)
    rows, columns = linear_sum_assignment(table - table.max(axis=1, keepdims=True), maximize=True)
    matched[rows] = columns
    return matched
