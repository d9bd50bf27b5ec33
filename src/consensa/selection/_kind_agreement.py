"""Agreement of partitions of different kinds."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.metrics.rand import pairwise_rand

__all__ = ["kind_agreement", "kinds_of"]

_BEST = 2  # pairs of kinds; the others may fail on the same data


def kind_agreement(ensemble: Ensemble, n_clusters: int | None = None) -> float:
    """Agreement of partitions of different kinds, for the two pairs of kinds that agree best.

    The adjusted Rand index is averaged over the pairs of partitions of two kinds, then over the
    two pairs of kinds for which it is largest: other kinds may fail on the same data. If the
    number of clusters is right, different ways to cluster find the same clusters.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Partitions; the kind of one is its name without a number at the end. Without names, each
        is a kind of its own.
    n_clusters : int or None, default=None
        Use only the partitions with this number of clusters, if there are two kinds of them.

    Returns
    -------
    float
        1 if these kinds agree, about 0 if they are independent.

    See Also
    --------
    consensa.DiverseKinds : Makes partitions of several kinds.

    Examples
    --------
    >>> from consensa.selection import kind_agreement
    >>> kind_agreement([[0, 0], [0, 0], [1, 1], [1, 1]])
    1.0
    """
    partitions = Ensemble.from_labels(ensemble)
    kinds, used = kinds_of(partitions), np.arange(partitions.n_partitions)
    if n_clusters is not None:
        of_size = np.flatnonzero(partitions.cluster_counts == n_clusters)
        used = of_size if len(np.unique(kinds[of_size])) > 1 else used
    rand, names = pairwise_rand(Ensemble.from_labels(partitions.codes[:, used])), kinds[used]
    found = np.unique(names)
    if len(found) < 2:
        return float(np.mean(rand[np.triu_indices(len(rand), 1)])) if len(rand) > 1 else 1.0
    means = [
        rand[np.ix_(names == a, names == b)].mean()
        for place, a in enumerate(found)
        for b in found[place + 1 :]
    ]
    return float(np.mean(np.sort(means)[-_BEST:]))


def kinds_of(ensemble: Ensemble) -> Array:
    """Kind of each partition: its name without the number."""
    names = ensemble.partition_names
    if names is None:
        return np.arange(ensemble.n_partitions).astype(str)
    return np.array([name.rstrip("0123456789").strip() or name for name in names])
