"""Normalized cut whose eigenvectors are rounded by a rotation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ortho_group

from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index
from consensa.partition import (
    Rounding,
    _discretization,
    cut_by_discretization,
    normalized_cut_vectors,
    round_by_rotation,
)


def blocks(*sizes):
    """Graph of cliques of these sizes, and the clique of each node."""
    clique = np.repeat(np.arange(len(sizes)), sizes)
    return (clique[:, None] == clique).astype(float), clique


def noisy_vectors(n_clusters=6):
    rng = np.random.RandomState(1)
    return rng.normal(size=(40, n_clusters)) + 1.2 * np.eye(n_clusters)[np.arange(40) % n_clusters]


def test_vectors_are_those_of_the_regularized_cut():
    rng = np.random.RandomState(0)
    weights = rng.uniform(size=(9, 9))
    weights += weights.T
    degree = weights.sum(axis=1) + 1
    vectors = normalized_cut_vectors(weights, 3)
    assert_allclose(np.linalg.norm(vectors, axis=0), 3)
    # Eigenvectors of the random walk with matrix (W + I/2) / (D + I), largest value first.
    walked = (weights + np.eye(9) / 2) @ vectors / degree[:, None]
    values = (walked * vectors).sum(axis=0) / 9
    assert_allclose(walked, vectors * values, atol=1e-12)
    assert (np.diff(values) < 0).all()
    every = np.linalg.eigvals((weights + np.eye(9) / 2) / degree[:, None]).real
    assert_allclose(values, np.sort(every)[::-1][:3])


def test_links_too_weak_to_count_are_dropped():
    weights, _ = blocks(2, 2)
    weak = weights + 1e-6 * (weights == 0)
    assert_array_equal(normalized_cut_vectors(weak, 2), normalized_cut_vectors(weights, 2))


def test_input_is_left_as_it_was():
    weights, _ = blocks(2, 3)
    weights.flags.writeable = False
    before = weights.copy()
    cut_by_discretization(weights, 2, random_state=0)
    assert_array_equal(weights, before)


@pytest.mark.parametrize("seed", range(5))
def test_separate_cliques_are_found_from_any_start(seed):
    weights, clique = blocks(1, 2, 3, 5)
    order = np.random.RandomState(seed).permutation(len(clique))
    rounding = cut_by_discretization(weights[np.ix_(order, order)], 4, random_state=seed)
    assert adjusted_rand_index(rounding.labels, clique[order]) == 1
    assert rounding.converged
    assert rounding.objective == pytest.approx(0, abs=1e-12)


def test_every_round_lowers_the_distance_to_the_labels():
    objectives = [
        round_by_rotation(noisy_vectors(), 0, max_iter=rounds).objective for rounds in (1, 2, 3, 4)
    ]
    assert (np.diff(objectives) <= 1e-12).all()
    assert objectives[-1] < objectives[0]


def test_rotating_or_mirroring_the_vectors_changes_nothing():
    vectors = noisy_vectors()
    turned = vectors @ ortho_group.rvs(6, random_state=0)
    for start in range(len(vectors)):
        assert_array_equal(
            round_by_rotation(vectors, start).labels, round_by_rotation(turned, start).labels
        )


@pytest.mark.parametrize("seed", range(3))
def test_a_label_that_no_row_has_points_to_the_farthest_row(seed):
    # The third axis holds 0.8 of the last row, the second 0.6 of the one before; in whatever
    # basis the space of the two is given.
    rows = np.array([[1, 0, 0], [1, 0, 0], [0.8, -0.6, 0], [0.6, 0, -0.8]])
    basis = ortho_group.rvs(2, random_state=seed) @ np.eye(3)[1:]
    axes = _discretization._axes_of_far_rows(rows, basis)
    assert_allclose(axes, [[0, 0], [0, -1], [-1, 0]], atol=1e-12)


def test_a_rotation_is_one_even_where_labels_are_missing():
    rotation, _ = _discretization._nearest_rotation(noisy_vectors(), np.arange(40) % 3)
    assert_allclose(rotation.T @ rotation, np.eye(6), atol=1e-12)


def test_a_row_of_zeros_does_not_spread():
    vectors = np.array([[1, 0], [1, 0.1], [0, 1], [0, 0]])
    rounding = round_by_rotation(vectors, 0)
    assert_array_equal(rounding.labels[:3], [0, 0, 1])
    assert np.isfinite(rounding.objective)


def test_running_out_of_rounds_is_reported(monkeypatch):
    assert not round_by_rotation(noisy_vectors(), 0, max_iter=1).converged
    unfinished = Rounding(np.zeros(2, int), 1.0, 21, False)
    monkeypatch.setattr(_discretization, "round_by_rotation", lambda *_: unfinished)
    with pytest.warns(ConvergenceWarning, match="in 21 rounds"):
        cut_by_discretization(np.ones((2, 2)), 1, random_state=0)


def test_agrees_with_the_authors_program_from_every_start(reference_small):
    n_clusters = int(reference_small["K"])
    vectors = normalized_cut_vectors(reference_small["ecpcs_Z"], n_clusters)
    theirs = reference_small["ecpcs_mc_eigenvectors"]
    assert_allclose(vectors @ vectors.T, theirs @ theirs.T, atol=1e-9)
    for start, labels in enumerate(reference_small["ecpcs_mc_all_starts"].T):
        assert adjusted_rand_index(round_by_rotation(vectors, start).labels, labels) == 1


def test_agrees_with_the_authors_program_wherever_its_answer_is_defined(
    reference_binalpha, monkeypatch
):
    arrays, _ = reference_binalpha
    empty = []
    axes = _discretization._axes_of_far_rows
    monkeypatch.setattr(
        _discretization,
        "_axes_of_far_rows",
        lambda rows, basis: empty.append(len(basis)) or axes(rows, basis),
    )
    defined = 0
    for start, labels in enumerate(arrays["ecpcs_mc_all_starts"].T):
        empty.clear()
        ours = round_by_rotation(arrays["ecpcs_mc_eigenvectors"], start).labels
        if not any(empty):  # else the program follows signs that its library happens to return
            defined += 1
            assert adjusted_rand_index(ours, labels) == 1
    assert defined > 80
