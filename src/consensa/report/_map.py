"""The consensus matrix small enough for a page: rows are groups of samples, or samples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import MISSING
from consensa.metrics.certainty import mean_affinity, pair_counts
from consensa.similarity import coassociation

__all__ = ["MOST_ROWS", "MOST_SAMPLES", "NOT_SHOWN", "ConsensusMap", "consensus_map"]

MOST_SAMPLES = 2000  # that have a row each
MOST_ROWS = 240  # groups of samples where there are more
NOT_SHOWN = 65535
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
    row_of_sample : bytes
        Row of each sample, as whole numbers of two bytes; 65535 if it is not shown.
    values : bytes
        Rows × rows bytes: 255 where two samples are always together.
    """

    clusters: list[int]
    rows: list[int]
    sizes: list[int]
    confidence: list[float]
    names: list[str]
    row_of_sample: bytes
    values: bytes

    def drawn(self) -> dict[str, Any]:
        """The fields that are no bytes."""
        return {name: value for name, value in self._asdict().items() if type(value) is list}


def consensus_map(
    ensemble: Ensemble,
    labels: Array,
    confidence: Array,
    names: Array,
    trust: Array,
    part_of_sample: Array | None = None,
) -> ConsensusMap:
    """Group similar samples of each cluster, and compute the mean co-association of two groups.

    `trust` is the priority of each partition when samples are sorted by similarity. No n × n
    array is needed: the means are computed from the label matrix. If there are more than
    `MOST_ROWS` clusters, the largest are shown. `part_of_sample` divides the clusters: no group
    has samples of two parts.
    """
    sizes = np.bincount(labels)
    if len(labels) <= MOST_SAMPLES:
        shown = np.arange(len(sizes))
        order = _order(ensemble, labels, trust)
        parts, rows = list(order[:, None]), sizes
    else:
        shown = np.sort(np.argsort(-sizes, kind="stable")[:MOST_ROWS])
        divided = labels if part_of_sample is None else part_of_sample
        parts = _groups(ensemble, labels, divided, shown, trust)
        rows = np.bincount(labels[[part[0] for part in parts]], minlength=len(sizes))[shown]
    row_of_sample = np.full(len(labels), NOT_SHOWN, np.uint16)
    for row, part in enumerate(parts):
        row_of_sample[part] = row
    return ConsensusMap(
        clusters=shown.tolist(),
        rows=rows.tolist(),
        sizes=[len(part) for part in parts],
        confidence=[round(float(confidence[part].mean()), 4) for part in parts],
        names=[str(names[part[0]]) for part in parts],
        row_of_sample=row_of_sample.astype("<u2").tobytes(),
        values=_levels(_between(ensemble, parts)).tobytes(),
    )


def _groups(
    ensemble: Ensemble, labels: Array, divided: Array, shown: Array, trust: Array
) -> list[Array]:
    """Groups of samples, cluster by cluster, the largest part of each first."""
    sizes = np.bincount(divided)
    members = np.split(_order(ensemble, divided, trust), np.cumsum(sizes)[:-1])
    cluster = labels[[own[0] for own in members]]
    order = [part for part in np.lexsort([-sizes, cluster]) if cluster[part] in shown]
    rows = _rows_of(sizes[order])
    return [
        group
        for part, count in zip(order, rows, strict=True)
        for group in np.array_split(members[part], count)
    ]


def _rows_of(sizes: Array) -> Array:
    """Rows of each part: its samples if all fit, else its share of the rows, one at least."""
    if sizes.sum() <= MOST_ROWS:
        return sizes
    rows = np.maximum(1, np.floor(MOST_ROWS * sizes / sizes.sum())).astype(int)
    while rows.sum() > MOST_ROWS:  # many small parts: the one with most rows gives one
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
    if len(parts) == ensemble.n_samples:
        order = np.concatenate(parts)
        return coassociation(ensemble)[np.ix_(order, order)]
    groups = np.full(ensemble.n_samples, len(parts))  # a last group of what is not shown
    for number, part in enumerate(parts):
        groups[part] = number
    n_groups = int(groups.max()) + 1
    return mean_affinity(ensemble, groups, n_groups)[: len(parts), : len(parts)]


def _levels(matrix: Array) -> Array:
    return np.clip(np.rint(255 * matrix), 0, 255).astype(np.uint8)
