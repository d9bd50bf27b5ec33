"""Ranks of methods over sets, and significance of their differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from consensa._array import Array

__all__ = ["Comparison", "compare_ranks", "ranks"]


class Comparison(NamedTuple):
    """Mean ranks of methods, Friedman's test and Nemenyi's critical difference."""

    mean_ranks: Array
    p_value: float
    critical_difference: float


def ranks(scores: Array) -> Array:
    """Ranks within each row, 1 for the highest score; equal scores have their mean rank."""
    return np.apply_along_axis(lambda row: stats.rankdata(-row), 1, np.asarray(scores))


def compare_ranks(scores: Array, *, alpha: float = 0.05) -> Comparison | None:
    r"""Compare methods (columns) over sets (rows) by their ranks (Demšar, JMLR 2006).

    Two methods differ at level `alpha` if their mean ranks over :math:`N` sets differ by
    more than :math:`q_\alpha \sqrt{k (k + 1) / (6 N)}`, where :math:`q_\alpha` is the quantile of
    the studentized range of :math:`k` methods over :math:`\sqrt 2`. None with fewer than three
    methods or two sets.
    """
    n_sets, n_methods = np.shape(scores)
    if n_sets < 2 or n_methods < 3:
        return None
    ranked = ranks(scores)
    mean_ranks = ranked.mean(axis=0)
    if (mean_ranks == mean_ranks[0]).all():
        p_value = 1.0  # the statistic is zero, or 0/0 if all scores are equal
    else:
        p_value = float(stats.friedmanchisquare(*np.transpose(scores)).pvalue)
    quantile = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    critical = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))
    return Comparison(mean_ranks, p_value, float(critical))
