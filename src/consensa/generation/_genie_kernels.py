"""The compiled loops of Genie: merges of a spanning tree under a bound on the Gini index."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = ["genie_merges", "labels_after"]


@compiled()
def _root(parent: Any, own: int) -> int:
    while parent[own] != own:
        parent[own] = parent[parent[own]]
        own = parent[own]
    return own


@compiled()
def _sum_of_differences(count: Any, following: Any, last: int, size: int) -> float:
    """Sum of |s - size| over the sizes s of all clusters, by the list of sizes that occur."""
    total = 0.0
    present = following[0]
    while present != last:
        total += count[present] * abs(present - size)
        present = following[present]
    return total


@compiled()
def _remove(count: Any, following: Any, preceding: Any, size: int) -> None:
    count[size] -= 1
    if count[size] == 0:
        following[preceding[size]] = following[size]
        preceding[following[size]] = preceding[size]


@compiled()
def _insert(count: Any, following: Any, preceding: Any, size: int, after: int) -> None:
    """Add a cluster; `after` is a smaller size that occurs, or 0."""
    if count[size] == 0:
        while following[after] < size:
            after = following[after]
        nearest = following[after]
        following[after] = size
        preceding[size] = after
        following[size] = nearest
        preceding[nearest] = size
    count[size] += 1


@compiled()
def genie_merges(first: Any, second: Any, sizes: Any, threshold: float) -> Any:
    """Order in which the edges of a spanning tree (the shortest first) merge clusters.

    The shortest edge is next if the Gini index of the sizes of the clusters is at most
    `threshold`; else the shortest edge at a cluster of the smallest size.
    """
    n = len(sizes)
    total = sizes.sum()
    last = total + 1  # end of the list of the sizes that occur; 0 is its start
    parent = np.arange(n)
    size = sizes.copy()
    taken = np.zeros(n - 1, np.bool_)
    order = np.empty(n - 1, np.int64)
    count = np.zeros(total + 2, np.int64)
    following = np.zeros(total + 2, np.int64)
    preceding = np.zeros(total + 2, np.int64)
    following[0] = last
    spread = 0.0  # sum over all pairs of clusters of the difference of their sizes
    largest = 0
    for s in np.sort(size):
        spread += _sum_of_differences(count, following, last, s)
        _insert(count, following, preceding, s, largest)
        largest = s
    shortest, start, smallest_before = 0, 0, 0
    for step in range(n - 1):
        while taken[shortest]:
            shortest += 1
        edge = shortest
        if spread > threshold * (n - step - 1.0) * total:
            smallest = following[0]
            # Edges before `start` were passed over for this size, and do not come back.
            if smallest != smallest_before or start < shortest:
                start = shortest
            smallest_before = smallest
            while taken[start] or (
                size[_root(parent, first[start])] != smallest
                and size[_root(parent, second[start])] != smallest
            ):
                start += 1
            edge = start
        taken[edge] = True
        order[step] = edge
        a, b = _root(parent, first[edge]), _root(parent, second[edge])
        for one in (size[a], size[b]):
            spread -= _sum_of_differences(count, following, last, one)
            _remove(count, following, preceding, one)
        parent[b] = a
        size[a] += size[b]
        spread += _sum_of_differences(count, following, last, size[a])
        _insert(count, following, preceding, size[a], 0)
    return order


@compiled()
def labels_after(first: Any, second: Any, order: Any, n_merges: int) -> Any:
    """Cluster of each point after the first merges, numbered by first appearance."""
    n = len(order) + 1
    parent = np.arange(n)
    for step in range(n_merges):
        edge = order[step]
        parent[_root(parent, second[edge])] = _root(parent, first[edge])
    labels = np.empty(n, np.int64)
    number = np.full(n, -1)
    n_found = 0
    for i in range(n):
        top = _root(parent, i)
        if number[top] < 0:
            number[top] = n_found
            n_found += 1
        labels[i] = number[top]
    return labels
