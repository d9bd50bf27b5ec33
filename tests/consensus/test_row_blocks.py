"""Methods whose loops are shared among threads."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, eccms, sdgca, spce, trce


@pytest.mark.parametrize("method", [eccms, sdgca, spce, trce])
def test_matrix_is_the_same_to_the_last_bit_whatever_the_number_of_threads(method, monkeypatch):
    rng = np.random.RandomState(0)
    truth = rng.randint(4, size=200)  # some 150 microclusters: several blocks of rows
    noise = rng.randint(6, size=(8, 200))
    labels = np.where(rng.uniform(size=(8, 200)) < 0.2, noise, truth).T
    answers = []
    for threads in (1, 3):
        monkeypatch.setattr("consensa._machine.threads.n_threads", lambda t=threads: t)
        answers.append(method(Ensemble.from_labels(labels), 4).affinity)
    assert_array_equal(*answers)
