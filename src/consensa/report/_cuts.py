"""The tree of a result, cut into each number of clusters that the page can show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._array import Array
from consensa._result import ConsensusResult
from consensa.description.following import follow_clusters
from consensa.report._map import MOST_ROWS

__all__ = ["Cuts", "cuts_of"]

_AT_LEAST = 20  # clusters to which a tree is cut, if it has as many leaves
_BEYOND = 10  # clusters more than the result has


class Cuts(NamedTuple):
    """Clusters for several numbers of clusters, by the parts that no cut divides.

    Attributes
    ----------
    numbers : list of int
        Numbers of clusters, from 1 on; that of the result alone if its method has no tree.
    part_of_sample : ndarray of shape (n_samples,)
        Part of each sample: its cluster for the largest number.
    clusters : list of list of int
        Cluster of each part, for each number.
    colors : list of list of int
        Number of the color of each cluster, for each number. A cluster that is divided hands its
        color on to its larger half; the clusters of the result have the colors of their numbers.
    """

    numbers: list[int]
    part_of_sample: Array
    clusters: list[list[int]]
    colors: list[list[int]]


def cuts_of(result: ConsensusResult) -> Cuts:
    """Cut the tree of a result, or take its clusters alone where there is no such tree."""
    labels, count = result.labels, result.n_clusters
    if not _has_tree(result):
        clusters = list(range(count))
        return Cuts([count], labels, [clusters], [clusters])
    assert result.linkage_matrix is not None
    most = min(max(_AT_LEAST, count + _BEYOND), MOST_ROWS, len(result.linkage_matrix) + 1)
    numbers = list(range(1, most + 1))
    cuts = np.column_stack([result.cut(number) for number in numbers])
    first = np.unique(cuts[:, -1], return_index=True)[1]  # sample of each part
    colors = follow_clusters(cuts, count - 1)
    return Cuts(
        numbers,
        cuts[:, -1],
        cuts[first].T.tolist(),
        [_of_clusters(*columns) for columns in zip(cuts[first].T, colors[first].T, strict=True)],
    )


def _has_tree(result: ConsensusResult) -> bool:
    """Whether there is a tree, and the result is a cut of it."""
    return (
        result.tree is not None
        and result.n_clusters <= MOST_ROWS
        and np.array_equal(result.cut(result.n_clusters), result.labels)
    )


def _of_clusters(clusters: Array, colors: Array) -> list[int]:
    """Color of each cluster from those of the parts."""
    return colors[np.unique(clusters, return_index=True)[1]].tolist()
