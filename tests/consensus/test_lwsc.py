"""LWSC: locally weighted spectral clustering."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, lwsc
from consensa.consensus import _lwsc
from consensa.metrics import adjusted_rand_index
from consensa.partition import spectral_embedding
from consensa.partition.components import components
from consensa.similarity import locally_weighted_coassociation


def spread(points, labels):
    """Sum of squares within the clusters: what k-means minimizes."""
    return sum(
        ((points[labels == k] - points[labels == k].mean(axis=0)) ** 2).sum()
        for k in set(labels.tolist())
    )


def test_five_samples_by_hand():
    ensemble = Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [0, 1], [1, 2]])
    result = lwsc(ensemble, 3, random_state=0)
    assert_array_equal(result.labels, [0, 0, 1, 1, 2])
    assert_allclose(result.affinity, locally_weighted_coassociation(ensemble))


@pytest.mark.parametrize("name", ["small", "binalpha"])
def test_agrees_with_the_reference(name, request):
    stored = request.getfixturevalue(f"reference_{name}")
    arrays = stored if name == "small" else stored[0]
    ensemble, n_clusters = Ensemble.from_labels(arrays["labels"]), int(arrays["K"])
    result = lwsc(ensemble, n_clusters, n_init=200, random_state=0)
    wanted = arrays["sc_lwsc_embedding"]
    ours = spectral_embedding(result.affinity, n_clusters, random_state=0)
    assert_allclose(ours @ ours.T, wanted @ wanted.T, rtol=0, atol=1e-9)
    reached = spread(wanted, result.labels)
    assert reached <= 1.005 * arrays["sc_lwsc_embedding_km_best_inertia"]


@pytest.mark.parametrize("theta", [0.2, 0.4])
def test_factors_of_the_matrix_multiply_as_it_does(planted, theta):
    ensemble = Ensemble.from_labels(planted[0])
    groups = ensemble.microclusters()
    affinity = locally_weighted_coassociation(ensemble, theta=theta)
    operator, component = _lwsc._as_operator(ensemble, groups, theta)
    matrix = _lwsc._between_groups(affinity, groups)
    assert_allclose(operator @ np.eye(len(groups.sizes)), matrix, atol=1e-12)
    assert_array_equal(component, components(matrix))


def test_microclusters_have_the_eigenvectors_of_their_samples(planted):
    ensemble = Ensemble.from_labels(planted[0])
    groups = ensemble.microclusters()
    affinity = locally_weighted_coassociation(ensemble)
    matrix = _lwsc._between_groups(affinity, groups)
    few = spectral_embedding(matrix, 3, sizes=groups.sizes)[groups.labels]
    every = spectral_embedding(affinity, 3)
    assert_allclose(few @ few.T, every @ every.T, atol=1e-9)


@pytest.mark.parametrize("missing", [False, True])
def test_labels_of_a_large_ensemble_are_those_of_the_matrix(monkeypatch, missing):
    rng = np.random.RandomState(0)
    truth = rng.randint(5, size=700)
    noise = rng.randint(9, size=(6, 700))
    labels = np.where(rng.uniform(size=(6, 700)) < 0.3, noise, truth).T
    if missing:  # the matrix has no such factors then
        labels[rng.uniform(size=labels.shape) < 0.1] = -1
        labels[:, 0] = truth
    ensemble = Ensemble.from_labels(labels)
    n_groups = len(ensemble.microclusters().sizes)
    monkeypatch.setattr(_lwsc, "_OPERATOR_FROM", n_groups - 1)
    assert _lwsc._factors_pay(ensemble, n_groups, 5) is not missing
    by_factors = lwsc(ensemble, 5, random_state=0).labels
    monkeypatch.setattr(_lwsc, "_OPERATOR_FROM", n_groups)
    assert_array_equal(by_factors, lwsc(ensemble, 5, random_state=0).labels)
    assert adjusted_rand_index(truth, by_factors) > 0.9


def test_theta_reaches_the_matrix(planted):
    ensemble = Ensemble.from_labels(planted[0])
    result = lwsc(ensemble, 3, theta=0.2, random_state=0)
    assert_allclose(result.affinity, locally_weighted_coassociation(ensemble, theta=0.2))


def test_shuffling_the_rows_changes_nothing_even_with_one_start():
    labels = np.random.default_rng(0).integers(0, 5, (80, 6))  # no structure to lean on
    order = np.random.default_rng(1).permutation(80)
    here = lwsc(Ensemble.from_labels(labels), 4, n_init=1, random_state=0).labels
    there = lwsc(Ensemble.from_labels(labels[order]), 4, n_init=1, random_state=0).labels
    assert adjusted_rand_index(here[order], there) == 1
