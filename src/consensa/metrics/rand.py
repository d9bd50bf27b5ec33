"""Adjusted Rand index of many pairs of partitions at once, from tables of counts.

For one pair of labels, `adjusted_rand_index` asks scikit-learn. For each pair of m partitions that
would count all samples m² / 2 times, and take a hundred times as long.
"""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa._machine.memory import require_square
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.overlaps import overlaps_of
from consensa.ensemble.rows import cluster_slices

__all__ = ["pairwise_rand", "rand_of_codes", "rand_with"]


def pairwise_rand(ensemble: Ensemble) -> Array:
    """Adjusted Rand index of each pair of partitions, on the samples that both label.

    1 where these are fewer than two.
    """
    overlaps = overlaps_of(ensemble)
    blocks = cluster_slices(ensemble.cluster_counts)
    require_square(len(blocks), np.float64, arrays=2, step="The agreement", of="partitions")
    matrix = np.eye(len(blocks))
    for a, own in enumerate(blocks[:-1]):
        tables = overlaps.of(own).toarray()
        for b in range(a + 1, len(blocks)):
            matrix[a, b] = matrix[b, a] = _rand_of_table(tables[:, blocks[b]])
    return matrix


def rand_with(ensemble: Ensemble, labels: Array) -> Array:
    """Adjusted Rand index of `labels` with each partition, on the samples that both label."""
    n_clusters = int(labels.max()) + 1
    answer = np.empty(ensemble.n_partitions)
    for j, (codes, count) in enumerate(
        zip(ensemble.codes.T, ensemble.cluster_counts, strict=True)
    ):
        both = is_labeled(codes) & is_labeled(labels)
        pairs = codes[both].astype(np.int64) * n_clusters + labels[both]
        table = np.bincount(pairs, minlength=int(count) * n_clusters)
        answer[j] = _rand_of_table(table.reshape(int(count), n_clusters))
    return answer


def rand_of_codes(one: Array, other: Array) -> float:
    """Adjusted Rand index of two complete partitions, numbered from 0."""
    count = int(other.max()) + 1
    table = np.bincount(one * count + other, minlength=(int(one.max()) + 1) * count)
    return _rand_of_table(table.reshape(-1, count))


def _rand_of_table(table: Array) -> float:
    """Of the two partitions whose table of counts this is."""
    both, one, other = _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    if both == one == other:  # equal partitions, one cluster and singletons included
        return 1.0
    expected = one * other / _pairs(table.sum())
    return float((both - expected) / ((one + other) / 2 - expected))


def _pairs(counts: Array) -> float:
    """Pairs of samples in groups of these sizes; in floating point, which does not overflow."""
    sizes = np.asarray(counts, dtype=np.float64)
    return float((sizes * (sizes - 1)).sum() / 2)
