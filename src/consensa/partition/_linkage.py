"""Agglomerative trees of an affinity, cut into exactly K clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage as scipy_linkage

from consensa._array import Array, to_numpy
from consensa._machine.memory import require_square
from consensa._params import Integer, OneOf, check_params
from consensa.ensemble.appearance import number_by_appearance
from consensa.exceptions import InvalidParameterError
from consensa.partition.cut_leaves import cut_leaves

__all__ = ["LINKAGES", "Dendrogram", "cut_by_linkage", "linkage_tree"]

LINKAGES = ("average", "complete", "single")


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """A hierarchy of the samples.

    Parameters
    ----------
    merges : ndarray of shape (n_leaves - 1, 4)
        Merges in SciPy's form, lowest first: left, right, height, number of leaves.
    leaf_of_sample : ndarray of shape (n_samples,) or None, default=None
        Leaf of each sample, where several samples share a leaf; None if leaf i is sample i.
    inside_groups : ndarray of shape (n_leaves - 1,) or None, default=None
        Which merges join samples that no cut may separate.

    See Also
    --------
    linkage_tree : Builds one from an affinity.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import linkage_tree
    >>> tree = linkage_tree(np.array([[1, 0.9, 0], [0.9, 1, 0.1], [0, 0.1, 1]]))
    >>> tree.cut(2)
    array([0, 0, 1])
    """

    merges: Array
    leaf_of_sample: Array | None = None
    inside_groups: Array | None = None

    def cut(self, n_clusters: int) -> Array:
        """Undo the last merges until exactly `n_clusters` clusters remain.

        Heights are ignored, so that ties cannot change the number of clusters. Merges inside
        groups are undone after all others.

        Parameters
        ----------
        n_clusters : int
            Number of clusters, at most the number of leaves.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each sample, numbered in order of first appearance.

        See Also
        --------
        linkage_tree : Builds the tree.

        Examples
        --------
        >>> from consensa.partition import linkage_tree
        >>> linkage_tree([[1, 1, 1], [1, 1, 1], [1, 1, 1]]).cut(3)
        array([0, 1, 2])
        """
        check_params("cut", {"n_clusters": (Integer(1),)}, {"n_clusters": n_clusters})
        n_leaves = len(self.merges) + 1
        if n_clusters > n_leaves:
            message = (
                f"The 'n_clusters' parameter of cut must be at most {n_leaves}, the number of "
                f"leaves of the tree. Got {n_clusters}."
            )
            raise InvalidParameterError(message)
        leaves = cut_leaves(self.merges, int(n_clusters), self.inside_groups)
        labels = leaves if self.leaf_of_sample is None else leaves[self.leaf_of_sample]
        return number_by_appearance(labels).astype(np.int64)

    def renamed(self, names: Array) -> Dendrogram:
        """Call leaf i ``names[i]``.

        Parameters
        ----------
        names : ndarray of shape (n_leaves,)
            Each number from 0 to ``n_leaves - 1`` once.

        Returns
        -------
        Dendrogram
            The same tree with other numbers of its leaves.

        See Also
        --------
        linkage_tree : Builds a tree whose leaves are numbered as the rows are.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa.partition import linkage_tree
        >>> tree = linkage_tree(np.array([[1, 0.9, 0], [0.9, 1, 0.1], [0, 0.1, 1]]))
        >>> tree.renamed(np.array([2, 1, 0])).cut(2)
        array([0, 1, 1])
        """
        all_names = np.append(names, np.arange(len(names), 2 * len(names) - 1))
        merges = self.merges.copy()
        merges[:, :2] = np.sort(all_names[merges[:, :2].astype(np.intp)], axis=1)
        leaves = self.leaf_of_sample
        renamed = None if leaves is None else np.asarray(names)[leaves]
        return Dendrogram(merges, renamed, self.inside_groups)


def linkage_tree(
    affinity: Any, *, method: str = "average", groups: Array | None = None
) -> Dendrogram:
    r"""Agglomerate samples on the distance :math:`1 - W_{ij}`.

    The distance between two clusters is the mean (average linkage), the largest (complete)
    or the smallest (single) distance between their samples.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Symmetric; the upper triangle is read.
    method : {"average", "complete", "single"}, default="average"
        Definition of the distance between two clusters.
    groups : ndarray of shape (n,) or None, default=None
        Group of each sample, such as its microcluster. Samples of one group merge with each
        other before they merge with others, and no cut separates them.

    Returns
    -------
    Dendrogram
        The tree.

    See Also
    --------
    cut_by_linkage : Build the tree and cut it.

    Notes
    -----
    Time :math:`O(n^2)` for SciPy's nearest-neighbor chain; memory for two condensed
    distance matrices, together one n × n float64 array.

    Examples
    --------
    >>> from consensa.partition import linkage_tree
    >>> linkage_tree([[1, 0.5], [0.5, 1]]).merges
    array([[0. , 1. , 0.5, 2. ]])
    """
    check_params("linkage_tree", {"method": (OneOf(LINKAGES),)}, {"method": method})
    host = to_numpy(affinity)
    n = host.shape[0]
    if n < 2:
        return Dendrogram(np.empty((0, 4)))
    require_square(n, np.float64, arrays=1, step="The agglomerative tree")
    merges = scipy_linkage(_condensed_distance(host, groups), method=method)
    return Dendrogram(merges) if groups is None else _with_own_heights(merges, host)


def _condensed_distance(affinity: Array, groups: Array | None) -> Array:
    """Write 1 − affinity over the upper triangle, row after row; -1 inside the groups."""
    n = affinity.shape[0]
    distance = np.empty(n * (n - 1) // 2)
    start = 0
    for i in range(n - 1):
        end = start + n - 1 - i
        np.subtract(1, affinity[i, i + 1 :], out=distance[start:end])
        if groups is not None:
            distance[start:end][groups[i + 1 :] == groups[i]] = -1
        start = end
    return distance


def _with_own_heights(merges: Array, affinity: Array) -> Dendrogram:
    """The tree with the distances inside groups in place of -1, lowest merges first."""
    n = len(affinity)
    inside = merges[:, 2] < -0.5
    leaf = np.arange(2 * n - 1)  # one of each node
    above = np.full(2 * n - 1, np.inf)  # height of the merge that a node goes into
    for step in np.flatnonzero(inside).tolist():
        left, right = leaf[merges[step, :2].astype(np.intp)]
        leaf[n + step], merges[step, 2] = left, 1 - affinity[left, right]
    for step in range(n - 2, -1, -1):
        # Where equal rows have less affinity than others, the tree stays a tree all the same.
        merges[step, 2] = min(merges[step, 2], above[n + step])
        above[merges[step, :2].astype(np.intp)] = merges[step, 2]
    order = np.argsort(merges[:, 2], kind="stable")
    number = np.append(np.arange(n), n + np.argsort(order))
    ordered = merges[order]
    ordered[:, :2] = np.sort(number[ordered[:, :2].astype(np.intp)], axis=1)
    return Dendrogram(ordered, inside_groups=inside[order])


def cut_by_linkage(affinity: Any, n_clusters: int, *, method: str = "average") -> Array:
    """Labels of exactly `n_clusters` clusters of an agglomerative tree.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Symmetric; the upper triangle is read.
    n_clusters : int
        Number of clusters.
    method : {"average", "complete", "single"}, default="average"
        Definition of the distance between two clusters.

    Returns
    -------
    ndarray of shape (n,)
        Cluster of each sample, numbered in order of first appearance.

    See Also
    --------
    linkage_tree : The tree itself, to be cut more than once.

    Examples
    --------
    >>> from consensa.partition import cut_by_linkage
    >>> cut_by_linkage([[1, 0.9, 0], [0.9, 1, 0.1], [0, 0.1, 1]], 2)
    array([0, 0, 1])
    """
    return linkage_tree(affinity, method=method).cut(n_clusters)
