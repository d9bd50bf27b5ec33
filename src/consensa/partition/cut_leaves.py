"""Which leaves of a tree are together after some of its merges."""

from __future__ import annotations

import numpy as np

from consensa._array import Array

__all__ = ["cut_leaves"]


def cut_leaves(merges: Array, n_clusters: int, inside_groups: Array | None = None) -> Array:
    """Cluster of each leaf after the first ``n_leaves - n_clusters`` merges.

    Those inside groups count as the very first. A cluster is called by the number of its topmost
    node, as the merges after these call it.
    """
    n_leaves = len(merges) + 1
    order = np.arange(n_leaves - 1)
    if inside_groups is not None:
        order = np.argsort(~inside_groups, kind="stable")
    numbers = np.sort(order[: n_leaves - n_clusters])
    done = merges[numbers, :2].astype(np.intp)
    parent = np.arange(2 * n_leaves - 1)
    parent[done[:, 0]] = parent[done[:, 1]] = n_leaves + numbers
    while True:  # each time twice as far up
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent[:n_leaves]
        parent = above
