"""The top of a tree, its lower branches gathered into leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._array import Array
from consensa.partition.cut_leaves import cut_leaves
from consensa.plotting._clusters import Clusters

__all__ = ["MIXED", "Top", "places_of_nodes", "top_of_tree"]

MIXED = -1  # in place of the number of a cluster, where there are samples of several


class Top(NamedTuple):
    """The top of a tree: leaves first, then merges, lowest first."""

    n_leaves: int
    children: Array  # (n_leaves - 1, 2)
    heights: Array  # of each node; of a leaf, where all that it gathers is together
    sizes: Array  # samples of each leaf
    clusters: Array  # of each node; MIXED where there are samples of several
    first: Array  # least cluster of each node, which decides what stands on the left
    group_of_leaf: Array  # leaf of the picture of each leaf of the tree


def top_of_tree(
    merges: Array,
    leaf_heights: Array,
    leaf_of_sample: Array,
    clusters: Clusters | None,
    max_leaves: int,
) -> Top:
    """Gather the lowest merges into at most `max_leaves` leaves."""
    n_leaves = len(merges) + 1
    shown = min(n_leaves, max_leaves)
    done = n_leaves - shown
    roots = cut_leaves(merges, shown)
    names, group_of_leaf = np.unique(roots, return_inverse=True)
    heights = np.concatenate([leaf_heights, merges[:, 2]])[[*names, *range(-shown + 1, 0)]]
    number = {int(name): place for place, name in enumerate(names)}
    number |= {n_leaves + done + step: shown + step for step in range(shown - 1)}
    rest = merges[done:, :2].astype(int)
    children = np.array([[number[a], number[b]] for a, b in rest], dtype=int).reshape(-1, 2)
    for step, pair in enumerate(children):  # a loose leaf does not end above its branch
        heights[pair] = np.minimum(heights[pair], heights[shown + step])
    group = group_of_leaf[leaf_of_sample]
    low, high = _range_of_clusters(children, group, clusters, shown)
    return Top(
        n_leaves=shown,
        children=children,
        heights=np.maximum(heights, 0),  # rounding may bring them below
        sizes=np.bincount(group, minlength=shown),
        clusters=np.where((low == high) & (clusters is not None), low, MIXED),
        first=low,
        group_of_leaf=group_of_leaf,
    )


def _range_of_clusters(
    children: Array, group: Array, clusters: Clusters | None, n_leaves: int
) -> tuple[Array, Array]:
    """Least and largest cluster of each node; without clusters, sample."""
    values = np.arange(len(group)) if clusters is None else clusters.codes
    low = np.full(2 * n_leaves - 1, len(group))
    high = np.full(2 * n_leaves - 1, -1)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    for step, pair in enumerate(children):
        low[n_leaves + step], high[n_leaves + step] = low[pair].min(), high[pair].max()
    return low, high


def places_of_nodes(top: Top) -> Array:
    """Where each node stands: leaves at whole numbers, others above the middle of their two."""
    order, waiting = [], [2 * top.n_leaves - 2]
    while waiting:
        node = waiting.pop()
        if node < top.n_leaves:
            order.append(node)
            continue
        left, right = top.children[node - top.n_leaves]
        if top.first[left] > top.first[right]:
            left, right = right, left
        waiting += [right, left]
    places = np.empty(2 * top.n_leaves - 1)
    places[order] = np.arange(top.n_leaves)
    for step, pair in enumerate(top.children):
        places[top.n_leaves + step] = places[pair].mean()
    return places
