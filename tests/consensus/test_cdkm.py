"""CDKM: what is particular to it."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import CDKM, Ensemble, cdkm, kcc
from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index


def objective(answer, labels):
    """Sum of ‖sum of the rows of a cluster‖² over its size, by the definition."""
    rows = np.hstack([np.equal.outer(column, np.unique(column)) for column in labels.T])
    total = 0.0
    for k in np.unique(answer):
        inside = rows[answer == k]
        total += np.sum(inside.sum(axis=0) ** 2) / len(inside)
    return total


@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_the_largest_of_all_partitions(seed):
    labels = np.random.RandomState(seed).randint(3, size=(6, 4))
    every = (np.array(answer) for answer in itertools.product(range(3), repeat=6))
    best = max(objective(answer, labels) for answer in every if len(np.unique(answer)) == 3)
    found = cdkm(Ensemble.from_labels(labels), 3, n_init=50, random_state=0)
    assert objective(found.labels, labels) == pytest.approx(best)
    assert found.details["converged"]


def check_moves_of_distinct_rows(labels, n_clusters, seed):
    ensemble = Ensemble.from_labels(labels)
    answer = cdkm(ensemble, n_clusters, n_init=1, random_state=seed).labels
    before = objective(answer, labels)
    _, number = np.unique(labels, axis=0, return_inverse=True)
    for row in np.unique(number):
        for k in range(n_clusters):
            moved = np.where(number.ravel() == row, k, answer)
            if len(np.unique(moved)) == n_clusters:
                assert objective(moved, labels) <= before + 1e-8


def test_no_move_of_one_distinct_row_increases_the_objective():
    rng = np.random.RandomState(1)
    labels = np.where(rng.uniform(size=(60, 5)) < 0.6, np.repeat([0, 1, 2], 20)[:, None],
                      rng.randint(3, size=(60, 5)))  # fmt: skip
    check_moves_of_distinct_rows(labels, 4, 0)


@pytest.mark.parametrize("seed", range(1, 5))
def test_samples_with_equal_rows_move_together_where_none_would_move_alone(seed):
    rng = np.random.RandomState(seed)
    labels = np.repeat(rng.randint(3, size=(8, 3)), rng.randint(1, 12, 8), axis=0)
    check_moves_of_distinct_rows(labels, 3, seed)


def test_the_utility_is_that_of_kcc_and_not_smaller(planted):
    labels, truth = planted
    ensemble = Ensemble.from_labels(labels)
    moves = cdkm(ensemble, 3, random_state=0)
    lloyd = kcc(ensemble, 3, utility="category", random_state=0)
    assert adjusted_rand_index(truth, moves.labels) > 0.9
    assert moves.details["utility"] >= lloyd.details["utility"] - 1e-12
    again = objective(moves.labels, labels) - objective(lloyd.labels, labels)
    difference = moves.details["utility"] - lloyd.details["utility"]
    assert again / labels.size == pytest.approx(difference, abs=1e-12)


def test_a_limit_of_passes_is_kept_and_told():
    labels = np.random.RandomState(0).randint(4, size=(200, 5))
    model = CDKM(4, n_init=1, max_iter=1, generator="precomputed", random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"CDKM did not converge in max_iter=1 iter"):
        model.fit(labels)
    assert model.n_iter_ == 1
    assert not model.converged_
    assert_array_equal(np.unique(model.labels_), np.arange(4))
