"""Agreement of partitions of different kinds."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa._params import Integer, NoneType, check_params
from consensa.ensemble import Ensemble
from consensa.metrics.rand import pairwise_rand

__all__ = ["best_of_pairs", "kind_agreement", "kinds_of", "pairs_of_kinds"]


def kind_agreement(
    ensemble: Ensemble, n_clusters: int | None = None, *, best: int | None = 2
) -> float:
    """Agreement of partitions of different kinds, for the pairs of kinds that agree best.

    The adjusted Rand index is averaged over the pairs of partitions of two kinds, then over the
    pairs of kinds for which it is largest: other kinds may fail on the same data. If the
    number of clusters is right, different ways to cluster find the same clusters.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Partitions; the kind of one is its name without a number at the end. Without names, each
        is a kind of its own. Kinds that differ only after a comma, as by the space, are not
        compared if there are others.
    n_clusters : int or None, default=None
        Use only the partitions with this number of clusters, if there are two kinds of them.
    best : int or None, default=2
        Number of pairs of kinds; None is all of them.

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
    check_params("kind_agreement", {"best": (Integer(1), NoneType())}, {"best": best})
    return best_of_pairs(pairs_of_kinds(ensemble, n_clusters), best)


def best_of_pairs(agreement: Array, best: int | None) -> float:
    """Mean of the largest agreements of pairs of kinds."""
    return float(np.mean(np.sort(agreement)[-(best or len(agreement)) :]))


def pairs_of_kinds(ensemble: Ensemble, n_clusters: int | None) -> Array:
    """Mean agreement of each pair of kinds."""
    partitions = Ensemble.from_labels(ensemble)
    kinds, used = kinds_of(partitions), np.arange(partitions.n_partitions)
    if n_clusters is not None:
        of_size = np.flatnonzero(partitions.cluster_counts == n_clusters)
        used = of_size if len(np.unique(kinds[of_size])) > 1 else used
    rand, names = pairwise_rand(Ensemble.from_labels(partitions.codes[:, used])), kinds[used]
    found = np.unique(names)
    if len(found) < 2:
        return rand[np.triu_indices(len(rand), 1)] if len(rand) > 1 else np.ones(1)
    pairs = [(a, b) for place, a in enumerate(found) for b in found[place + 1 :]]
    # The same algorithm in another space may make the same mistake there.
    different = [(a, b) for a, b in pairs if _algorithm(a) != _algorithm(b)] or pairs
    return np.array([rand[np.ix_(names == a, names == b)].mean() for a, b in different])


def _algorithm(kind: str) -> str:
    """The kind without what stands after a comma, such as the space."""
    return kind.partition(",")[0]


def kinds_of(ensemble: Ensemble) -> Array:
    """Kind of each partition: its name without the number."""
    names = ensemble.partition_names
    if names is None:
        return np.arange(ensemble.n_partitions).astype(str)
    return np.array([name.rstrip("0123456789").strip() or name for name in names])
