"""CDEC: what is particular to it."""

import itertools
from contextlib import nullcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from consensa import CDEC, Ensemble, cdec
from consensa.consensus._cdec import _Problem, minimum_on_simplex
from consensa.consensus._representatives import representatives
from consensa.consensus._row_shares import RowShares
from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index


def projection(labels):
    """1 over the size of a cluster for two of its samples."""
    together = np.equal.outer(labels, labels)
    return together / together.sum(axis=1)


def objective(answer, weights, labels, balance=1e-3, ridge=0.1):
    """The objective by its definition, with n × n matrices."""
    mean = sum(w * projection(column) for w, column in zip(weights, labels.T, strict=True))
    fit = np.sum((mean - projection(answer)) ** 2)
    return fit + ridge * np.sum(weights**2) + balance * np.sum(np.bincount(answer) ** 2)


def best_weights(answer, labels, ridge=0.1):
    """The weights by a general solver."""
    each = [projection(column) for column in labels.T]
    products = np.array([[np.sum(a * b) for a in each] for b in each]) + ridge * np.eye(len(each))
    shared = np.array([np.sum(a * projection(answer)) for a in each])
    found = minimize(
        lambda x: x @ products @ x - 2 * shared @ x,
        np.full(len(each), 1 / len(each)),
        jac=lambda x: 2 * products @ x - 2 * shared,
        bounds=[(0, None)] * len(each),
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x


@pytest.mark.parametrize("seed", [0, 1, 2, 11])  # in the last an entry that was 0 comes back
def test_the_minimum_on_the_simplex_is_that_of_a_general_solver(seed):
    rng = np.random.RandomState(seed)
    root = rng.normal(size=(7, 7))
    matrix, linear = root @ root.T + 0.1 * np.eye(7), 3 * rng.normal(size=7)
    found = minimum_on_simplex(matrix, linear)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    slope = matrix @ found - linear  # equal where positive, and not smaller where 0
    assert_allclose(slope[found > 0], slope[found > 0].min(), atol=1e-9)
    assert (slope >= slope[found > 0].min() - 1e-9).all()


@pytest.fixture(scope="module")
def one_bad():
    """36 samples in 3 classes and 6 partitions, the last of which agrees with no other."""
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 12)
    labels = np.where(rng.uniform(size=(36, 6)) < 0.15, rng.randint(3, size=(36, 6)),
                      truth[:, None])  # fmt: skip
    labels[:, 5] = rng.randint(3, size=36)
    return labels, truth


@pytest.mark.parametrize(("max_iter", "converged"), [(1, False), (2, False), (50, True)])
def test_weights_and_objective_are_those_of_the_labels(one_bad, max_iter, converged):
    labels, truth = one_bad
    model = CDEC(3, max_iter=max_iter, generator="precomputed", random_state=0)
    told = pytest.warns(ConvergenceWarning, match=rf"CDEC did not .* in max_iter={max_iter} iter")
    with nullcontext() if converged else told:
        model.fit(labels)
    assert model.converged_ is converged
    assert adjusted_rand_index(truth, model.labels_) > 0.8
    weights = best_weights(model.labels_, labels)
    assert_allclose(model.partition_weights_, weights, atol=1e-6)
    assert model.objective_ == pytest.approx(objective(model.labels_, weights, labels), abs=1e-8)
    assert model.partition_weights_.argmin() == 5


@pytest.mark.parametrize("max_iter", [1, 50])
def test_other_samples_are_nearest_to_a_center_with_the_weights_of_the_result(one_bad, max_iter):
    labels = one_bad[0]
    ensemble = Ensemble.from_labels(labels)
    rng = np.random.RandomState(0)
    rows = RowShares.of(ensemble, representatives(ensemble, 3, rng))
    run = _Problem(rows, 1e-3, 0.1).improved(rows.start(3, rng), 1e-5, max_iter)
    members = rows.members.toarray()
    of_cluster = run.partition_weights[np.repeat(np.arange(6), ensemble.cluster_counts)]
    of_cluster = of_cluster / ensemble.cluster_sizes
    centers = np.stack([members[run.labels == k].mean(axis=0) for k in range(3)])
    apart = np.square(members[:, None] - centers) @ of_cluster
    nearness = members @ run.table  # up to a number for each sample
    assert np.ptp(run.partition_weights) > 0.1
    assert_allclose(nearness - nearness[:, :1], apart[:, :1] - apart, atol=1e-12)


@pytest.mark.parametrize("balance", [0.0, 0.05])
def test_no_move_of_one_sample_improves_the_objective(balance):
    rng = np.random.RandomState(2)
    labels = rng.randint(3, size=(24, 8))  # all rows differ
    assert len(np.unique(labels, axis=0)) == 24
    result = cdec(Ensemble.from_labels(labels), 3, balance=balance, n_init=1, random_state=0)
    weights, answer = np.asarray(result.details["partition_weights"]), result.labels
    before = objective(answer, weights, labels, balance)
    for sample, k in itertools.product(range(24), range(3)):
        moved = answer.copy()
        moved[sample] = k
        if len(np.unique(moved)) == 3:
            assert objective(moved, weights, labels, balance) >= before - 1e-4


