"""From the criteria of each number of clusters to one answer, in words.

The evidence for a number is the mean of six votes with equal weights: four criteria, and the
advance of two others over the next number. Each is scaled so that the candidates lie between 0 and
1. The share of a number is the softmax of twelve times the evidence. The criteria, the factor
and the limits below were fixed on the development sets that the guide names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from consensa._array import Array

__all__ = ["CRITERIA", "Verdict", "decide", "evidence_of", "shares_of"]

# Criteria that vote, and whether it is their advance over the next number that votes.
CRITERIA = {
    "stability": False,
    "agreement": False,
    "overall_agreement": True,
    "silhouette": True,
    "eigengap": False,
    "merge_gap": False,
}
_SHARPNESS = 12.0
CLEAR = 0.6  # share of the first number, from which it is called clear
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


def evidence_of(columns: Mapping[str, Array]) -> Array:
    """Mean of the votes for each number, in [0, 1]."""
    votes = []
    for name, advances in CRITERIA.items():
        values = columns[name]
        votes.append(_scaled(values - np.append(values[1:], values[-1]) if advances else values))
    return np.asarray(np.mean(votes, axis=0))


def shares_of(evidence: Array) -> Array:
    """Softmax of the evidence."""
    weights = np.exp(_SHARPNESS * (evidence - evidence.max()))
    return np.asarray(weights / weights.sum())


def decide(numbers: Array, shares: Array) -> Verdict:
    """The answer for shares of the evidence."""
    order = np.argsort(-shares, kind="stable")
    ranking = tuple(int(numbers[place]) for place in order)
    clarity = float(shares[order[0]])
    if clarity >= CLEAR:
        return Verdict(ranking, clarity, "clear", ranking[:1])
    good = [int(numbers[place]) for place in order[:3] if shares[place] >= _GOOD]
    named = shares[np.isin(numbers, good)].sum() >= CLEAR
    if len(good) > 1 and named:
        return Verdict(ranking, clarity, "several", tuple(sorted(good)))
    return Verdict(ranking, clarity, "unclear", ranking[:1])


def _scaled(values: Array) -> Array:
    spread = float(np.ptp(values))
    return np.zeros(len(values)) if spread < 1e-12 else (values - values.min()) / spread
