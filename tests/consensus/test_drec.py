"""DREC: microclusters as mixtures of each other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import assert_entries, our_groups
from scipy.linalg import solve_sylvester

from consensa import Ensemble, drec
from consensa.consensus import _drec
from consensa.exceptions import ConvergenceWarning, NotEnoughMemoryError
from consensa.metrics import adjusted_rand_index
from consensa.partition import spectral_embedding

settled = pytest.mark.filterwarnings("ignore::consensa.exceptions.ConvergenceWarning")


def solve(ensemble, penalty, max_iter=5):
    memberships = Ensemble(ensemble.microclusters().rows).membership().T.tocsr()
    solved = _drec._represent(*_drec._gram_eigenvectors(memberships), penalty, max_iter)
    return memberships.toarray(), solved


def sum_of_squares(embedding, labels):
    return sum(
        ((embedding[labels == q] - embedding[labels == q].mean(axis=0)) ** 2).sum()
        for q in np.unique(labels)
    )


@pytest.mark.parametrize("penalty", [0.1, 1, 10, 100, 1000])
@settled
def test_agrees_with_the_authors_program(reference_small, penalty):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    ours = our_groups(ensemble, reference_small["micro_of_object"])
    name = f"drec_lam{penalty:g}"
    _, solved = solve(ensemble, penalty)
    representation = (solved.basis @ solved.coefficients)[np.ix_(ours, ours)]
    # At 0.1 the problem is so ill-conditioned that solvers agree on Z to 4e-9 only.
    atol = 1e-8 if penalty == 0.1 else 1e-9
    assert_allclose(representation, reference_small[f"{name}_Z"], atol=atol)
    result = drec(ensemble, int(reference_small["K"]), penalty=penalty, random_state=0)
    affinity = result.details["microcluster_affinity"][np.ix_(ours, ours)]
    assert_allclose(affinity, reference_small[f"{name}_affinity"], atol=1e-9)
    objective = reference_small[f"{name}_objective"]
    assert_allclose(result.details["objective"], objective, rtol=1e-9)


def test_agrees_with_the_authors_program_on_binalpha(reference_binalpha):
    arrays, matrices = reference_binalpha
    ensemble = Ensemble.from_labels(arrays["labels"])
    ours = our_groups(ensemble, arrays["micro_of_object"])
    result = drec(ensemble, 36, n_init=1, random_state=0)
    affinity = result.details["microcluster_affinity"][np.ix_(ours, ours)]
    assert_entries(affinity, matrices["drec_lam100_affinity"])
    embedding, theirs = spectral_embedding(affinity, 36), arrays["drec_lam100_embedding"]
    assert_allclose(embedding @ embedding.T, theirs @ theirs.T, atol=1e-9)


@pytest.mark.parametrize("which", ["small", "binalpha"])
def test_k_means_reaches_the_best_that_is_known(request, which):
    reference = request.getfixturevalue(f"reference_{which}")
    arrays = reference if which == "small" else reference[0]
    ensemble = Ensemble.from_labels(arrays["labels"])
    labels = drec(ensemble, int(arrays["K"]), n_init=200, random_state=0).labels
    of_group = np.empty(len(arrays["micro_label_rows"]), int)
    of_group[arrays["micro_of_object"]] = labels
    reached = sum_of_squares(arrays["drec_lam100_embedding"], of_group)
    assert reached <= 1.005 * arrays["drec_lam100_embedding_km_best_inertia"]


@pytest.mark.parametrize("m", [3, 12], ids=["fewer clusters", "more clusters than groups"])
def test_rounds_solve_the_sylvester_equation_they_replace(m):
    rng = np.random.RandomState(m)
    ensemble = Ensemble.from_labels(rng.randint(3, size=(15, m)))
    penalty, rounds = 20.0, 3
    memberships, solved = solve(ensemble, penalty, rounds)
    gram = memberships.T @ memberships
    weights = np.ones(len(gram))
    for _ in range(rounds):
        representation = solve_sylvester(gram, np.diag(penalty / weights), gram)
        missed = np.linalg.norm(memberships - memberships @ representation, axis=0)
        weights = 0.5 / missed
    assert_allclose(solved.basis @ solved.coefficients, representation, atol=1e-10)
    objective = missed.sum() + penalty * (representation**2).sum()
    assert_allclose(solved.objective[-1], objective)


def test_many_rounds_reach_a_minimum(planted):
    memberships, solved = solve(Ensemble.from_labels(planted[0]), 5.0, 200)
    best = solved.basis @ solved.coefficients

    def objective(z):
        return np.linalg.norm(memberships - memberships @ z, axis=0).sum() + 5 * (z**2).sum()

    assert (np.diff(solved.objective) <= 1e-9).all()
    rng = np.random.RandomState(0)
    for _ in range(20):
        assert objective(best + 1e-4 * rng.normal(size=best.shape)) > objective(best)


def test_one_eigendecomposition_serves_all_rounds(planted, monkeypatch):
    calls = []
    eigh = _drec.eigh
    monkeypatch.setattr(
        _drec, "eigh", lambda *args, **options: calls.append(1) or eigh(*args, **options)
    )
    drec(Ensemble.from_labels(planted[0]), 3, max_iter=9, random_state=0)
    assert len(calls) == 1


def test_rounds_that_did_not_settle_are_reported(planted):
    ensemble = Ensemble.from_labels(planted[0])
    with pytest.warns(ConvergenceWarning, match=r"in 2 rounds.*Set max_iter=8"):
        early = drec(ensemble, 3, penalty=1, max_iter=2, random_state=0)
    assert not early.details["converged"]
    result = drec(ensemble, 3, random_state=0)
    assert result.details["converged"]
    assert result.details["n_iter"] == len(result.details["objective"]) == 5


def test_a_membership_without_residual_is_no_division_by_zero():
    # Unanimous partitions: each microcluster is written by itself alone.
    truth = np.array([0, 0, 1, 2, 2])
    result = drec(Ensemble.from_labels(np.stack([truth] * 3, axis=1)), 3, random_state=0)
    assert_array_equal(result.labels, truth)
    assert_allclose(result.details["microcluster_affinity"], np.eye(3), atol=1e-12)


def test_sizes_of_microclusters_play_no_part(planted):
    labels, _ = planted
    once = Ensemble.from_labels(labels)
    twice = Ensemble.from_labels(np.concatenate([labels, labels[:20]]))
    given, grown = (drec(ensemble, 3, random_state=0) for ensemble in (once, twice))
    affinities = [result.details["microcluster_affinity"] for result in (given, grown)]
    assert_allclose(*affinities, atol=1e-12)
    assert adjusted_rand_index(given.labels, grown.labels[:60]) == 1


def test_too_many_microclusters_are_refused_before_anything_is_made(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 10_000)
    ensemble = Ensemble.from_labels(np.arange(50)[:, None])
    with pytest.raises(NotEnoughMemoryError, match="DREC on the microclusters"):
        drec(ensemble, 2)
