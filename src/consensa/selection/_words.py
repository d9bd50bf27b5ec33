"""The recommendation in words."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.selection._candidates import Candidates
from consensa.selection._one_cluster import OneClusterTest
from consensa.selection._rule import Verdict

__all__ = ["answer_of", "feature_finding"]


def answer_of(verdict: Verdict, test: OneClusterTest | None) -> str:
    """The answer in one word."""
    if test is None or not test.is_one:
        return verdict.answer
    return "unclear" if test.is_doubtful else "one"


def feature_finding(
    verdict: Verdict, test: OneClusterTest | None, candidates: Candidates, numbers: Array
) -> str:
    """What was found, how clear it is, and what to try."""
    first = verdict.ranking[0]
    compared = "" if test is None else f" ({_compared(test)})"
    if test is not None and test.is_doubtful:
        return (
            f"No clear number of clusters: one cannot be ruled out{compared}. If there are more, "
            f"{first} is the most likely number."
        )
    if test is not None and test.is_one:
        return (
            f"One cluster: the data do not stand out from data without clusters{compared}. If "
            f"there are clusters, {first} is the most likely number."
        )
    share = f"{verdict.clarity:.0%} of the evidence"
    if verdict.answer == "clear":
        words = f"{first} clusters, and this is clear: {share}{compared}."
    elif verdict.answer == "several":
        levels = _listed(verdict.good)
        words = (
            f"Several numbers are good: {levels}. The first choice is {first}, with {share}"
            f"{compared}; look at the coarse and the fine clusters."
        )
    else:
        words = (
            f"No clear number of clusters: {first} has {share}, then {verdict.ranking[1]}"
            if len(verdict.ranking) > 1
            else f"{first} clusters is the only candidate"
        ) + f"{compared}."
    return words + _edge(first, candidates, numbers)


def _edge(first: int, candidates: Candidates, numbers: Array) -> str:
    if len(numbers) < 2 or first not in (numbers[0], numbers[-1]) or first == 2:
        return ""
    end = "largest" if first == numbers[-1] else "smallest"
    more = "more" if first == numbers[-1] else "fewer"
    return f" It is the {end} number that was tried: there may be {more} clusters."


def _compared(test: OneClusterTest) -> str:
    sign = "≤" if np.isclose(test.p_value, 1 / (test.n_references + 1)) else "="
    number = f"{test.n_references} references of {len(test.p_values)} kinds"
    return f"p {sign} {test.p_value:.3f} against {number}"


def _listed(numbers: tuple[int, ...]) -> str:
    return " and ".join([", ".join(map(str, numbers[:-1])), str(numbers[-1])])
