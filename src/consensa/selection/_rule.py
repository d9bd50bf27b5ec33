"""From the criteria of each number of clusters to one answer, in words.

The evidence for a number is the weighted mean of five votes: four criteria, and the advance of
one over the next number. Each is scaled so that the candidates lie between 0 and 1. The share of a
number is the softmax of twelve times the evidence. The criteria, the weights, the factor and the
limits below were fixed on the development sets that the guide names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from consensa._array import Array

__all__ = ["VOTES", "Verdict", "decide", "evidence_of", "shares_of", "votes_of"]


class Vote(NamedTuple):
    """A criterion that votes; with its values, or with their advance over the next number."""

    criterion: str
    weight: float = 1
    advances: bool = False


VOTES = (
    Vote("agreement", 3),
    Vote("silhouette"),
    Vote("silhouette", advances=True),
    Vote("eigengap"),
    Vote("tree_separation"),
)
_SHARPNESS = 12.0
_CLEAR = 0.7  # share of the first number, from which it is called clear
_TOGETHER = 0.6  # share of two or three numbers, from which they are named
_GOOD = 0.2  # share of a number that is named beside the first


class Verdict(NamedTuple):
    """The answer for several numbers of clusters, without that of one cluster.

    Attributes
    ----------
    ranking : tuple of int
        The numbers, the best first.
    clarity : float
        Share of the first.
    answer : {"clear", "several", "unclear"}
        Whether one number stands out, a few do, or none.
    good : tuple of int
        The numbers that stand out, in ascending order.
    """

    ranking: tuple[int, ...]
    clarity: float
    answer: str
    good: tuple[int, ...]


def votes_of(columns: Mapping[str, Array]) -> Array:
    """The votes, each for all numbers, in [0, 1]."""
    votes = []
    for criterion, _, advances in VOTES:
        values = columns[criterion]
        votes.append(_scaled(values - np.append(values[1:], values[-1]) if advances else values))
    return np.array(votes)


def evidence_of(columns: Mapping[str, Array]) -> Array:
    """Weighted mean of the votes for each number, in [0, 1]."""
    return np.average(votes_of(columns), axis=0, weights=[vote.weight for vote in VOTES])


def shares_of(evidence: Array) -> Array:
    """Softmax of the evidence."""
    weights = np.exp(_SHARPNESS * (evidence - evidence.max()))
    return np.asarray(weights / weights.sum())


def decide(numbers: Array, shares: Array) -> Verdict:
    """The answer for shares of the evidence."""
    order = np.argsort(-shares, kind="stable")
    ranking = tuple(int(numbers[place]) for place in order)
    clarity = float(shares[order[0]])
    if clarity >= _CLEAR and len(numbers) > 1:  # a single candidate was not chosen
        return Verdict(ranking, clarity, "clear", ranking[:1])
    good = [int(numbers[place]) for place in order[:3] if shares[place] >= _GOOD]
    named = shares[np.isin(numbers, good)].sum() >= _TOGETHER
    if len(good) > 1 and named:
        return Verdict(ranking, clarity, "several", tuple(sorted(good)))
    return Verdict(ranking, clarity, "unclear", ranking[:1])


def _scaled(values: Array) -> Array:
    spread = float(np.ptp(values))
    return np.zeros(len(values)) if spread < 1e-12 else (values - values.min()) / spread
