"""Weights of samples in whole units, so that sums of them are exact."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from consensa.ensemble.overlap_sum import balance


def test_weights_of_all_samples_together_fit_in_an_integer():
    weigh, unit = balance(np.array([1e-9, 1.0]), 10**9)
    heaviest = int(weigh(np.array([[0]]))[0])
    assert 10**9 * heaviest < 2**63
    assert_allclose(heaviest * unit, 1e9)


def test_a_sample_whose_clusters_weigh_nothing_adds_nothing():
    assert_array_equal(balance(np.array([0.0, 1.0]), 4)[0](np.array([[0], [1]]))[0], 0)
