"""Mean agreement of a consensus with its base partitions."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa.ensemble import Ensemble
from consensa.ensemble.labels import read_labels
from consensa.metrics.rand import rand_with

__all__ = ["mean_agreement"]


def mean_agreement(ensemble: Ensemble, labels: Any) -> float:
    r"""Mean agreement of a partition with the base partitions.

    .. math:: \frac{1}{m} \sum_{j=1}^{m} \mathrm{ARI}(\ell_j, c),

    each over the samples that partition :math:`j` labels.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    labels : array-like of shape (n_samples,)
        The partition, such as a consensus.

    Returns
    -------
    float
        1 if all partitions are equal, about 0 if they are independent.

    See Also
    --------
    consensa.metrics.partition_agreement : Agreement of each base partition.

    Examples
    --------
    >>> from consensa.selection import mean_agreement
    >>> mean_agreement([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    0.25
    """
    codes = read_labels(labels, "labels")
    return float(np.mean(rand_with(Ensemble.from_labels(ensemble), codes)))
