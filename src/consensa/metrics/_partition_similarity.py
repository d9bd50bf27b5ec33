"""Agreement of each pair of base partitions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from consensa._array import Array
from consensa._machine.progress import track
from consensa._params import OneOf, check_params
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.metrics._mutual_information import pairwise_information
from consensa.metrics.rand import pairwise_rand

__all__ = ["partition_similarity"]


def partition_similarity(ensemble: Ensemble, *, score: str = "ari") -> Array:
    r"""Agreement of each pair of partitions, on the samples that both label.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    score : {"ari", "nmi", "nmi_max"}, default="ari"
        Adjusted Rand index, or mutual information over the mean or the larger of the entropies.

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
    matrix = _SCORES[score](ensemble)
    labeled = ensemble.labeled.astype(np.float64)
    matrix[labeled.T @ labeled < 2] = np.nan
    np.fill_diagonal(matrix, 1)
    return matrix


def _pairwise_nmi(ensemble: Ensemble) -> Array:
    columns = np.ascontiguousarray(ensemble.codes.T)
    matrix = np.eye(len(columns))
    pairs = list(combinations(range(len(columns)), 2))
    with track("pairs of partitions", len(pairs)) as advance:
        for a, b in pairs:
            both = is_labeled(columns[a]) & is_labeled(columns[b])
            score = normalized_mutual_info_score(columns[a][both], columns[b][both])
            matrix[a, b] = matrix[b, a] = min(score, 1.0)
            advance()
    return matrix


_SCORES: dict[str, Callable[[Ensemble], Array]] = {
    "ari": pairwise_rand,
    "nmi": _pairwise_nmi,
    "nmi_max": pairwise_information,
}
