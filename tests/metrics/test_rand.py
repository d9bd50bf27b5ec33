"""Adjusted Rand indices of many pairs of partitions at once."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import Ensemble
from consensa.metrics import adjusted_rand_index
from consensa.metrics.rand import pairwise_rand, rand_with


def test_rand_indices_are_those_of_the_metrics(planted):
    labels = planted[0].copy()
    labels[np.random.RandomState(0).uniform(size=labels.shape) < 0.3] = -1
    labels[:, 0] = planted[0][:, 0]
    ensemble = Ensemble.from_labels(labels)
    found = pairwise_rand(ensemble)
    answer = planted[1].copy()
    answer[:5] = -1
    for a in range(8):
        for b in range(8):
            both = (labels[:, a] != -1) & (labels[:, b] != -1)
            expected = adjusted_rand_index(labels[both, a], labels[both, b])
            assert found[a, b] == pytest.approx(expected)
        both = (labels[:, a] != -1) & (answer != -1)
        expected = adjusted_rand_index(labels[both, a], answer[both])
        assert rand_with(ensemble, answer)[a] == pytest.approx(expected)
