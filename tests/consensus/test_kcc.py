"""KCC: what is particular to it."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import mutual_info_score

from consensa import KCC, Ensemble, kcc, open_labels
from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index


def mutual_information(labels, column):
    return mutual_info_score(labels, column) / np.log(2)


def category_utility(labels, column):
    total = -sum(np.mean(column == j) ** 2 for j in np.unique(column))
    for k in np.unique(labels):
        inside = column[labels == k]
        total += np.mean(labels == k) * sum(np.mean(inside == j) ** 2 for j in np.unique(inside))
    return total


UTILITIES = {"mutual_information": mutual_information, "category": category_utility}


def mean_utility(utility, answer, labels):
    return np.mean([UTILITIES[utility](answer, column) for column in labels.T])


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("seed", range(2))
def test_the_utility_is_the_largest_of_all_partitions(utility, seed):
    labels = np.random.RandomState(seed).randint(3, size=(6, 4))
    every = itertools.product(range(3), repeat=6)
    best = max(
        mean_utility(utility, np.array(answer), labels) for answer in every if answer[0] == 0
    )
    model = KCC(3, utility=utility, n_init=50, generator="precomputed", random_state=0)
    model.fit(labels)
    assert model.utility_ == pytest.approx(best)
    assert mean_utility(utility, model.labels_, labels) == pytest.approx(best)
    assert model.converged_


@pytest.mark.parametrize("utility", UTILITIES)
def test_no_sample_can_move_to_a_nearer_center(planted, utility):
    labels, truth = planted
    result = kcc(Ensemble.from_labels(labels), 3, utility=utility, random_state=0)
    assert adjusted_rand_index(truth, result.labels) > 0.9
    given = result.details["utility"]
    assert given == pytest.approx(mean_utility(utility, result.labels, labels))
    shares = np.stack([[np.mean(labels[result.labels == k] == j, axis=0) for j in range(3)]
                       for k in range(3)])  # fmt: skip
    for row, own in zip(labels, result.labels, strict=True):
        p = shares[:, row, np.arange(8)]
        cost = -np.log2(np.maximum(p, 1e-12)) if utility == "mutual_information" else (
            1 - 2 * p + (shares**2).sum(axis=1)
        )  # fmt: skip
        assert cost[own].sum() <= cost.sum(axis=1).min() + 1e-9


@pytest.mark.parametrize("utility", UTILITIES)
def test_missing_labels_are_left_out_of_distances_and_centers(planted, utility):
    labels, truth = planted
    gaps = np.where(np.random.RandomState(3).uniform(size=labels.shape) < 0.3, -1, labels)
    gaps[(gaps < 0).all(axis=1)] = labels[(gaps < 0).all(axis=1)]
    answer = kcc(Ensemble.from_labels(gaps), 3, utility=utility, random_state=0).labels
    assert adjusted_rand_index(truth, answer) > 0.9


@pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")
@pytest.mark.parametrize("max_iter", [1, 100])
def test_equal_rows_on_disk_are_not_separated_by_a_cluster_that_was_empty(tmp_path, max_iter):
    rng = np.random.RandomState(189)  # one on which this can go wrong with most starts
    labels = rng.randint(0, 3, (9, 3))
    labels[rng.uniform(size=labels.shape) < 0.4] = -1
    labels[:, 0] = np.abs(labels[:, 0])
    np.save(tmp_path / "labels.npy", np.repeat(labels, 3, axis=0))
    ensemble = Ensemble.from_labels(open_labels(tmp_path / "labels.npy"))
    for seed in range(10):
        answer = kcc(ensemble, 6, n_init=1, max_iter=max_iter, random_state=seed).labels
        assert_array_equal(answer, np.repeat(answer[::3], 3))


def test_a_limit_of_iterations_is_kept_and_told():
    labels = np.random.RandomState(0).randint(4, size=(200, 5))
    with pytest.warns(ConvergenceWarning, match=r"KCC did not .* in max_iter=1 it.* Raise max_i"):
        result = kcc(Ensemble.from_labels(labels), 4, n_init=1, max_iter=1, random_state=0)
    assert result.details["n_iter"] == 1
    assert not result.details["converged"]
    assert_array_equal(np.unique(result.labels), np.arange(4))
