"""Weights of the votes and the limit of "clear", fitted with each battery in turn left out.

Works from the criteria that `number_of_clusters.py` keeps for each data set: nothing is clustered
again. On the other batteries, the weights with the largest likelihood of the right numbers are
chosen among all with the values 0, 1 and 3; then the smallest limit from which at least 90 % of
the first numbers are right. Both are applied to the battery that was left out.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from consensa.selection._rule import VOTES, decide, shares_of, votes_of

CHOICES = (0, 1, 3)
LIMITS = np.arange(40, 96) / 100
RIGHT = 0.85  # of the clear answers; 80 % are wanted, and a fitted share promises too much
SHOWN = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Set(NamedTuple):
    """A data set: its battery, candidates, votes, right numbers, and whether it was called one."""

    battery: str
    numbers: np.ndarray
    votes: np.ndarray
    known: list
    is_one: bool


class Outcome(NamedTuple):
    """Share of the first number of a set by some weights, 0 if it was called one; is it right."""

    share: float
    right: bool


def read_sets(lines):
    """The data sets of a store, from lines with criteria."""
    found = []
    for line in lines:
        columns = {name: np.array(values) for name, values in line["criteria"].items()}
        numbers = columns["n_clusters"].astype(int)
        is_one = line["chosen"] == 1
        found.append(Set(line["battery"], numbers, votes_of(columns), line["known"], is_one))
    return found


def outcomes(sets, weights):
    """What the weights give for each data set."""
    found = []
    for one in sets:
        verdict = decide(one.numbers, shares_of(np.average(one.votes, axis=0, weights=weights)))
        right = verdict.ranking[0] in one.known
        found.append(Outcome(0, False) if one.is_one else Outcome(verdict.clarity, right))
    return found


def fitted(sets):
    """Weights and limit for some data sets."""
    choices = np.array([own for own in product(CHOICES, repeat=len(VOTES)) if any(own)], float)
    choices /= choices.sum(axis=1, keepdims=True)
    likelihood = np.zeros(len(choices))
    for one in sets:
        evidence = choices @ one.votes
        shares = np.apply_along_axis(shares_of, 1, evidence)
        likelihood += np.log(shares[:, np.isin(one.numbers, one.known)].sum(axis=1) + 1e-3)
    weights = choices[likelihood.argmax()]
    return weights, fitted_limit(outcomes(sets, weights))


def fitted_limit(found):
    """The smallest limit from which enough of the first numbers are right; else the largest."""
    for limit in LIMITS:
        own = _clear(found, limit)
        if own and np.mean(own) >= RIGHT:
            return float(limit)
    return float(LIMITS[-1])


def calibrate(lines):
    """Print what is right and clear in each battery, with the others alone fitted."""
    sets = read_sets(lines)
    batteries = sorted({one.battery for one in sets})
    print("| battery left out | sets | limit | clear | right of the clear | right of all |")
    print("|---|---|---|---|---|---|")
    everything, clear = [], []
    for battery in batteries:
        weights, limit = fitted([one for one in sets if one.battery != battery])
        found = outcomes([one for one in sets if one.battery == battery], weights)
        everything += found
        clear += _clear(found, limit)
        _row(battery, found, f"{limit:.2f}", _clear(found, limit))
    _row("**all**", everything, "", clear)
    print("\nThe same weights, and one limit for all:\n")
    print("| share of the first number at least | share of the sets | right |\n|---|---|---|")
    for limit in SHOWN:
        own = _clear(everything, limit)
        print(f"| {limit:.1f} | {len(own) / len(everything):.0%} | {_of(own)} |")


def _clear(found, limit):
    """Whether the first numbers with at least this share are right."""
    return [one.right for one in found if one.share >= limit]


def _row(name, found, limit, clear):
    print(f"| {name} | {len(found)} | {limit} | {len(clear) / len(found):.0%} | "
          f"{_of(clear)} | {_of([one.right for one in found])} |")  # fmt: skip


def _of(right):
    return f"{np.mean(right):.0%} of {len(right)}" if right else "none"
