"""CESHL: what is particular to it."""

import itertools
import tracemalloc
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from consensa import Ensemble, ceshl
from consensa.consensus import _ceshl as module
from consensa.consensus.needs import LABELS, Arrays, bytes_of, sizes_of
from consensa.exceptions import ConvergenceWarning, NotEnoughMemoryError, UndecidedTieWarning
from consensa.metrics import adjusted_rand_index

# The example of the paper's figure 1.
FIGURE = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1], [1, 0, 1]])


def overlap_of(ensemble):
    return (ensemble.membership().T @ ensemble.membership()).toarray()


def weights_of(ensemble, balance=1000.0):
    return module._cluster_weights(overlap_of(ensemble), ensemble.cluster_counts, balance)


def test_scores_weights_objective_and_gradient_are_those_of_the_authors_program(
    reference_small, reference_ceshl
):
    ensemble = Ensemble.from_labels(reference_small["labels"][:30])
    overlap = overlap_of(ensemble)
    scores = module._scores(overlap, ensemble.cluster_counts)
    assert_allclose(scores, reference_ceshl["scores"], rtol=0, atol=1e-12)
    assert reference_ceshl["weights"].max() == 1  # a bound is met
    balances = reference_ceshl["balances"]
    for balance, weights in zip(balances, reference_ceshl["weights"], strict=True):
        assert_allclose(weights_of(ensemble, balance), weights, rtol=0, atol=1e-12)
    given = ensemble.membership().toarray()
    problem = module._Hypergraph(given, reference_ceshl["weights"][1], np.ones((30, 1)))
    members, vectors = reference_ceshl["members"], reference_ceshl["vectors"]
    loss, slope = problem.objective(members.ravel(), vectors, 100.0)
    assert loss == pytest.approx(float(reference_ceshl["objective"]))
    assert_allclose(slope.reshape(given.shape), reference_ceshl["gradient"], rtol=0, atol=1e-10)


def test_eigenvectors_are_those_of_the_laplacian():
    ensemble = Ensemble.from_labels(np.random.RandomState(0).randint(3, size=(12, 4)))
    given, weights = ensemble.membership().toarray(), weights_of(ensemble)
    members = np.random.RandomState(1).uniform(size=given.shape)
    problem = module._Hypergraph(given, weights, np.ones((12, 1)))
    vectors, values = problem.spectrum(members, 3)
    by_row = np.diag(1 / np.sqrt(members @ weights))
    by_cluster = np.diag(weights / members.sum(axis=0))
    laplacian = np.eye(12) - by_row @ members @ by_cluster @ members.T @ by_row
    slow = np.linalg.eigh(laplacian)
    assert_allclose(values, slow[0][:4], atol=1e-12)
    subspace = slow[1][:, :3] @ slow[1][:, :3].T
    assert_allclose(vectors @ vectors.T, subspace, atol=1e-10)


def test_a_row_of_three_samples_is_the_row_three_times():
    rng = np.random.RandomState(0)
    given, weights = np.eye(4)[rng.randint(4, size=6)], rng.uniform(0.5, 1, 4)
    members, times = rng.uniform(0.1, 1, given.shape), np.array([3, 1, 1, 2, 1, 1])
    root = np.sqrt(times)[:, None]
    once = module._Hypergraph(given, weights, root)
    everyone = module._Hypergraph(np.repeat(given, times, axis=0), weights, np.ones((9, 1)))
    repeated = np.repeat(members, times, axis=0)
    vectors = everyone.spectrum(repeated, 2)[0]
    first = np.cumsum(times) - times
    found = once.spectrum(root * members, 2)[0] / root
    assert_allclose(found @ found.T, (vectors @ vectors.T)[np.ix_(first, first)], atol=1e-10)
    loss, slope = everyone.objective(repeated.ravel(), vectors, 7.0)
    one, own = once.objective((root * members).ravel(), root * vectors[first], 7.0)
    assert one == pytest.approx(loss)
    expected = slope.reshape(repeated.shape)[first]
    assert_allclose(own.reshape(members.shape) / root, expected, atol=1e-10)


def test_repeated_rows_are_learned_like_samples_of_their_own():
    rng = np.random.RandomState(3)
    truth = np.arange(15) % 3
    rows = np.where(rng.uniform(size=(15, 5)) < 0.5, rng.randint(3, size=(15, 5)), truth[:, None])
    ensemble = Ensemble.from_labels(np.repeat(rows, rng.choice([1, 2, 6], 15), axis=0))
    given = ensemble.membership().toarray()
    everyone = module._Hypergraph(given, weights_of(ensemble), np.ones((len(given), 1)))
    slow = module._learn(everyone, 3, 30)
    result = ceshl(ensemble, 3)
    assert result.details["n_iter"] == slow.n_iter
    assert adjusted_rand_index(result.labels, module._components(slow.members)) == 1


