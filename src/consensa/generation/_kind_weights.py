"""Weights of partitions of several kinds, from their agreement alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble

__all__ = ["agreement_of_kinds", "kind_weights"]

_LEAST = 0.01  # of the weight of a partition, relative to one that agrees best


def kind_weights(ensemble: Ensemble, kinds: Sequence[str]) -> Array:
    r"""Weight of each partition, with mean 1.

    The agreement :math:`a_i` of a partition is its adjusted Rand index with the partitions of
    each other kind, averaged over these, then over the kinds. Its weight is

    .. math:: w_i \propto \frac{a_i^2}{d_i\, S_i},

    where :math:`d_i` is the number of equal partitions of the same kind, and :math:`S_i` such that
    all kinds would have the same weight if all agreed. So kinds count the same whatever their
    number of partitions, duplicates do not add up, and a partition that agrees with no other kind
    counts little.
    """
    names = np.asarray(kinds)
    found = np.unique(names)
    alike = _agreement(ensemble)
    same = names[:, None] == names
    duplicates = (same & (alike == 1)).sum(axis=1)
    say = 1 / duplicates
    for kind in found:
        say[names == kind] /= say[names == kind].sum()
    if len(found) > 1:
        agreement = np.maximum(_with_other_kinds(alike, names), 0)
        say = say * np.maximum((agreement / (agreement.max() or 1.0)) ** 2, _LEAST)
    return np.asarray(say / say.mean())


def agreement_of_kinds(ensemble: Ensemble, kinds: Sequence[str]) -> float:
    """Mean agreement of a kind with the other kinds, of the kind that agrees most; 1 if alone.

    Only the partitions of each kind with the fewest clusters are compared: others have more than
    the consensus, in different numbers.
    """
    names, counts = np.asarray(kinds), ensemble.cluster_counts
    found = np.unique(names)
    if len(found) == 1:
        return 1.0
    fewest = np.flatnonzero(
        [counts[i] == counts[names == names[i]].min() for i in range(len(names))]
    )
    names = names[fewest]
    agreement = _with_other_kinds(_agreement(ensemble)[np.ix_(fewest, fewest)], names)
    return float(max(agreement[names == kind].mean() for kind in found))


def _with_other_kinds(alike: Array, names: Array) -> Array:
    """Mean agreement of each partition with those of each other kind, averaged over these."""
    found = np.unique(names)
    with_kind = np.stack([alike[:, names == kind].mean(axis=1) for kind in found], axis=1)
    others = names[:, None] != found
    return np.asarray((with_kind * others).sum(axis=1) / others.sum(axis=1))


def _agreement(ensemble: Ensemble) -> Array:
    """Adjusted Rand index of each pair of partitions, from the overlaps of their clusters."""
    m, n = ensemble.n_partitions, ensemble.n_samples
    partition = np.repeat(np.arange(m), ensemble.cluster_counts)
    overlap = ensemble.overlap.tocoo()
    first, second = (partition[ends] for ends in overlap.coords)
    sizes = overlap.data.astype(np.float64)
    together = np.bincount(first * m + second, sizes * (sizes - 1) / 2, m * m).reshape(m, m)
    own = together.diagonal()
    expected = np.outer(own, own) / (n * (n - 1) / 2)
    most = (own[:, None] + own) / 2
    same = most == expected  # both have one cluster, or only clusters of one sample
    return np.where(same, 1.0, (together - expected) / np.where(same, 1.0, most - expected))
