"""Consensus of random halves of the partitions, and its stability."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import MISSING, is_labeled
from consensa.exceptions import ConsensaWarning, UndecidedTieWarning
from consensa.metrics.rand import pairwise_rand

__all__ = ["Trial", "combined", "consensus_at", "consensus_of_draws", "stability"]


def stability(ensemble: Ensemble) -> float:
    r"""Mean agreement of all pairs of partitions.

    .. math:: \binom{b}{2}^{-1} \sum_{i < j} \mathrm{ARI}(c_i, c_j),

    for example of the consensus partitions :math:`c_i` of random halves of the base partitions:
    1 if the consensus does not depend on the half.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Two or more partitions; missing labels are ignored pair by pair.

    Returns
    -------
    float
        1 if all partitions are equal, about 0 if they are independent.

    See Also
    --------
    select_n_clusters : Computes it for each number of clusters.

    Examples
    --------
    >>> from consensa.selection import stability
    >>> stability([[0, 1, 0], [0, 1, 0], [1, 0, 1], [1, 0, 1]])
    1.0
    """
    matrix = pairwise_rand(Ensemble.from_labels(ensemble))
    above = matrix[np.triu_indices(len(matrix), 1)]
    return float(above.mean()) if above.size else 1.0


def consensus_at(
    model: BaseConsensus, ensemble: Ensemble, candidates: Sequence[int], seed: int
) -> Array:
    """Consensus for each number of clusters, one column each; from one tree if there is one."""
    first = combined(model, ensemble, candidates[-1], seed)
    if first.tree is not None:
        return np.stack([first.tree.cut(k) for k in candidates], axis=1)
    others = [combined(model, ensemble, k, seed).labels for k in candidates[:-1]]
    return np.stack([*others, first.labels], axis=1)


def combined(model: BaseConsensus, ensemble: Ensemble, n_clusters: int, seed: int) -> Any:
    """The result of a method for one number of clusters."""
    model.set_params(n_clusters=n_clusters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndecidedTieWarning)  # of a trial, not of an answer
        return model._combine(ensemble, np.random.RandomState(seed))


class Trial(NamedTuple):
    """What is tried on partitions: a method, numbers of clusters, and random numbers."""

    model: BaseConsensus
    candidates: Sequence[int]
    rng: np.random.RandomState


def consensus_of_draws(trial: Trial, ensemble: Ensemble, n_draws: int) -> Array:
    """Consensus of random halves of the partitions: (n_draws, n_samples, n_candidates).

    A sample that no partition of a draw labels has a missing label.
    """
    model, candidates, rng = trial
    half = (ensemble.n_partitions + 1) // 2
    answers = np.full((n_draws, ensemble.n_samples, len(candidates)), MISSING)
    for answer in answers:
        columns = np.sort(rng.choice(ensemble.n_partitions, half, replace=False))
        codes = ensemble.codes[:, columns]
        rows = np.flatnonzero(is_labeled(codes).any(axis=1))
        drawn = Ensemble.from_labels(codes[rows])
        possible = [k for k in candidates if drawn.separates(k)]
        with warnings.catch_warnings():
            # The method warns once, about the whole ensemble.
            warnings.simplefilter("ignore", ConsensaWarning)
            found = consensus_at(model, drawn, possible or [1], int(rng.randint(2**31 - 1)))
        # If the draw has fewer microclusters, its finest partition is used.
        column_of = [max(len([p for p in possible if p <= k]) - 1, 0) for k in candidates]
        answer[rows] = found[:, column_of]
    return answers
