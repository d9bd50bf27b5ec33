"""EMConsensus: what is particular to it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import EMConsensus, Ensemble, emconsensus
from consensa.consensus._emconsensus import _maximize
from consensa.consensus._representatives import representatives
from consensa.consensus._row_shares import RowShares, result_of
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
