"""The consensus matrix small enough for a page: rows are groups of samples, or samples."""

from __future__ import annotations

import base64
from typing import NamedTuple

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import MISSING
from consensa.metrics.certainty import mean_affinity, pair_counts

__all__ = ["MOST_ROWS", "ConsensusMap", "consensus_map"]

MOST_ROWS = 240
_MOST_HEEDED = 12  # partitions by which samples are sorted


class ConsensusMap(NamedTuple):
    """Mean co-association of groups of samples, cluster by cluster, the center of each first.

    Attributes
    ----------
    clusters : list of int
        Clusters that are shown, in this order.
    rows : list of int
        Number of rows of each.
    sizes : list of int
        Number of samples of each row.
    confidence : list of float
        Mean confidence of each row.
    names : list of str
        Name of the first sample of each row.
    values : str
        Rows × rows bytes in base64: 255 where two samples are always together.
    """

    clusters: list[int]
    rows: list[int]
    sizes: list[int]
    confidence: list[float]
    names: list[str]
    values: str


def consensus_map(
    ensemble: Ensemble, labels: Array, confidence: Array, names: Array, trust: Array
) -> ConsensusMap:
    """Group similar samples of each cluster, and compute the mean co-association of two groups.

    `trust` is the priority of each partition when samples are sorted by similarity. No n × n
    array is needed: the means are computed from the label matrix. If there are more than
    `MOST_ROWS` clusters, the largest are shown.
    """
    sizes = np.bincount(labels)
    shown = np.sort(np.argsort(-sizes, kind="stable")[:MOST_ROWS])
    rows = _rows_of(sizes[shown])
    members = np.split(_order(ensemble, labels, trust), np.cumsum(sizes)[:-1])
    parts: list[Array] = []
    for cluster, count in zip(shown, rows, strict=True):
        parts += np.array_split(members[cluster], count)
    return ConsensusMap(
        clusters=shown.tolist(),
        rows=rows.tolist(),
        sizes=[len(part) for part in parts],
        confidence=[round(float(confidence[part].mean()), 4) for part in parts],
        names=[str(names[part[0]]) for part in parts],
        values=_encoded(_between(ensemble, parts)),
    )


def _rows_of(sizes: Array) -> Array:
    """Rows of each cluster: its samples if all fit, else its share of the rows, one at least."""
    if sizes.sum() <= MOST_ROWS:
        return sizes
    rows = np.maximum(1, np.floor(MOST_ROWS * sizes / sizes.sum())).astype(int)
    while rows.sum() > MOST_ROWS:  # many small clusters: the one with most rows gives one
        rows[rows.argmax()] -= 1
    return rows


def _order(ensemble: Ensemble, labels: Array, trust: Array) -> Array:
    """Samples cluster by cluster, those in the same base clusters next to each other.

    The samples of a cluster are sorted by their base clusters in the partition of highest
    priority, larger ones first, then by those of the next, and so on: the center of the cluster
    comes first.
    """
    keys = []
    for partition in np.argsort(trust, kind="stable")[-_MOST_HEEDED:]:
        codes = ensemble.codes[:, partition].astype(np.int64) - MISSING  # 0 is missing
        keys += [codes, np.where(codes > 0, -pair_counts(codes, labels), 0)]
    return np.lexsort([*keys, labels])


def _between(ensemble: Ensemble, parts: list[Array]) -> Array:
    groups = np.full(ensemble.n_samples, len(parts))  # a last group of what is not shown
    for number, part in enumerate(parts):
        groups[part] = number
    n_groups = int(groups.max()) + 1
    return mean_affinity(ensemble, groups, n_groups)[: len(parts), : len(parts)]


def _encoded(matrix: Array) -> str:
    levels = np.clip(np.rint(255 * matrix), 0, 255).astype(np.uint8)
    return base64.b64encode(levels.tobytes()).decode()
