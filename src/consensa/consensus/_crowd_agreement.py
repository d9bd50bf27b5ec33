"""Weights of partitions by their agreement with the others, as in WEAC and GP-MGLA."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import sums_by_partition
from consensa.metrics import partition_similarity

__all__ = ["crowd_agreement"]

_ROUNDING = 1e-12  # of a mean that is 0


def crowd_agreement(ensemble: Ensemble) -> Array:
    """Mean agreement of each partition with the others, over the largest of these means.

    The agreement is the mutual information over the larger entropy, on the samples that both
    partitions label, times the share of the samples that these are: on few samples random labels
    agree too. A partition of one cluster agrees with none, nor do two partitions of which one has
    a single cluster on the samples of both. All are 1 if no partitions agree.
    """
    agreement = np.nan_to_num(partition_similarity(ensemble, score="nmi_max"))
    labeled = ensemble.labeled.astype(np.float64)
    agreement *= labeled.T @ labeled / ensemble.n_samples
    seen = _clusters_seen(ensemble) if ensemble.has_missing else ensemble.cluster_counts[:, None]
    constant = seen == 1
    agreement[constant | constant.T] = 0
    np.fill_diagonal(agreement, 0)
    total = agreement.sum(axis=1)
    return total / total.max() if total.max() > _ROUNDING else np.ones(ensemble.n_partitions)


def _clusters_seen(ensemble: Ensemble) -> Array:
    """Number of clusters of each partition, in a row, on the samples that another one labels."""
    labeled = ensemble.labeled.astype(np.float64)
    seen = (ensemble.membership().T @ labeled > 0).astype(np.int64)
    return sums_by_partition(seen, ensemble.cluster_counts)
