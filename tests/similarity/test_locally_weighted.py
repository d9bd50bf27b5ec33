"""Certainty of clusters and locally weighted co-association."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import assert_entries, our_clusters
from strategies import label_matrices

from consensa import Ensemble, coassociation
from consensa.exceptions import InvalidParameterError, NotEnoughMemoryError
from consensa.similarity import (
    _locally_weighted,
    cluster_certainty,
    locally_weighted_coassociation,
)

# The second partition halves the first cluster of the first; the others are kept whole.
HALVED = [[0, 0], [0, 0], [0, 1], [0, 1], [1, 2]]


def certainty_by_definition(ensemble, theta):
    """One cluster, one partition, one piece at a time."""
    labels, m = ensemble.codes, ensemble.n_partitions
    answers = []
    for members in ensemble.clusters():
        entropy, labeling = 0.0, 0
        for partition in labels[members].T:
            known = partition[partition >= 0]
            labeling += known.size > 0
            for piece in set(known.tolist()):
                p = np.mean(known == piece)
                entropy -= p * np.log2(p)
        answers.append(np.exp(-(entropy * m / labeling) / (theta * m)))
    return np.array(answers)


def matrix_by_definition(ensemble, certainty):
    ids, n = ensemble.cluster_ids, ensemble.n_samples
    matrix = np.eye(n)
    for i in range(n):
        for j in range(n):
            both = (ids[i] >= 0) & (ids[j] >= 0)
            together = both & (ids[i] == ids[j])
            if i != j and both.any():
                matrix[i, j] = certainty[ids[i][together]].sum() / both.sum()
    return matrix


def test_five_samples_by_hand():
    ensemble = Ensemble.from_labels(HALVED)
    # One bit of entropy over two partitions: exp(-1 / (0.4 · 2)).
    halved = np.exp(-1 / 0.8)
    assert_allclose(cluster_certainty(ensemble), [halved, 1, 1, 1, 1])
    matrix = locally_weighted_coassociation(ensemble)
    assert_allclose(matrix[0], [1, (halved + 1) / 2, halved / 2, halved / 2, 0])
    assert_array_equal(matrix, matrix.T)


def test_a_label_matrix_will_do():
    ensemble = Ensemble.from_labels(HALVED)
    assert_array_equal(cluster_certainty(HALVED), cluster_certainty(ensemble))
    matrix = locally_weighted_coassociation(ensemble)
    assert_array_equal(locally_weighted_coassociation(HALVED), matrix)


@given(labels=label_matrices(), theta=st.floats(0.1, 5))
def test_certainty_is_the_loop_over_pieces(labels, theta):
    ensemble = Ensemble.from_labels(labels)
    wanted = certainty_by_definition(ensemble, theta)
    assert_allclose(cluster_certainty(ensemble, theta=theta), wanted, atol=1e-12)


@given(labels=label_matrices(most_samples=8))
def test_matrix_is_the_loop_over_pairs(labels):
    ensemble = Ensemble.from_labels(labels)
    wanted = matrix_by_definition(ensemble, cluster_certainty(ensemble))
    assert_allclose(locally_weighted_coassociation(ensemble), wanted, atol=1e-12)


def test_certainty_of_a_sparsely_labeled_cluster_is_scaled_up():
    # The only other partition that labels the cluster {0, 1} halves it; one of three is silent.
    ensemble = Ensemble.from_labels([[0, 0, -1], [0, 1, -1], [1, 2, 0], [1, 2, 0]])
    assert_allclose(cluster_certainty(ensemble)[0], np.exp(-(1 * 3 / 2) / (0.4 * 3)))


def test_missing_labels_are_no_piece():
    whole = Ensemble.from_labels([[0, 0], [0, 0], [0, -1], [1, 1]])
    assert_array_equal(cluster_certainty(whole), np.ones(4))


def test_a_large_theta_gives_plain_coassociation_and_the_default_does_not(planted):
    ensemble = Ensemble.from_labels(planted[0])
    plain = coassociation(ensemble)
    assert_allclose(locally_weighted_coassociation(ensemble, theta=1e9), plain, atol=1e-8)
    assert np.abs(locally_weighted_coassociation(ensemble) - plain).max() > 0.1


def test_certainty_falls_as_theta_falls(planted):
    ensemble = Ensemble.from_labels(planted[0])
    low, high = (cluster_certainty(ensemble, theta=theta) for theta in (0.2, 1.0))
    assert (low < high).all()
    assert (low > 0).all()
    assert (high <= 1).all()


def test_agrees_with_the_authors_program(reference_small):
    labels = reference_small["labels"]
    ensemble = Ensemble.from_labels(labels)
    ours = cluster_certainty(ensemble)[our_clusters(ensemble, labels)]
    assert_allclose(ours, reference_small["lwea_ECI"], rtol=0, atol=1e-9)
    matrix = locally_weighted_coassociation(ensemble)
    assert_allclose(matrix, reference_small["lwea_LWCA"], rtol=0, atol=1e-9)


def test_agrees_with_the_authors_program_on_binalpha(reference_binalpha):
    arrays, matrices = reference_binalpha
    ensemble = Ensemble.from_labels(arrays["labels"])
    ours = cluster_certainty(ensemble)[our_clusters(ensemble, arrays["labels"])]
    assert_allclose(ours, arrays["lwea_ECI"], rtol=0, atol=1e-9)
    assert_entries(locally_weighted_coassociation(ensemble), matrices["lwea_LWCA"])


def test_the_matrix_is_in_the_library_of_the_labels():
    labels = array_api_strict.asarray(np.array(HALVED))
    matrix = locally_weighted_coassociation(Ensemble.from_labels(labels))
    assert isinstance(matrix, type(labels))


@pytest.mark.parametrize("theta", [0, -1, float("nan"), "0.4"])
def test_a_theta_that_is_not_positive_is_refused(theta):
    with pytest.raises(InvalidParameterError, match="'theta' parameter of cluster_certainty"):
        cluster_certainty(Ensemble.from_labels(HALVED), theta=theta)


def test_too_many_samples_are_refused_before_anything_is_made(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 100)
    monkeypatch.setattr(_locally_weighted, "agreement_share", None)
    with pytest.raises(NotEnoughMemoryError, match="The locally weighted co-association"):
        locally_weighted_coassociation(Ensemble.from_labels(HALVED))
