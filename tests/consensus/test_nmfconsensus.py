"""NMF consensus: non-negative factors of the co-association matrix."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, NMFConsensus, coassociation, nmfconsensus
from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index


@pytest.fixture
def ensemble(reference_small):
    return Ensemble.from_labels(reference_small["labels"])


def test_objective_is_the_distance_from_the_coassociation_and_falls(ensemble):
    result = nmfconsensus(ensemble, 4, random_state=0)
    q, s = result.details["factor"], result.details["core"]
    distance = np.linalg.norm(coassociation(ensemble) - q @ s @ q.T) ** 2
    assert_allclose(result.details["objective"][-1], distance, rtol=1e-10)
    assert result.details["objective"][-1] < result.details["objective"][0]
    assert result.details["converged"]


def test_factor_meets_the_published_conditions(ensemble):
    # At the end the updates multiply by 1, and the columns are nearly orthogonal.
    result = nmfconsensus(ensemble, 4, tol=1e-9, max_iter=20_000, random_state=0)
    q, s = result.details["factor"], result.details["core"]
    shared = coassociation(ensemble)
    image = shared @ q @ s
    kept = q > 1e-6
    assert_allclose((image / (q @ q.T @ image))[kept], 1, atol=1e-4)
    gram = q.T @ q
    assert_allclose(q.T @ shared @ q, gram @ s @ gram, rtol=1e-4, atol=1e-6)
    assert (q >= 0).all()
    assert (s >= 0).all()


def test_one_update_by_hand(ensemble):
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 updates"):
        first = nmfconsensus(ensemble, 4, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 updates"):
        second = nmfconsensus(ensemble, 4, max_iter=2, random_state=0)
    q, s = first.details["factor"], first.details["core"]
    shared = coassociation(ensemble)
    image = shared @ q @ s
    q = q * np.sqrt(image / (q @ q.T @ image))
    s = s * np.sqrt((q.T @ shared @ q) / (q.T @ q @ s @ q.T @ q))
    assert_allclose(second.details["factor"], q, rtol=1e-10)
    assert_allclose(second.details["core"], s, rtol=1e-10)
    assert not second.details["converged"]


def test_labels_are_the_largest_entries_of_the_factor(planted):
    labels, truth = planted
    model = NMFConsensus(3, generator="precomputed", random_state=0).fit(labels)
    assert_array_equal(model.factor_.argmax(axis=1), model.labels_)
    assert adjusted_rand_index(truth, model.labels_) > 0.9
    same = (labels[:, None] == labels[None]).all(axis=2)
    first = same.argmax(axis=1)
    assert_array_equal(model.factor_, model.factor_[first])


def test_no_square_matrix_is_formed(monkeypatch):
    # 4000 samples of which no two are together in all partitions: a square matrix would be 128 MB
    labels = np.random.RandomState(0).randint(0, 20, (4000, 10))
    ensemble = Ensemble.from_labels(labels)
    assert len(ensemble.microclusters().sizes) > 3990
    # After the steps of other tests, the compiler would be loaded, and counted.
    monkeypatch.setattr("consensa._machine.compile._steps", 0)
    tracemalloc.start()
    nmfconsensus(ensemble, 3, n_init=1, tol=0.1, random_state=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30e6
