"""Compiled loops over the overlaps of the clusters, one cluster at a time.

The overlaps of a cluster with all others are counted, used and forgotten, so that the memory does
not grow with the number of pairs. Sums are of integers: they do not depend on the order.

Arguments: `ids` (partitions, samples); `first`, the first cluster of each partition, then the
number of clusters; `members`, the samples of the clusters, with their `ends`; a call is for the
clusters from `start` to `stop`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = ["add_hashes", "sum_entropies"]

_FIRST = np.uint64(0xBF58476D1CE4E5B9)  # as in `hashing.mix`
_SECOND = np.uint64(0x94D049BB133111EB)


@compiled()
def add_hashes(
    ids: Any, first: Any, members: Any, ends: Any, start: int, stop: int, hashes: Any, salt: Any,
    sums: Any,
) -> None:  # fmt: skip
    """Add, for each pair of clusters that overlap, mix(hash of the other + overlap) to both.

    Of the pairs, those of a cluster from `start` to `stop` with itself or one of a later
    partition.
    """
    counts = np.zeros(np.max(np.diff(first)), np.int64)
    own = np.searchsorted(first, start, side="right") - 1  # the partition of the cluster
    for cluster in range(start, stop):
        samples = members[ends[cluster] : ends[cluster + 1]]
        while first[own + 1] <= cluster:
            own += 1
        for partition in range(own, len(ids)):
            labels, base = ids[partition], first[partition]
            left = _count_labels(labels, base, samples, counts)  # those not added yet
            for i in samples:
                if left == 0:
                    break
                other = labels[i]
                if other >= 0 and counts[other - base] > 0:
                    shared = np.uint64(counts[other - base])
                    sums[cluster] += _mixed(hashes[other] + shared + salt)
                    if partition > own:
                        sums[other] += _mixed(hashes[cluster] + shared + salt)
                    left -= counts[other - base]
                    counts[other - base] = 0


@compiled()
def _count_labels(labels: Any, base: int, samples: Any, counts: Any) -> int:
    """Count the labels of some samples, `base` being the first; how many samples have one."""
    labeled = 0
    for i in samples:
        if labels[i] >= 0:
            counts[labels[i] - base] += 1
            labeled += 1
    return labeled


@compiled()
def _mixed(x: Any) -> Any:
    """`hashing.mix` after its first step."""
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


@compiled()
def sum_entropies(
    ids: Any, first: Any, members: Any, ends: Any, start: int, stop: int, logs: Any, unit: float,
    sums: Any, seen: Any,
) -> None:  # fmt: skip
    """For each cluster, the entropies of the parts into which each partition splits it.

    In whole multiples of 1 / `unit`; `seen` counts the partitions that label any of its samples.
    `logs` are the logarithms of the sizes.
    """
    counts = np.zeros(np.max(np.diff(first)), np.int64)
    for cluster in range(start, stop):
        samples = members[ends[cluster] : ends[cluster + 1]]
        total, n_seen = 0, 0
        for partition in range(len(ids)):
            labels, base = ids[partition], first[partition]
            labeled = _count_labels(labels, base, samples, counts)
            n_seen += labeled > 0
            left = labeled
            for i in samples:
                if left == 0:
                    break
                other = labels[i]
                if other >= 0 and counts[other - base] > 0:
                    part = counts[other - base]
                    entropy = part / labeled * (logs[labeled] - logs[part])
                    total += int(entropy * unit + 0.5)
                    left -= part
                    counts[other - base] = 0
        sums[cluster] = total
        seen[cluster] = n_seen
