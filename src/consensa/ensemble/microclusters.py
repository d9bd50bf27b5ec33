"""Microclusters: sets of samples with equal rows in the label matrix."""

from __future__ import annotations

from typing import NamedTuple

from consensa._array import Array
from consensa.ensemble.equal_rows import equal_rows

__all__ = ["Microclusters", "group_samples"]


class Microclusters(NamedTuple):
    """Microclusters: sets of samples with equal rows in the label matrix.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Microcluster of each sample. Microclusters are in lexicographic order of their rows.
    rows : ndarray of shape (n_groups, n_partitions)
        Row of labels of each microcluster.
    sizes : ndarray of shape (n_groups,)
        Number of samples in each microcluster.
    """

    labels: Array
    rows: Array
    sizes: Array


def group_samples(codes: Array) -> Microclusters:
    """Microclusters of the samples with these codes, of shape (n_samples, n_partitions)."""
    groups = equal_rows(codes)
    return Microclusters(groups.of_row, codes[groups.first], groups.sizes)
