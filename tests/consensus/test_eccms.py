"""EC-CMS: the co-association matrix enhanced from its certain pairs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import ECCMS, Ensemble, coassociation, eccms, locally_weighted_coassociation, lwea
from consensa.exceptions import ConvergenceWarning, NotEnoughMemoryError
from consensa.metrics import adjusted_rand_index


@pytest.fixture
def ensemble(request, reference_small):
    if request.param == "small":
        return Ensemble.from_labels(reference_small["labels"])
    rng = np.random.RandomState(0)  # more microclusters than fit into one block of rows
    truth = rng.randint(4, size=160)
    labels = np.where(rng.uniform(size=(8, 160)) < 0.2, rng.randint(6, size=(8, 160)), truth).T
    return Ensemble.from_labels(labels)


def enhance_sample_by_sample(certain, evidence, penalty, n_iter):
    """The published iteration, on n × n matrices; C, and the largest change in the last round."""
    n = len(evidence)
    c = e = f = y2 = np.zeros((n, n))
    y1 = evidence
    laplacian = np.diag(certain.sum(axis=1)) - certain
    for _ in range(n_iter):
        before = c, e, f, y1, y2
        c = np.linalg.solve(2 * laplacian + 2 * np.eye(n), (evidence - e + y1) + (f - y2))
        e = np.where(certain > 0, 0, (evidence - c + y1) / (penalty + 1))
        f = np.clip((c + y2 + (c + y2).T) / 2, 0, 1)
        y1 = y1 + evidence - c - e
        y2 = y2 + c - f
    changes = [
        np.linalg.norm(new - old) / np.linalg.norm(old)
        for new, old in zip((c, e, f, y1, y2), before, strict=True)
    ]
    return c, max(changes)


@pytest.mark.parametrize(("threshold", "penalty"), [(0.8, 0.4), (0.75, 0.01), (0.4, 0.1)])
@pytest.mark.parametrize("ensemble", ["small", "of many microclusters"], indirect=True)
def test_matrix_is_that_of_the_iteration_over_all_samples(ensemble, threshold, penalty):
    result = eccms(ensemble, 4, threshold=threshold, penalty=penalty)
    shared = coassociation(ensemble)
    certain = np.where(shared >= threshold, shared, 0)
    np.fill_diagonal(certain, 0)
    evidence = locally_weighted_coassociation(ensemble)
    slow, change = enhance_sample_by_sample(certain, evidence, penalty, result.details["n_iter"])
    assert_allclose(result.affinity, (slow + slow.T) / 2, atol=1e-10)
    assert result.details["converged"]
    residuals = result.details["residuals"]
    assert_allclose(residuals[-1], change, rtol=1e-8)
    assert residuals[-1] < 0.01 <= residuals[:-1].min()


def test_pairs_at_the_threshold_are_certain():
    # Samples 0 and 1 meet in 4 of 5 partitions: 4/5 is 0.8 to the last bit, and counts.
    labels = np.array([[0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
    ensemble = Ensemble.from_labels(labels)
    at = eccms(ensemble, 2, threshold=0.8).affinity
    above = eccms(ensemble, 2, threshold=0.81).affinity
    # What sample 0 and sample 1 have to do with sample 2 becomes more alike.
    assert abs(at[0, 2] - at[1, 2]) < 0.7 * abs(above[0, 2] - above[1, 2])


def test_without_certain_pairs_it_is_lwea_up_to_the_tolerance(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    result = eccms(ensemble, 4, threshold=1.01, penalty=0.4, tol=1e-6, max_iter=500)
    assert result.details["converged"]  # although the error vanishes and its share never settles
    assert_allclose(result.affinity, locally_weighted_coassociation(ensemble), atol=1e-4)
    assert adjusted_rand_index(lwea(ensemble, 4).labels, result.labels) == 1.0


def test_defaults_are_those_of_the_authors_program():
    stated = {"threshold": 0.75, "penalty": 0.01, "theta": 0.4, "tol": 0.01, "max_iter": 100}
    assert eccms.__wrapped__.__kwdefaults__ == stated
    assert stated.items() <= ECCMS().get_params().items()


def test_running_out_of_iterations_is_said(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    with pytest.warns(ConvergenceWarning, match=r"EC-CMS did not converge in 3 iterations"):
        result = eccms(ensemble, 4, max_iter=3)
    assert not result.details["converged"]
    assert result.details["n_iter"] == 3


def test_matrix_is_symmetric_and_between_0_and_1_and_tree_can_be_cut_again(reference_small):
    result = eccms(Ensemble.from_labels(reference_small["labels"]), 4)
    assert_array_equal(result.affinity, result.affinity.T)
    assert 0 <= result.affinity.min() <= result.affinity.max() <= 1
    assert len(np.unique(result.cut(7))) == 7


def test_memory_for_the_microclusters_is_asked_for_before_they_are_compared(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 5 * 8 * 60**2)
    ensemble = Ensemble.from_labels(np.stack([np.arange(60), np.arange(60) // 2], axis=1))
    with pytest.raises(NotEnoughMemoryError, match="EC-CMS's matrix"):
        eccms(ensemble, 2)