class Scripted:
    """A problem of which each round ends with given eigenvalues; notes what it is asked."""

    given, root, weights = np.ones((3, 3)), np.ones((3, 1)), np.ones(3)

    def __init__(self, rounds):
        self.values, self.asked = iter([(1, 1, 1), *rounds]), []
        self.n_spectra = 0

    def spectrum(self, members, count):
        self.n_spectra += 1
        return self.n_spectra - 1, np.array(next(self.values), float)

    def objective(self, flat, vectors, penalty):
        self.asked.append((penalty, vectors))
        return 0.0, np.zeros_like(flat)


@pytest.mark.parametrize(
    ("rounds", "asked"),
    [
        # Too few parts: twice the penalty; too many: half of it, and the eigenvectors before.
        ([(0, 1, 1), (0, 0, 0), (0, 0, 1)], [(100, 0), (200, 1), (100, 1)]),
        ([(0, 2e-9, 1), (0, 5e-10, 5e-12)], [(100, 0), (200, 1)]),
        # As many as wanted, but a second round follows the first.
        ([(0, 0, 1), (0, 0, 1)], [(100, 0), (100, 1)]),
        ([(0, 0, 5e-12), (0, 0, 2e-11)], [(100, 0), (50, 0)]),
        ([(0, 1, 1)] * 4, [(100, 0), (200, 1), (400, 2), (800, 3)]),
    ],
)
def test_the_penalty_follows_the_number_of_parts(rounds, asked):
    problem = Scripted(rounds)
    assert module._learn(problem, 2, 4).n_iter == len(asked)
    assert problem.asked == asked


def cheapest_halves(ensemble):
    """Best division into two, if each cluster leaves its smaller part: the constraint by hand."""
    given, weights = ensemble.membership().toarray(), weights_of(ensemble)

    def cost(labels):
        left = given[np.array(labels) == 0].sum(axis=0)
        return np.sum(weights**2 * np.minimum(left, given.sum(axis=0) - left))

    rest = itertools.product([0, 1], repeat=ensemble.n_samples - 1)
    return min(((0, *labels) for labels in rest if any(labels)), key=cost)


def test_the_example_of_the_paper_is_divided_at_least_cost():
    ensemble = Ensemble.from_labels(FIGURE)
    result = ceshl(ensemble, 2)
    assert_array_equal(result.labels, cheapest_halves(ensemble))
    assert_array_equal(result.labels, [0, 0, 1, 1, 1])
    assert result.details["converged"]
    assert result.details["n_components"] == 2


def test_the_planted_clusters_are_components(planted):
    labels, truth = planted
    result = ceshl(Ensemble.from_labels(labels), 3)
    assert adjusted_rand_index(truth, result.labels) > 0.9
    assert result.details["converged"]
    assert result.details["cluster_weights"].shape == (24,)


def test_missing_labels_are_memberships_of_zero(planted):
    labels, truth = planted
    gaps = np.where(np.random.RandomState(3).uniform(size=labels.shape) < 0.3, -1, labels)
    gaps[(gaps < 0).all(axis=1)] = labels[(gaps < 0).all(axis=1)]
    result = ceshl(Ensemble.from_labels(gaps), 3)
    assert adjusted_rand_index(truth, result.labels) > 0.9


def test_scores_leave_pairs_without_labels_out():
    labels = np.array([[0, 0], [0, 0], [0, -1], [1, 1]])
    ensemble = Ensemble.from_labels(labels)
    scores = module._scores(overlap_of(ensemble), ensemble.cluster_counts)
    assert_allclose(scores, 1)
    apart = Ensemble.from_labels([[0, -1], [0, -1], [1, 0], [1, 1]])  # one cluster has no pair
    scores = module._scores(overlap_of(apart), apart.cluster_counts)
    assert_allclose(scores, [1, 3 / 4, 1, 1])


def test_nothing_is_learned_if_there_are_k_components_already():
    labels = np.stack([[0, 0, 1, 1, 2, 2]] * 3, axis=1)
    result = ceshl(Ensemble.from_labels(labels), 3)
    assert_array_equal(result.labels, labels[:, 0])
    assert result.details["n_iter"] == 0


def test_too_many_components_are_merged_and_too_few_rounds_are_told(planted):
    apart = np.stack([np.repeat([0, 1, 2, 3], [3, 4, 5, 6])] * 2, axis=1)
    with pytest.warns((ConvergenceWarning, UndecidedTieWarning)) as told:
        result = ceshl(Ensemble.from_labels(apart), 2)
    assert any("4 components instead of 2" in str(warning.message) for warning in told)
    assert len(np.unique(result.labels)) == 2
    with pytest.warns(ConvergenceWarning, match="1 component instead of 3. They are split"):
        result = ceshl(Ensemble.from_labels(planted[0]), 3, max_iter=1)
    assert not result.details["converged"]
    assert adjusted_rand_index(planted[1], result.labels) > 0.8


