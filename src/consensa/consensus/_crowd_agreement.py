"""Weights of partitions by their agreement with the others, as in WEAC and GP-MGLA."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.metrics import partition_similarity

__all__ = ["crowd_agreement"]


def crowd_agreement(ensemble: Ensemble) -> Array:
    """Mean agreement of each partition with the others, over the largest of these means.

    The agreement is the mutual information over the larger entropy, on the samples that both
    partitions label; 0 if they share fewer than two. All are 1 if no partitions agree.
    """
    agreement = np.nan_to_num(partition_similarity(ensemble, score="nmi_max"))
    np.fill_diagonal(agreement, 0)
    total = np.clip(agreement.sum(axis=1), 0, None)
    return total / total.max() if total.max() > 0 else np.ones(ensemble.n_partitions)
