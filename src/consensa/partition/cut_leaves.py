"""Which leaves of a tree are together after some of its merges."""

from __future__ import annotations

import numpy as np

from consensa._array import Array

__all__ = ["cut_leaves"]


def cut_leaves(merges: Array, n_clusters: int) -> Array:
    """Cluster of each leaf after the first ``n_leaves - n_clusters`` merges.

    A cluster is called by the number of its topmost node, as the merges after these call it.
    """
    n_leaves = len(merges) + 1
    done = merges[: n_leaves - n_clusters, :2].astype(np.intp)
    parent = np.arange(n_leaves + len(done))
    parent[done[:, 0]] = parent[done[:, 1]] = n_leaves + np.arange(len(done))
    # Nodes are numbered in the order of merging: from the top down, parents are final.
    for node in range(len(parent) - 1, -1, -1):
        parent[node] = parent[parent[node]]
    return parent[:n_leaves]