def test_more_rounds_are_no_remedy_for_as_many_clusters_as_base_clusters():
    rows = np.array(list(itertools.product([0, 1], repeat=3)))  # of 6 base clusters
    every = np.repeat(rows, np.arange(1, 9), axis=0)  # no two of them can be exchanged
    for n_clusters in (6, 7):
        with pytest.warns(ConvergenceWarning, match="ask for fewer than 6 clusters") as told:
            result = ceshl(Ensemble.from_labels(every), n_clusters)
        assert not any("max_iter" in str(warning.message) for warning in told)
        assert result.details["n_iter"] == 0
        assert len(np.unique(result.labels)) == n_clusters
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        ceshl(Ensemble.from_labels(every), 5, max_iter=1)


def test_as_many_clusters_as_distinct_rows_are_these_rows():
    every = np.array(list(itertools.product([0, 1], repeat=3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ceshl(Ensemble.from_labels(every), 8).labels
    assert_array_equal(found, np.arange(8))


def test_a_sample_that_has_left_all_clusters_has_no_value():
    problem = module._Hypergraph(np.eye(3), np.ones(3), np.ones((3, 1)))
    members = np.diag([1.0, 1.0, 0.0])
    assert problem.objective(members.ravel(), np.eye(3)[:, :2], 1.0)[0] == np.inf


def test_a_round_ends_as_low_as_with_scipy(planted):
    ensemble = Ensemble.from_labels(planted[0])
    given = ensemble.membership().toarray()
    problem = module._Hypergraph(given, weights_of(ensemble), np.ones((len(given), 1)))
    objective = partial(problem.objective, vectors=problem.spectrum(given, 3)[0], penalty=1000.0)
    bounds = [(0, 1)] * given.size
    options = {"maxiter": module._STEPS, "maxcor": 5}
    start = given.ravel()
    theirs = minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    found = module.descend_in_box(objective, start, np.ones(given.size), module._STEPS)
    gained = objective(start)[0] - objective(found)[0]
    assert gained > 0.98 * (objective(start)[0] - theirs.fun)


@pytest.mark.parametrize("balance", [0.001, 0.01, 0.1, 1, 1000])
def test_weights_are_the_minimum_over_weights_of_at_most_one(balance):
    # Clusters that contain each other: some weights are above 1 at first, but not at the minimum.
    nested = np.column_stack([np.zeros(8, int), *(np.arange(8) // size for size in (4, 2, 1))])
    random = np.random.RandomState(0).randint(4, size=(30, 5))
    for labels in (nested, random):
        ensemble = Ensemble.from_labels(labels)
        overlap = overlap_of(ensemble)
        shared = np.sqrt(overlap.sum(axis=1))
        matrix = (1 + balance) * np.eye(len(overlap)) - overlap / np.outer(shared, shared)
        right = balance * module._scores(overlap, ensemble.cluster_counts)
        weights = weights_of(ensemble, balance)
        slope = matrix @ weights - right
        at_most = weights == 1
        assert 0 <= weights.min() <= weights.max() <= 1
        assert_allclose(slope[~at_most], 0, atol=1e-10)
        assert slope[at_most].max(initial=0) <= 1e-10


@pytest.mark.parametrize(("distinct", "fits"), [(20, True), (1000, False)])
def test_memory_is_that_of_the_distinct_rows(monkeypatch, distinct, fits):
    few = np.random.RandomState(0).randint(9, size=(distinct, 4))
    ensemble = Ensemble.from_labels(few[np.arange(1000) % distinct])
    rows, n_base = len(ensemble.microclusters().sizes), ensemble.n_clusters
    needed = bytes_of((Arrays(4, "cc"), LABELS), sizes_of(ensemble, 2, 1000))
    assert (25 * 8 * rows * n_base > needed) is not fits
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: int(needed))
    if fits:
        assert len(np.unique(ceshl(ensemble, 2).labels)) == 2
        return
    with pytest.raises(NotEnoughMemoryError, match=f"25 arrays of {rows} distinct rows × 36 clus"):
        ceshl(ensemble, 2)
    exactly = 25 * 8 * rows * n_base
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: exactly)
    module._require_memory(rows, n_base)
    with pytest.raises(NotEnoughMemoryError):
        module._require_memory(rows + 1, n_base)


@pytest.mark.filterwarnings("ignore::consensa.exceptions.ConvergenceWarning")
def test_no_more_memory_than_declared():
    ensemble = Ensemble.from_labels(np.random.RandomState(0).randint(9, size=(900, 5)))
    rows = len(ensemble.microclusters().sizes)
    ceshl(Ensemble.from_labels(FIGURE), 2)  # what it imports is not measured
    declared = bytes_of((*ceshl.info.arrays, LABELS), sizes_of(ensemble, 3, 900))
    declared += 8 * module._ARRAYS * rows * ensemble.n_clusters
    tracemalloc.start()
    ceshl(ensemble, 3, max_iter=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert declared / 3 < peak < declared
