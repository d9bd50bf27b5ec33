"""Warnings about a result: no convergence, fewer clusters, filled ones, ties, missing labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from consensa._result.wording import counted
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import offsets, sums_by_partition
from consensa.exceptions import (
    ConvergenceWarning,
    EmptyClustersWarning,
    FewerClustersWarning,
    ThinEvidenceWarning,
    UndecidedTieWarning,
)

__all__ = [
    "warn_if_fewer",
    "warn_if_thin",
    "warn_if_undecided",
    "warn_of_filled",
    "warn_unless_converged",
]

_FEW_TOGETHER = 2  # partitions that label both samples of a pair
_MOST, _MANY_TIMES = 0.7, 2.5  # size of a cluster: proportion, and relative to base clusters
_OF_THE_CALL = 6  # stack level of the call of the method, from `_warn`
_OF_THE_CALLER = 5  # the same from a function that the method itself calls


def warn_unless_converged(
    name: str, converged: bool, max_iter: int, steps: str = "iterations"
) -> None:
    """Warn if the run that a method returns ended at its limit."""
    if not converged:
        message = f"{name} did not converge in max_iter={max_iter} {steps}. Raise max_iter."
        warnings.warn(message, ConvergenceWarning, stacklevel=_OF_THE_CALLER)


def warn_if_fewer(name: str, asked: int, found: int, separable: bool) -> None:
    """Warn if there are fewer clusters than requested, with the reason."""
    if found >= asked:
        return
    reason = (
        "exact_k=False returns what was found. Set exact_k=True."
        if separable
        else "the partitions do not separate more clusters. Request fewer, or add partitions."
    )
    _warn(
        FewerClustersWarning,
        f"{name} returns {counted(found, 'cluster')} instead of {asked}: {reason}",
    )


def warn_of_filled(name: str, found: int, returned: int) -> None:
    """Warn that the method left clusters empty, which were filled."""
    _warn(
        EmptyClustersWarning,
        f"{name} found {counted(found, 'cluster')} instead of {returned}. Each of the others is "
        f"one distinct row, of those that fit worst in their cluster. Try another random_state, "
        f"or fewer clusters.",
    )


def warn_if_undecided(name: str, ensemble: Ensemble, labels: Any) -> None:
    """Warn if exchangeable samples were separated by the order of the rows."""
    ties = ensemble.canonical.ties
    if ties is None:
        return
    answer = labels[ties.first_samples]
    if ties.matter_to(np.asarray(answer)):
        _warn(
            UndecidedTieWarning,
            f"Some clusters of {name} are not determined by the partitions: they separate "
            f"exchangeable samples, which can be swapped without changing any partition except "
            f"for the names of its clusters. The order of the rows decided between them.",
        )


def warn_if_thin(name: str, ensemble: Ensemble, labels: Any) -> None:
    """Warn if pairs are rarely labeled together, or if nearly all samples are in one cluster."""
    n, m = ensemble.n_samples, ensemble.n_partitions
    known = 1 - ensemble.n_missing / (n * m)
    both = m * known**2
    gone = f"{1 - known:.0%} of the labels are missing"
    remedy = "Add partitions, or label more samples in each; HBGF and LWGP are the most robust."
    if both < min(_FEW_TOGETHER, m / 3):
        _warn(
            ThinEvidenceWarning,
            f"{gone}: on average {both:.1f} of {m} partitions label both samples of a pair, "
            f"too few for a reliable consensus. {remedy}",
        )
    elif isinstance(labels, np.ndarray):  # not a lazy array
        share = np.bincount(labels).max() / n
        usual = _usual_share(ensemble)
        if share >= _MOST and share > _MANY_TIMES * usual:
            _warn(
                ThinEvidenceWarning,
                f"{name} puts {share:.0%} of the samples into one cluster, although in half of "
                f"the partitions no cluster has more than {usual:.0%}. {gone}. {remedy}",
            )


def _usual_share(ensemble: Ensemble) -> float:
    """Proportion of the labeled samples in the largest cluster: median over the partitions."""
    sizes, counts = ensemble.cluster_sizes, ensemble.cluster_counts
    largest = np.maximum.reduceat(sizes, offsets(counts))
    return float(np.median(largest / sums_by_partition(sizes, counts)))


def _warn(category: type[Warning], message: str) -> None:
    warnings.warn(message, category, stacklevel=_OF_THE_CALL)
