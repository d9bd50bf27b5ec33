"""Adjusted Rand index of many pairs of partitions at once, from their contingency tables."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import cluster_slices
from consensa.metrics._external import ari_of_counts

__all__ = ["pairwise_rand", "rand_with"]


def pairwise_rand(ensemble: Ensemble) -> Array:
    """Adjusted Rand index of each pair of partitions, on the samples that both label."""
    overlap = ensemble.overlap.toarray()
    blocks = cluster_slices(ensemble.cluster_counts)
    matrix = np.eye(len(blocks))
    for a, b in combinations(range(len(blocks)), 2):
        matrix[a, b] = matrix[b, a] = _rand_of_table(overlap[blocks[a], blocks[b]])
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


def _rand_of_table(counts: Array) -> float:
    """Of the two partitions whose contingency table this is."""
    return ari_of_counts(counts, counts.sum(axis=1), counts.sum(axis=0))
