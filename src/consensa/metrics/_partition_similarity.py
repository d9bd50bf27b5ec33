"""Agreement of each pair of base partitions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.progress import track
from consensa._params import OneOf, check_params
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.metrics._external import ari_of_table, count_table, nmi_of_table

__all__ = ["partition_similarity"]

_SCORES: dict[str, Callable[[sparse.coo_array], float]] = {
    "ari": ari_of_table,
    "nmi": lambda table: nmi_of_table(table, "arithmetic"),
}


def partition_similarity(ensemble: Ensemble, *, score: str = "ari") -> Array:
    r"""Agreement of each pair of partitions, on the samples that both label.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    score : {"ari", "nmi"}, default="ari"
        Adjusted Rand index, or normalized mutual information.

    Returns
    -------
    ndarray of shape (n_partitions, n_partitions)
        Symmetric, with unit diagonal; NaN for two partitions that share fewer than two samples.

    See Also
    --------
    partition_agreement : Agreement of each partition with a consensus.

    Notes
    -----
    Time :math:`O(n m^2)` for n samples and m partitions, with one contingency table per pair.

    Examples
    --------
    >>> from consensa.metrics import partition_similarity
    >>> partition_similarity([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    array([[ 1. ,  1. , -0.5],
           [ 1. ,  1. , -0.5],
           [-0.5, -0.5,  1. ]])
    """
    check_params("partition_similarity", {"score": (OneOf(tuple(_SCORES)),)}, {"score": score})
    ensemble = Ensemble.from_labels(ensemble)
    columns = np.ascontiguousarray(ensemble.codes.T).astype(np.int64)
    matrix = np.eye(len(columns))
    pairs = list(combinations(range(len(columns)), 2))
    with track("pairs of partitions", len(pairs)) as advance:
        for a, b in pairs:
            both = is_labeled(columns[a]) & is_labeled(columns[b])
            alike = np.nan
            if both.sum() > 1:
                alike = _SCORES[score](count_table(columns[a][both], columns[b][both]))
            matrix[a, b] = matrix[b, a] = alike
            advance()
    return matrix
