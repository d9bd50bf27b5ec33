"""Normalized mutual information of all pairs of partitions at once, from tables of counts."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from consensa._array import Array
from consensa._machine.memory import require_square
from consensa.ensemble import Ensemble
from consensa.ensemble.overlaps import overlaps_of
from consensa.ensemble.rows import cluster_slices, offsets

__all__ = ["pairwise_information"]

_ZERO = 1e-12  # entropy of a partition into one cluster, up to rounding


def pairwise_information(ensemble: Ensemble) -> Array:
    """Mutual information over the larger entropy, on the samples that both partitions label.

    1 for two partitions into one cluster each, as in scikit-learn.
    """
    overlaps, first = overlaps_of(ensemble), offsets(ensemble.cluster_counts)
    blocks = cluster_slices(ensemble.cluster_counts)
    require_square(len(blocks), np.float64, arrays=2, step="The agreement", of="partitions")
    matrix = np.eye(len(blocks))
    for a, own in enumerate(blocks[:-1]):
        tables = overlaps.of(own).toarray().astype(np.float64)  # of partition a and all others
        rows = np.add.reduceat(tables, first, axis=1)
        n = np.maximum(rows.sum(axis=0), 1)
        joint = np.log(n) - np.add.reduceat(xlogy(tables, tables), first, axis=1).sum(axis=0) / n
        one = np.log(n) - xlogy(rows, rows).sum(axis=0) / n
        columns = tables.sum(axis=0)
        other = np.log(n) - np.add.reduceat(xlogy(columns, columns), first) / n
        larger = np.maximum(one, other)
        share = np.ones_like(n)
        np.divide(one + other - joint, larger, out=share, where=larger > _ZERO)
        matrix[a, a + 1 :] = matrix[a + 1 :, a] = np.clip(share, 0, 1)[a + 1 :]
    return matrix
