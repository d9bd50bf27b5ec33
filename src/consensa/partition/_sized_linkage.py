"""Average linkage of microclusters, in which small clusters merge earlier."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.partition._linkage import Dendrogram
from consensa.partition._sized_linkage_kernels import merge_by_chains

__all__ = ["sized_linkage"]

_FLOOR = 1e-30  # in place of 0, so that among groups without any affinity the small merge first


def sized_linkage(affinity: Array, sizes: Array, *, size_exponent: float = 0.0) -> Dendrogram:
    r"""Agglomerate groups of samples on their mean affinity and their sizes.

    The similarity of groups :math:`a` and :math:`b` of :math:`n_a` and :math:`n_b` samples is

    .. math:: s(a, b) = \bar{A}_{ab}
              \left( \tfrac{1}{2 n_a} + \tfrac{1}{2 n_b} \right)^{\gamma},

    where :math:`\bar{A}_{ab}` is the mean affinity between their samples and :math:`\gamma` the
    `size_exponent`; the two most similar groups are merged repeatedly. With :math:`\gamma = 0`
    this is average linkage of the samples.

    Parameters
    ----------
    affinity : ndarray of float64 of shape (n_groups, n_groups)
        Affinity, at least 0, between the samples of two groups. It is overwritten.
    sizes : ndarray of shape (n_groups,)
        Number of samples of each group.
    size_exponent : float, default=0
        :math:`\gamma`, at least 0.

    Returns
    -------
    Dendrogram
        Tree of the groups; the height of a merge is :math:`1 - s`.

    See Also
    --------
    linkage_tree : Linkage of samples.

    Notes
    -----
    A merged group is never more similar to a third one than the more similar of its two parts
    was: its mean affinity is between theirs, and the factor of the sizes decreases. Therefore the
    heights are monotone, and the nearest-neighbor chain algorithm finds the greedy tree in time
    :math:`O(g^2)`, without memory beyond the matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import sized_linkage
    >>> affinity = np.array([[1, 0.9, 0], [0.9, 1, 0.1], [0, 0.1, 1]])
    >>> sized_linkage(affinity, np.array([5, 5, 5])).cut(2)
    array([0, 0, 1])
    """
    if len(affinity) < 2:
        return Dendrogram(np.empty((0, 4)))
    np.maximum(affinity, _FLOOR, out=affinity)
    found = merge_by_chains(affinity, sizes.astype(np.float64), float(size_exponent))
    return Dendrogram(_in_order(found))


def _in_order(found: Array) -> Array:
    """Merges in SciPy's form: lowest first, nodes numbered as they are made."""
    n = len(found) + 1
    # Merges that rounding alone tells apart keep the order in which the chains found them.
    order = np.argsort(-np.log(found[:, 2]).round(9), kind="stable")
    node = np.arange(n)  # node that lives in a slot
    root = np.arange(n)  # slot that a slot was merged into
    leaves = np.ones(2 * n - 1)
    merges = np.empty((n - 1, 4))
    for step, (x, y, similarity) in enumerate(found[order]):
        a, b = _root(root, int(x)), _root(root, int(y))
        left, right = sorted((node[a], node[b]))
        leaves[n + step] = leaves[left] + leaves[right]
        merges[step] = left, right, max(1 - similarity, 0), leaves[n + step]
        root[a] = b
        node[b] = n + step
    return merges


def _root(root: Array, slot: int) -> int:
    while root[slot] != slot:
        root[slot] = root[root[slot]]
        slot = root[slot]
    return slot
