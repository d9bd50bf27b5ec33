"""KCC: what is particular to it."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import mutual_info_score

from consensa import KCC, Ensemble, kcc, open_labels
from consensa.consensus._kcc import _UTILITIES, _filled, _lloyd, _Problem
from consensa.consensus._representatives import representatives
from consensa.consensus._row_shares import RowShares, distinct_rows
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


@pytest.fixture
def gaps(planted):
    """The planted labels, a third of them missing."""
    labels, _ = planted
    hidden = np.random.RandomState(3).uniform(size=labels.shape) < 0.3
    hidden[hidden.all(axis=1), 0] = False
    return np.where(hidden, -1, labels)


def distances(labels, answer, utility):
    """Distance of each sample from each center, by the definition, with missing labels left out.

    A center has the proportions of the labels among those samples of its cluster that have one.
    """
    found = np.zeros((len(labels), answer.max() + 1))
    for k, column in itertools.product(range(found.shape[1]), labels.T):
        inside = column[(answer == k) & (column >= 0)]
        shares = np.bincount(inside, minlength=column.max() + 1) / len(inside)
        for i, own in enumerate(column):
            if own >= 0 and utility == "category":
                found[i, k] += np.sum((np.eye(len(shares))[own] - shares) ** 2)
            elif own >= 0:
                found[i, k] -= np.log2(max(shares[own], 1e-12))
    return found


@pytest.mark.parametrize("utility", UTILITIES)
def test_missing_labels_are_left_out_of_distances_and_centers(planted, gaps, utility):
    result = kcc(Ensemble.from_labels(gaps), 3, utility=utility, random_state=0)
    assert adjusted_rand_index(planted[1], result.labels) > 0.9
    apart = distances(gaps, result.labels, utility)
    own = apart[np.arange(60), result.labels]
    assert (own <= apart.min(axis=1) + 1e-9).all()
    together = distances(gaps, np.zeros(60, int), utility)
    assert result.details["utility"] == pytest.approx((together.sum() - own.sum()) / gaps.size)


@pytest.mark.parametrize("utility", UTILITIES)
def test_an_iteration_is_that_of_the_definition(gaps, utility):
    ensemble = Ensemble.from_labels(gaps)
    chosen = representatives(ensemble, 4, np.random.RandomState(0))
    rows = RowShares.of(ensemble, chosen)
    start = np.arange(60) % 4
    run = _lloyd(_Problem(rows, _UTILITIES[utility]), start, 1)
    ordered = np.asarray(ensemble.codes)[chosen.numbers]
    expected = np.argmin(distances(ordered, start, utility), axis=1)
    assert_array_equal(run.labels, expected)
    apart = distances(ordered, expected, utility)
    assert run.score == pytest.approx(-apart[np.arange(60), expected].sum())
    assert_allclose(-(rows.members @ run.table), apart)  # for samples that are assigned later


def test_a_center_that_loses_all_samples_gets_the_one_that_is_farthest_from_its_own():
    # From cluster 3, which the start gives samples of all others, everything goes elsewhere.
    labels = np.repeat([[0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 2, 3]], [5, 5, 5, 1], axis=0)
    ensemble = Ensemble.from_labels(labels)
    rows = RowShares.of(ensemble, representatives(ensemble, 4, np.random.RandomState(0)))
    start = np.repeat([0, 3, 1, 3, 2, 3, 2], [4, 1, 4, 1, 4, 1, 1])
    problem = _Problem(rows, _UTILITIES["category"])
    before = problem.cost(problem.table(start, 4))
    assert 3 not in np.argmin(before, axis=1)
    run = _lloyd(problem, start, 1)
    assert_array_equal(run.labels, np.repeat([0, 1, 2, 3], [5, 5, 5, 1]))


def test_an_empty_cluster_takes_no_sample_that_is_alone_or_at_its_center():
    cost = np.array([[3.0, 9, 9], [1, 9, 9], [9, 5, 9]])
    assert_array_equal(_filled(np.array([0, 0, 1]), cost), [2, 0, 1])
    cost = np.array([[0.0, 9, 9], [0, 9, 9], [9, 0, 9]])
    assert_array_equal(_filled(np.array([0, 0, 1]), cost), [0, 0, 1])
    cost = np.array([[1.0, 9, 9], [2, 9, 9], [3, 9, 9]])
    assert_array_equal(_filled(np.array([0, 0, 0]), cost), [0, 2, 1])


@pytest.mark.parametrize("utility", UTILITIES)
def test_a_row_of_weight_two_is_the_row_twice(utility):
    labels = np.random.RandomState(0).randint(3, size=(20, 4))
    ensemble = Ensemble.from_labels(np.vstack([labels, labels[:9]]))
    chosen = representatives(ensemble, 3, np.random.RandomState(0))
    distinct, number = distinct_rows(chosen)
    start = np.arange(len(distinct.ids)) % 3
    runs = [
        _lloyd(_Problem(RowShares.of(ensemble, rows), _UTILITIES[utility]), labels, 50)
        for rows, labels in ((distinct, start), (chosen, start[number]))
    ]
    assert runs[0].score == pytest.approx(runs[1].score)
    assert runs[0].n_iter == runs[1].n_iter < 50
    assert_array_equal(runs[0].labels[number], runs[1].labels)
    assert_allclose(runs[0].table, runs[1].table)


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