@pytest.mark.parametrize("ridge", [1e-300, 1e-17, 1e-12])
@pytest.mark.parametrize("times", [1, 5])
def test_equal_partitions_need_no_ridge(one_bad, ridge, times):
    labels = np.tile(one_bad[0], 2 * times)
    result = cdec(Ensemble.from_labels(labels), 3, ridge=ridge, random_state=0)
    weights = np.asarray(result.details["partition_weights"])
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    once = cdec(Ensemble.from_labels(one_bad[0]), 3, ridge=1e-9, random_state=0)
    together = weights.reshape(2 * times, 6).sum(axis=0)
    assert_allclose(together, once.details["partition_weights"], atol=0.01)


def test_a_large_balance_gives_clusters_of_equal_size():
    truth = np.repeat([0, 1], [40, 8])
    rng = np.random.RandomState(0)
    labels = np.where(rng.uniform(size=(48, 9)) < 0.2, rng.randint(4, size=(48, 9)),
                      truth[:, None])  # fmt: skip
    ensemble = Ensemble.from_labels(labels)
    sizes = {
        balance: np.bincount(cdec(ensemble, 2, balance=balance, random_state=0).labels).max()
        for balance in (0.0, 10.0)
    }
    assert sizes[10.0] < sizes[0.0]
    assert sizes[10.0] <= 28


def objective_of_many(answer, weights, labels, balance, ridge=0.1):
    """The objective by the overlaps of the clusters, without n × n matrices."""
    columns, signs = [*labels.T, answer], np.append(weights, -1.0)
    fit = 0.0
    for a, column in zip(signs, columns, strict=True):
        for b, other in zip(signs, columns, strict=True):
            shared = np.zeros((column.max() + 1, other.max() + 1))
            np.add.at(shared, (column, other), 1)
            sizes = np.outer(shared.sum(axis=1), shared.sum(axis=0))
            fit += a * b * np.sum(shared**2 / np.maximum(sizes, 1))
    return fit + ridge * np.sum(weights**2) + balance * np.sum(np.bincount(answer) ** 2.0)


def uneven(n_samples, n_partitions, noise):
    """Partitions into 4 clusters around classes of which one is large."""
    rng = np.random.RandomState(0)
    truth = rng.choice(4, size=n_samples, p=[0.55, 0.15, 0.15, 0.15])
    shape = (n_samples, n_partitions)
    return np.where(rng.uniform(size=shape) < noise, rng.randint(4, size=shape), truth[:, None])


def test_the_rows_of_the_descent_keep_their_balanced_clusters():
    # More than 20,000 samples, of which fewer rows are distinct: all of them are drawn.
    labels = uneven(21_000, 5, 0.3)
    assert len(np.unique(labels, axis=0)) < 1100
    result = cdec(Ensemble.from_labels(labels), 4, n_init=1, random_state=0)
    weights = np.asarray(result.details["partition_weights"])
    expected = objective_of_many(result.labels, weights, labels, 1e-3)
    assert result.details["objective"] == pytest.approx(expected, rel=1e-9)
    sizes = np.bincount(result.labels)
    assert sizes.max() - sizes.min() < 0.02 * 21_000  # the balance has all the weight


def test_the_sizes_of_the_objective_are_those_of_all_samples():
    labels = uneven(60_000, 12, 0.5)
    assert len(np.unique(labels, axis=0)) > 40_000  # of which 20,000 are drawn
    result = cdec(Ensemble.from_labels(labels), 4, n_init=1, random_state=0)
    least = 1e-3 * 4 * 15_000**2  # four clusters of equal size
    assert result.details["objective"] == pytest.approx(least, rel=1e-3)


def test_a_base_cluster_of_which_no_row_is_drawn_has_no_part_in_the_objective():
    labels = np.array([[0, 0], [0, 1], [1, 1], [1, 0], [2, 0]])
    everyone = representatives(Ensemble.from_labels(labels), 2, np.random.RandomState(0))
    drawn = type(everyone)(*(part[:4] for part in everyone[:3]), are_all=False)
    problem = _Problem(RowShares.of(Ensemble.from_labels(labels), drawn), 1e-3, 0.1)
    run = problem.improved(np.array([0, 0, 1, 1]), 1e-9, 50)
    seen = labels[drawn.numbers]
    slow = objective(run.labels, run.partition_weights, seen)
    assert -run.score == pytest.approx(slow, abs=1e-9)


def test_tiny_base_clusters_of_many_samples():
    rng = np.random.RandomState(0)
    truth = rng.randint(4, size=40_000)
    wrong = rng.uniform(size=(40_000, 12)) < 0.4
    labels = np.where(wrong, rng.randint(4, size=(40_000, 12)), truth[:, None])
    labels[:20, 0] = np.arange(20) + 4  # a single sample each
    result = cdec(Ensemble.from_labels(labels), 4, n_init=1, random_state=0)
    assert np.isfinite(result.details["objective"])
    assert result.details["partition_weights"].sum() == pytest.approx(1)
