"""Ranks and critical differences, by hand and by Demšar's table."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa.study._ranks import compare_ranks, ranks


def test_the_highest_score_has_rank_one_and_equals_share_their_mean():
    assert_array_equal(ranks([[0.1, 0.9, 0.5], [0.4, 0.4, 0.2]]), [[3, 1, 2], [1.5, 1.5, 3]])


def test_mean_ranks_are_over_the_sets():
    scores = np.array([[0.3, 0.2, 0.1], [0.1, 0.3, 0.2], [0.3, 0.2, 0.1], [0.3, 0.1, 0.2]])
    compared = compare_ranks(scores)
    assert_allclose(compared.mean_ranks, [6 / 4, 8 / 4, 10 / 4])
    # Friedman's statistic: 12 N / (k (k + 1)) (sum of squares of mean ranks) - 3 N (k + 1)
    statistic = 12 * 4 / 12 * (1.5**2 + 2**2 + 2.5**2) - 3 * 4 * 4
    assert compared.p_value == pytest.approx(np.exp(-statistic / 2))  # chi², 2 degrees


@pytest.mark.parametrize(("k", "q"), [(3, 2.343), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_has_the_published_quantiles(k, q):
    scores = np.random.RandomState(0).uniform(size=(14, k))
    expected = q * np.sqrt(k * (k + 1) / (6 * 14))
    assert compare_ranks(scores).critical_difference == pytest.approx(expected, rel=5e-4)


def test_equal_methods_are_not_told_apart():
    compared = compare_ranks(np.ones((4, 3)))
    assert compared.p_value == 1
    assert_array_equal(compared.mean_ranks, [2, 2, 2])


@pytest.mark.parametrize("shape", [(1, 5), (7, 2)])
def test_too_little_is_not_compared(shape):
    assert compare_ranks(np.ones(shape)) is None
