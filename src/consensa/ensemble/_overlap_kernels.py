"""Compiled loops over the overlaps of the clusters, one cluster at a time.

The overlaps of a cluster with all others are counted, used and forgotten, so that the memory does
not grow with the number of pairs. Sums are of integers: they do not depend on the order.

Arguments: `ids` (partitions, samples); `first`, the first cluster of each partition, then the
number of clusters; `members`, the samples of the clusters, with their `ends`; the results are for
the clusters from `start`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = ["sum_entropies", "sum_hashes"]

_FIRST = np.uint64(0xBF58476D1CE4E5B9)  # as in `hashing.mix`
_SECOND = np.uint64(0x94D049BB133111EB)


@compiled()
def sum_hashes(
    ids: Any, first: Any, members: Any, ends: Any, start: int, hashes: Any, salt: Any, sums: Any
) -> None:
    """For each cluster, the sum of mix(hash + overlap) over the clusters that it overlaps."""
    counts = np.zeros(np.max(np.diff(first)), np.int64)
    for cluster in range(len(sums)):
        samples = members[ends[start + cluster] : ends[start + cluster + 1]]
        total = np.uint64(0)
        for partition in range(len(ids)):
            labels, base = ids[partition], first[partition]
            for i in samples:
                if labels[i] >= 0:
                    counts[labels[i] - base] += 1
            for i in samples:
                label = labels[i]
                if label >= 0 and counts[label - base] > 0:
                    x = hashes[label] + np.uint64(counts[label - base]) + salt
                    x = (x ^ (x >> np.uint64(30))) * _FIRST
                    x = (x ^ (x >> np.uint64(27))) * _SECOND
                    total += x ^ (x >> np.uint64(31))
                    counts[label - base] = 0
        sums[cluster] = total


@compiled()
def sum_entropies(
    ids: Any, first: Any, members: Any, ends: Any, start: int, unit: float, sums: Any, seen: Any
) -> None:
    """For each cluster, the entropies of the parts into which each partition splits it.

    In whole multiples of 1 / `unit`; `seen` counts the partitions that label any of its samples.
    """
    counts = np.zeros(np.max(np.diff(first)), np.int64)
    for cluster in range(len(sums)):
        samples = members[ends[start + cluster] : ends[start + cluster + 1]]
        total, n_seen = 0, 0
        for partition in range(len(ids)):
            labels, base = ids[partition], first[partition]
            labeled = 0
            for i in samples:
                if labels[i] >= 0:
                    counts[labels[i] - base] += 1
                    labeled += 1
            n_seen += labeled > 0
            for i in samples:
                label = labels[i]
                if label >= 0 and counts[label - base] > 0:
                    share = counts[label - base] / labeled
                    total += int(np.rint(-share * np.log2(share) * unit))
                    counts[label - base] = 0
        sums[cluster] = total
        seen[cluster] = n_seen
