"""Compiled loops over blocks of rows of a label matrix. All run without the GIL.

Clusters are numbered over all partitions, as in `Ensemble.cluster_ids`; -1 is missing. The
result for a row depends on that row alone, bit by bit: no sum is reordered, so that it does not
depend on the blocks or the machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = [
    "add_meetings",
    "add_overlap",
    "add_rows_of_table",
    "mean_company",
    "nearest_centers",
]


@compiled()
def add_overlap(ids: Any, weights: Any, table: Any) -> None:
    """Add the weight of each row to the pairs of clusters that contain it: (partitions, rows).

    Only pairs of a partition and itself or a later one. Integers, so that the sum is exact. Loops
    over pairs of partitions, so that the part of the table that is written fits in the cache.
    """
    n_partitions, n_rows = ids.shape
    for first in range(n_partitions):
        for second in range(first, n_partitions):
            for i in range(n_rows):
                a, b = ids[first, i], ids[second, i]
                if a >= 0 and b >= 0:
                    table[a, b] += weights[i]


@compiled()
def add_rows_of_table(ids: Any, table: Any, out: Any) -> None:
    """For each row of `ids` (rows, partitions), the sum of the table rows with these numbers."""
    n_rows, n_partitions = ids.shape
    width = table.shape[1]
    for i in range(n_rows):
        for q in range(width):
            out[i, q] = 0
        for j in range(n_partitions):
            cluster = ids[i, j]
            if cluster >= 0:
                for q in range(width):
                    out[i, q] += table[cluster, q]


@compiled()
def add_meetings(ids: Any, labels: Any, table: Any) -> None:
    """Overlap of each cluster with each label; the last row counts the labels."""
    n_rows, n_partitions = ids.shape
    last = table.shape[0] - 1
    for i in range(n_rows):
        label = labels[i]
        table[last, label] += 1
        for j in range(n_partitions):
            if ids[i, j] >= 0:
                table[ids[i, j], label] += 1


@compiled()
def mean_company(ids: Any, labels: Any, met: Any, sizes: Any, alone: Any, out: Any) -> None:
    """Mean proportion of samples with the same label; see `sample_confidence`."""
    n_rows, n_partitions = ids.shape
    for i in range(n_rows):
        label = labels[i]
        total, counted = 0.0, 0
        for j in range(n_partitions):
            cluster = ids[i, j]
            if cluster < 0 or (sizes[cluster] == 1 and not alone[label]):
                continue
            counted += 1
            if sizes[cluster] == 1:
                total += 1.0
            else:
                total += (met[cluster, label] - 1) / (sizes[cluster] - 1)
        out[i] = total / max(counted, 1)


@compiled()
def nearest_centers(points: Any, centers: Any, labels: Any) -> None:
    """Number of the nearest center, a column of `centers`, of each point; the first on ties."""
    n_points, n_dimensions = points.shape
    n_centers = centers.shape[1]
    distance = np.empty(n_centers)
    for i in range(n_points):
        for k in range(n_centers):
            distance[k] = 0
        for d in range(n_dimensions):
            x = points[i, d]
            for k in range(n_centers):
                gap = x - centers[d, k]
                distance[k] += gap * gap
        best = 0
        for k in range(1, n_centers):
            if distance[k] < distance[best]:
                best = k
        labels[i] = best
