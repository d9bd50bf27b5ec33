"""A result → the tables of its report: clusters, confidence, least certain samples, partitions."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa._result import ConsensusResult
from consensa.ensemble import Ensemble
from consensa.metrics import PartitionAgreement, cluster_stability
from consensa.metrics.certainty import company_shares
from consensa.report._data import ClusterRow, PartitionRow, SampleRow

__all__ = ["clusters_table", "confidence_histogram", "partitions_table", "samples_table"]

_MOST_SAMPLES = 200  # rows of the table of least certain samples
_MOST_CLUSTERS = 300  # rows of the table of clusters and of the affinities between them
_MOST_PARTITIONS = 300
_BINS = 20


def clusters_table(result: ConsensusResult, stability: Array) -> list[ClusterRow]:
    """The clusters, or the largest ones if there are many."""
    sizes = result.cluster_sizes
    largest = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_CLUSTERS])
    cohesion = rival = affinity = None
    if len(sizes) <= _MOST_CLUSTERS:
        found = cluster_stability(result.ensemble, result.labels)
        cohesion, rival, affinity = found.cohesion, found.rival, found.affinity
    rows = []
    for c in largest.tolist():
        other = None if rival is None or rival[c] < 0 else int(rival[c])
        rows.append(
            ClusterRow(
                number=c,
                size=int(sizes[c]),
                share=float(sizes[c] / sizes.sum()),
                stability=float(stability[c]),
                cohesion=None if cohesion is None else float(cohesion[c]),
                rival=other,
                rival_affinity=None
                if other is None or affinity is None
                else float(affinity[c, other]),
            )
        )
    return rows


def confidence_histogram(result: ConsensusResult, clusters: list[int]) -> dict[str, list[int]]:
    """Histograms of the confidence of all samples, and of each of these clusters."""
    places = np.minimum((result.confidence * _BINS).astype(int), _BINS - 1)
    counts = {"all": np.bincount(places, minlength=_BINS).tolist()}
    table = np.bincount(result.labels * _BINS + places, minlength=result.n_clusters * _BINS)
    by_cluster = table.reshape(-1, _BINS)
    return counts | {str(cluster): by_cluster[cluster].tolist() for cluster in clusters}


def samples_table(result: ConsensusResult, names: Array) -> list[SampleRow]:
    """The least certain samples, each with its rival."""
    labels, confidence = result.labels, result.confidence
    least = np.argsort(confidence, kind="stable")[:_MOST_SAMPLES]
    shares = company_shares(result.ensemble, labels, least)
    shares[np.arange(len(least)), labels[least]] = 0  # the rival is another cluster
    rival = shares.argmax(axis=1)
    share = shares.max(axis=1)
    labeled = result.ensemble.labeled[least].sum(axis=1)
    return [
        SampleRow(
            name=str(names[sample]),
            cluster=int(labels[sample]),
            confidence=float(confidence[sample]),
            rival=int(rival[row]) if share[row] > 0 else None,
            rival_share=float(share[row]),
            labeled=int(labeled[row]),
        )
        for row, sample in enumerate(least)
    ]


def partitions_table(ensemble: Ensemble, agreement: PartitionAgreement) -> list[PartitionRow]:
    """The base partitions, or the first ones if there are many, with their agreement."""
    known = ensemble.partition_names or tuple(map(str, range(ensemble.n_partitions)))
    columns = (agreement.n_clusters, agreement.n_labeled, agreement.agreement, agreement.weight)
    return [
        PartitionRow(str(name), int(k), int(n), float(value), float(weight))
        for name, k, n, value, weight in list(zip(known, *columns, strict=True))[:_MOST_PARTITIONS]
    ]
