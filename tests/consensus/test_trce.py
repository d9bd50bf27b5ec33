"""TRCE: what is particular to it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq

from consensa import Ensemble, trce
from consensa.consensus import _trce as module
from consensa.consensus import _trce_kernels as kernels
from consensa.consensus._laplacian_spectrum import bottom_of_spectrum
from consensa.exceptions import ConvergenceWarning, UndecidedTieWarning
from consensa.metrics import adjusted_rand_index


def learn(labels, n_clusters, noise_penalty, max_iter=10):
    """Graph, weights and shares in the given order of the rows and partitions."""
    groups = Ensemble.from_labels(labels).microclusters()
    learnt = module._learn(module._Graphs.of(groups), n_clusters, noise_penalty, max_iter)
    graph = learnt.graph[np.ix_(groups.labels, groups.labels)]
    return graph, learnt.weights[groups.labels], learnt.shares, learnt.n_iter


def check_against_program(labels, answers, version):
    for number, penalty in enumerate(answers[f"{version}_penalties"]):
        graph, weights, shares, n_iter = learn(labels, 4, penalty)
        assert n_iter == answers[f"{version}_rounds"][number]
        assert_allclose(graph, answers[f"{version}_graphs"][number], rtol=0, atol=1e-10)
        assert_allclose(weights, answers[f"{version}_weights"][number], rtol=0, atol=1e-10)
        assert_allclose(shares, answers[f"{version}_shares"][number], rtol=0, atol=1e-10)


def test_the_same_as_the_authors_program_with_one_index_corrected(reference_small, reference_trce):
    check_against_program(reference_small["labels"], reference_trce, "corrected")


def test_the_index_is_the_only_difference(reference_small, reference_trce, monkeypatch):
    """The program as it is adds the divergence of the last partition, m times."""
    labels = reference_small["labels"]
    wrong = lambda divergence, shares: len(shares) * divergence[:, -1] / shares[-1]  # noqa: E731
    with pytest.raises(AssertionError):
        check_against_program(labels, reference_trce, "as_is")
    monkeypatch.setattr(module, "_difficulties", wrong)
    check_against_program(labels, reference_trce, "as_is")


def walks_of(labels):
    """A^(k), one by one; rows of zeros for missing labels."""
    for partition in labels.T:
        together = (partition[:, None] == partition) & (partition >= 0)
        yield together / np.maximum(together.sum(axis=1, keepdims=True), 1)


def divergences(walks, near):
    terms = [np.where(walk > 0, walk, 1) for walk in walks]
    logs = [term * np.log(term / np.where(near > 0, near, 1)) for term in terms]
    return np.stack(
        [(log * (walk > 0)).sum(axis=1) for log, walk in zip(logs, walks, strict=True)], axis=1
    )


def on_simplex(values):
    sums = np.cumsum(np.sort(values)[::-1])
    thresholds = (sums - 1) / np.arange(1, len(values) + 1)
    return np.maximum(values - thresholds.max(), 0)


def eigenvectors(graph, n_clusters):
    graph = (graph + graph.T) / 2
    values, vectors = np.linalg.eigh(np.diag(graph.sum(axis=1)) - graph)
    return values, vectors[:, :n_clusters]


def by_definition(labels, n_clusters, noise_penalty, rounds):
    """The formulas of the paper, one sample after the other. Ends after `rounds`."""
    (n, m), walks = labels.shape, list(walks_of(labels))
    labeled = labels >= 0
    of_rows, of_partitions = labeled.mean(axis=1), labeled.mean(axis=0)
    near = sum(walks) / labeled.sum(axis=1, keepdims=True)
    vectors, shares, penalty = eigenvectors(near, n_clusters)[1], np.full(m, 1 / m), 1.0
    age = None
    for _ in range(rounds):
        apart = divergences(walks, near)
        hard = (apart / shares).sum(axis=1) / of_rows
        age = 2 * np.sort(hard)[n // 10 - 1] if age is None else 1.1 * age
        weights = np.minimum(age / (2 * hard), 1)
        distances = ((vectors[:, None] - vectors) ** 2).sum(axis=2)
        graph = np.zeros((n, n))
        for i in range(n):
            given = weights[i] ** 2 / of_rows[i]
            given = given * sum(walk[i] / p for walk, p in zip(walks, shares, strict=True))
            pulled = penalty * distances[i]
            root = brentq(lambda x: (given / (pulled + x)).sum() - 1, 1e-9, 1e9, xtol=1e-13)  # noqa: B023
            near[i] = given / (pulled + root)
            graph[i] = on_simplex(near[i] - pulled / (2 * noise_penalty))
        misfits = weights**2 @ divergences(walks, near) / of_partitions
        shares = np.sqrt(misfits) / np.sqrt(misfits).sum()
        values, found = eigenvectors(graph, n_clusters)
        if values[:n_clusters].sum() > 1e-9:
            penalty, vectors = 2 * penalty, found
        else:
            penalty /= 2
            assert values[: n_clusters + 1].sum() < 1e-11
    return (graph + graph.T) / 2, weights, shares


@pytest.mark.parametrize("gaps", [0, 0.2])
def test_the_same_as_by_definition_with_repeated_rows(gaps):
    rng = np.random.RandomState(1)
    rows = np.where(rng.uniform(size=(16, 5)) < gaps, -1, rng.randint(4, size=(16, 5)))
    labels = np.repeat(rows, rng.randint(1, 4, 16), axis=0)
    labels = labels[rng.permutation(len(labels))]
    graph, weights, shares, n_iter = learn(labels, 3, 5.0, max_iter=4)
    assert n_iter == 4
    slow = by_definition(labels, 3, 5.0, 4)
    for ours, theirs in zip((graph, weights, shares), slow, strict=True):
        assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def row_problem(seed):
    rng = np.random.RandomState(seed)
    sizes = rng.randint(1, 5, 30).astype(float)
    evidence = np.where(rng.uniform(size=30) < 0.5, rng.exponential(size=30), 0)
    pulled = rng.exponential(size=30) * 10.0 ** rng.randint(-6, 6)
    evidence[7], pulled[7] = rng.exponential() * 10.0 ** rng.randint(-8, 4), 0
    return evidence, pulled, sizes


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_the_consensus_are_optimal(seed):
    """The conditions (10) of the paper, whose multiplier is the root: the sum of B is 1."""
    evidence, pulled, sizes = row_problem(seed)
    root = kernels.row_root(evidence, pulled, sizes, 7)
    assert root > 0
    assert sizes @ (evidence / (pulled + root)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_the_graph_are_projections(seed):
    """A − v is one number where A > 0, and not below it elsewhere; the sum is 1."""
    rng = np.random.RandomState(seed)
    values = rng.normal(size=30) * 10.0 ** rng.randint(-4, 3)
    sizes = rng.randint(1, 5, 30).astype(float)
    threshold = kernels.row_threshold(values, sizes)
    assert sizes @ np.maximum(values - threshold, 0) == pytest.approx(1, abs=1e-10)
    repeated = on_simplex(np.repeat(values, sizes.astype(int)))
    assert_allclose(np.repeat(np.maximum(values - threshold, 0), sizes.astype(int)), repeated)


@pytest.mark.parametrize(("weight", "is_edge"), [(1e-13, False), (1e-11, True)])
def test_weights_that_are_rounding_are_no_edges(weight, is_edge):
    # Two samples at the distance 1, together in one partition: the first stays with 1 − weight.
    graph, divergence = np.empty((2, 2)), np.empty((2, 1))
    both, sizes, embedding = np.zeros((1, 2), np.int32), np.ones(2), np.array([[0.0, 1.0]])
    shares = np.full((2, 1), 0.5)
    kernels.graph_rows(
        both, shares, shares, sizes, embedding, 0.0, 1 - 2 * weight, graph, divergence, 0, 2
    )
    assert_allclose(np.diagonal(graph), 1)
    assert_array_equal(graph[[0, 1], [1, 0]] > 0, is_edge)


def test_a_tenth_of_the_samples_is_easy_at_first():
    sizes = np.array([5.0, 15.0, 10.0, 20.0])
    assert module._easy_difficulty(np.array([3.0, 4.0, 2.0, 1.0]), sizes) == 1
    assert module._easy_difficulty(np.array([1.0, 4.0, 2.0, 3.0]), sizes) == 1
    assert module._easy_difficulty(np.array([1.0, 2.0]), np.array([4.0, 96.0])) == 2
    assert module._easy_difficulty(np.array([2.0, 1.0]), np.array([1.0, 2.0])) == 1  # at least one
    assert module._easy_difficulty(np.array([1.0, 2.0]), np.array([1.0, 18.0])) == 1  # not two


def test_samples_on_which_all_partitions_agree_have_the_weight_one():
    hard = np.array([0.0, 1e-16, 3.0, 2.0])
    age = 2 * module._easy_difficulty(hard, np.ones(4))
    assert age == 4
    assert_allclose(module._sample_weights(hard, age), [1, 1, 2 / 3, 1])
    nowhere = 2 * module._easy_difficulty(np.zeros(4), np.ones(4))
    assert_allclose(module._sample_weights(np.zeros(4), nowhere), 1)


def test_embedding_of_samples_that_must_be_alike():
    """One group of many samples with a small degree: its samples differ in other eigenvectors."""
    graph = np.array([[0.01, 0, 0.01], [0, 1, 1], [0.01, 1, 1]])
    sizes = np.array([5, 1, 1])
    spectrum = module._symmetric(graph, sizes, 3)[1]
    assert spectrum.embedding.shape == (3, 3)
    assert not spectrum.spread.any()
    assert bottom_of_spectrum(graph, sizes, 3).spread.any()
    root = np.sqrt(sizes)[:, None]
    vectors = spectrum.embedding * root
    assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)


def test_the_planted_clusters_are_components(planted):
    labels, truth = planted
    result = trce(Ensemble.from_labels(labels), 3)
    assert adjusted_rand_index(truth, result.labels) > 0.9
    assert result.details["converged"]
    joined = result.affinity > 0
    assert not joined[result.labels[:, None] != result.labels].any()


def test_a_random_partition_and_samples_in_doubt_count_less(planted):
    labels, rng = planted[0], np.random.RandomState(5)
    labels[:, 2] = rng.randint(3, size=60)
    labels[7] = rng.randint(3, size=8)
    details = trce(Ensemble.from_labels(labels), 3).details
    assert np.argmax(details["partition_shares"]) == 2
    assert details["sample_weights"][7] < details["sample_weights"].mean() < 1


def test_missing_labels_leave_the_partition_out(planted):
    labels, truth = planted
    gaps = np.where(np.random.RandomState(3).uniform(size=labels.shape) < 0.3, -1, labels)
    gaps[(gaps < 0).all(axis=1)] = labels[(gaps < 0).all(axis=1)]
    result = trce(Ensemble.from_labels(gaps), 3)
    assert adjusted_rand_index(truth, result.labels) > 0.9


def test_nothing_is_learned_if_there_are_k_components_already(planted):
    labels = np.stack([[0, 0, 1, 1, 2, 2]] * 3, axis=1)
    result = trce(Ensemble.from_labels(labels), 3)
    assert_array_equal(result.labels, labels[:, 0])
    assert result.details["n_iter"] == 0
    assert trce(Ensemble.from_labels(planted[0]), 2).details["n_iter"] > 1  # one is not enough
    assert_allclose(result.affinity, (labels[:, :1] == labels[:, 0]) / 2)


def test_too_many_components_are_merged_and_too_few_rounds_are_told(planted):
    apart = np.stack([np.repeat([0, 1, 2, 3], [3, 4, 5, 6])] * 2, axis=1)
    with pytest.warns((ConvergenceWarning, UndecidedTieWarning)) as told:
        result = trce(Ensemble.from_labels(apart), 2)
    assert any("4 components instead of 2" in str(warning.message) for warning in told)
    assert len(np.unique(result.labels)) == 2
    with pytest.warns(ConvergenceWarning, match="1 component instead of 3. They are split"):
        result = trce(Ensemble.from_labels(planted[0]), 3, max_iter=1)
    assert not result.details["converged"]
    assert adjusted_rand_index(planted[1], result.labels) > 0.8
