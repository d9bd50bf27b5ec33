"""What is said of an answer: fewer clusters than asked for, an undecided tie, thin evidence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from consensa.ensemble import Ensemble
from consensa.exceptions import FewerClustersWarning, ThinEvidenceWarning, UndecidedTieWarning

__all__ = ["warn_if_fewer", "warn_if_thin", "warn_if_undecided"]

_FEW_TOGETHER = 2  # partitions that label both samples of a pair
_MOST, _MANY_TIMES = 0.8, 2.5  # share of one cluster, and how often that of any base cluster
_OF_THE_CALL = 5  # frames up to the line that called the method


def warn_if_fewer(name: str, asked: int, found: int, separable: bool) -> None:
    """Say so if there are fewer clusters than were asked for, and why."""
    if found >= asked:
        return
    reason = (
        "some of its clusters won no sample. Try another random_state, or fewer clusters."
        if separable
        else "the partitions do not separate more groups of samples. Ask for fewer, or add "
        "partitions."
    )
    message = f"{name} was asked for {asked} clusters and returns {found}: {reason}"
    warnings.warn(message, FewerClustersWarning, stacklevel=_OF_THE_CALL)


def warn_if_undecided(name: str, ensemble: Ensemble, labels: Any) -> None:
    """Say so if samples that the ensemble cannot tell apart were told apart by their place."""
    ties = ensemble.canonical.ties
    if ties is None:
        return
    answer = labels[ties.first_samples]
    if ties.matter_to(np.asarray(answer)):
        message = (
            f"The partitions do not decide between some clusters of {name}: they hold samples "
            f"that could change places without changing any partition up to the names of its "
            f"clusters. Of such samples, the one that comes first in the data went first."
        )
        warnings.warn(message, UndecidedTieWarning, stacklevel=_OF_THE_CALL)


def warn_if_thin(name: str, ensemble: Ensemble, labels: Any) -> None:
    """Say so if pairs are hardly ever labeled together, or nearly all ended in one cluster."""
    n, m = ensemble.n_samples, ensemble.n_partitions
    known = 1 - ensemble.n_missing / (n * m)
    both = m * known**2
    gone = f"{1 - known:.0%} of the labels are missing"
    remedy = "Add partitions, or label more samples in each; HBGF and LWGP bear gaps best."
    if both < min(_FEW_TOGETHER, m / 3):
        message = (
            f"{gone}: on average {both:.1f} of {m} partitions label both samples of a pair, too "
            f"few to tell which belong together. {remedy}"
        )
        warnings.warn(message, ThinEvidenceWarning, stacklevel=_OF_THE_CALL)
    elif isinstance(labels, np.ndarray):  # not one that is still to be computed
        share = np.bincount(labels).max() / n
        usual = ensemble.cluster_sizes.max() / (known * n)
        if share >= _MOST and share > _MANY_TIMES * usual:
            message = (
                f"{name} puts {share:.0%} of the samples into one cluster, although no partition "
                f"has one of more than about {usual:.0%}. {gone}, and its clusters fall apart. "
                f"{remedy}"
            )
            warnings.warn(message, ThinEvidenceWarning, stacklevel=_OF_THE_CALL)
