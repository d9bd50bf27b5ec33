"""Microclusters: groups of samples that no partition tells apart."""

from __future__ import annotations

from typing import NamedTuple

from consensa._array import Array
from consensa.ensemble.equal_rows import equal_rows

__all__ = ["Microclusters", "group_samples"]


class Microclusters(NamedTuple):
    """Groups of samples that no partition tells apart (identical rows).

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Group of each sample. Groups are in lexicographic order of their label rows.
    rows : ndarray of shape (n_groups, n_partitions)
        Label row of each group.
    sizes : ndarray of shape (n_groups,)
        Number of samples in each group.
    """

    labels: Array
    rows: Array
    sizes: Array


def group_samples(codes: Array) -> Microclusters:
    """Microclusters of the samples with these codes, of shape (n_samples, n_partitions)."""
    groups = equal_rows(codes)
    return Microclusters(groups.of_row, codes[groups.first], groups.sizes)
