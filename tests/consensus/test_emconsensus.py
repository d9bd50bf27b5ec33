"""EMConsensus: what is particular to it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

from consensa import EMConsensus, Ensemble, emconsensus
from consensa.consensus._emconsensus import _maximize
from consensa.consensus._representatives import LargestSum, representatives
from consensa.consensus._row_shares import RowShares, distinct_rows, result_of
from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index


def em_by_the_formulas(labels, shares, n_iter):
    """Topchy's E and M steps, sample by sample; the likelihood of every iteration."""
    n, m = labels.shape
    found = []
    for _ in range(n_iter):
        alpha = shares.mean(axis=0)
        theta = np.zeros((shares.shape[1], m, labels.max() + 1))
        for k in range(shares.shape[1]):
            for j in range(m):
                known = labels[:, j] >= 0
                for value in range(labels.max() + 1):
                    theta[k, j, value] = shares[labels[:, j] == value, k].sum()
                theta[k, j] /= shares[known, k].sum()
        joint = np.tile(alpha, (n, 1))
        for i in range(n):
            for j in range(m):
                if labels[i, j] >= 0:
                    joint[i] *= theta[:, j, labels[i, j]]
        shares = joint / joint.sum(axis=1, keepdims=True)
        found.append(np.log(joint.sum(axis=1)).mean())
    return shares, found


@pytest.mark.parametrize("gaps", [False, True])
def test_iterations_are_those_of_the_formulas(gaps):
    rng = np.random.RandomState(0)
    labels = rng.randint(3, size=(40, 4))
    if gaps:
        labels[rng.uniform(size=labels.shape) < 0.2] = -1
        labels[(labels < 0).all(axis=1), 0] = 0
    ensemble = Ensemble.from_labels(labels)
    chosen = representatives(ensemble, 3, rng)
    rows = RowShares.of(ensemble, chosen)
    start = rows.start(3, rng)
    ordered = np.asarray(ensemble.codes)[chosen.numbers]
    shares = np.eye(3)[start] * 0.8 + 0.2 / 3
    expected, likelihood = em_by_the_formulas(ordered, shares, 12)
    run = _maximize(rows, start, 12, tol=1e-300)
    assert run.score == pytest.approx(likelihood[-1], abs=1e-10)
    assert np.all(np.diff(likelihood) > -1e-12)
    assert_array_equal(run.labels, np.argmax(expected, axis=1))
    sums = LargestSum(run.table, run.base)
    assert_array_equal(sums(rows.ids), run.labels)  # for samples that are assigned later
    joint = rows.members @ run.table + run.base
    assert_allclose(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), expected, atol=1e-10)


def test_a_start_ends_when_the_likelihood_grows_by_less_than_the_tolerance(planted):
    ensemble = Ensemble.from_labels(planted[0])
    rows = RowShares.of(ensemble, representatives(ensemble, 3, np.random.RandomState(0)))
    start = np.arange(60) % 3
    likelihood = [_maximize(rows, start, n_iter, 1e-300).score for n_iter in range(1, 30)]
    growth = np.diff(likelihood, prepend=-np.inf)
    for tol in (1e-1, 1e-3):
        run = _maximize(rows, start, 200, tol)
        assert run.converged
        assert run.n_iter == np.argmax(growth < tol) + 1
        assert run.score == likelihood[run.n_iter - 1]


def test_a_row_of_weight_two_is_the_row_twice():
    labels = np.random.RandomState(0).randint(3, size=(12, 4))
    ensemble = Ensemble.from_labels(np.vstack([labels, labels[:5]]))
    chosen = representatives(ensemble, 3, np.random.RandomState(0))
    distinct, number = distinct_rows(chosen)
    start = np.arange(len(distinct.ids)) % 3
    once = _maximize(RowShares.of(ensemble, distinct), start, 7, 1e-300)
    twice = _maximize(RowShares.of(ensemble, chosen), start[number], 7, 1e-300)
    assert once.score == pytest.approx(twice.score)
    assert_allclose(once.table, twice.table)


def test_rows_that_are_improbable_beside_others_have_probabilities():
    # Half of the rows are alike in 600 partitions, the others random: e^-1000 and less.
    labels = np.random.RandomState(0).randint(12, size=(20, 600))
    labels[:10] = 0
    ensemble = Ensemble.from_labels(labels)
    rows = RowShares.of(ensemble, representatives(ensemble, 1, np.random.RandomState(0)))
    run = _maximize(rows, np.zeros(20, int), 2, 1e-300)
    logs = [np.log(np.bincount(column)[column] / 20) for column in labels.T]
    assert np.ptp(np.sum(logs, axis=0)) > 1000
    assert run.score == pytest.approx(np.sum(logs, axis=0).mean())


def test_planted_clusters_are_found_and_the_likelihood_is_that_of_the_model(planted):
    labels, truth = planted
    result = emconsensus(Ensemble.from_labels(labels), 3, random_state=0)
    assert adjusted_rand_index(truth, result.labels) > 0.9
    assert result.details["converged"]
    one = emconsensus(Ensemble.from_labels(labels), 1, random_state=0)
    shares = [np.bincount(column) / len(column) for column in labels.T]
    independent = sum(
        np.log(share[column]) for share, column in zip(shares, labels.T, strict=True)
    )
    assert one.details["log_likelihood"] == pytest.approx(independent.mean())
    assert result.details["log_likelihood"] > one.details["log_likelihood"]


def test_samples_that_are_not_drawn_get_their_most_probable_component():
    """Also those of few labels: the probability of a component counts once, not by labels."""
    rng = np.random.RandomState(0)
    rare = rng.uniform(size=25_000) < 0.1
    wrong = rng.uniform(size=(25_000, 5)) < 0.2
    labels = 9 * np.where(wrong, rng.randint(2, size=wrong.shape), rare[:, None])
    labels += rng.randint(9, size=labels.shape)
    labels[rng.uniform(size=labels.shape) < 0.6] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    ensemble = Ensemble.from_labels(labels)
    chosen = representatives(ensemble, 2, rng)
    assert not chosen.are_all
    rows = RowShares.of(ensemble, chosen)
    run = _maximize(rows, rows.start(2, rng), 20, tol=1e-300)
    result = result_of(ensemble, chosen, run, run.labels)
    assert_array_equal(result.labels[chosen.numbers], run.labels)


def test_a_limit_of_iterations_is_kept_and_told():
    labels = np.random.RandomState(0).randint(4, size=(200, 5))
    model = EMConsensus(4, n_init=1, max_iter=2, generator="precomputed", random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"EMConsensus did not converge in max_iter=2 it"):
        model.fit(labels)
    assert model.n_iter_ == 2
    assert not model.converged_
