"""SPCE: a graph learnt from the certain pairs to the doubtful ones."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import assert_entries
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from consensa import Ensemble, coassociation, spce
from consensa.consensus import _laplacian_spectrum, _spce
from consensa.consensus._laplacian_spectrum import bottom_of_spectrum
from consensa.exceptions import ConvergenceWarning, FewerClustersWarning
from consensa.metrics import adjusted_rand_index


@pytest.fixture(autouse=True)
def one_thread():
    """Dozens of small eigendecompositions: on busy cores, threads only wait for each other."""
    with threadpool_limits(limits=1):
        yield


@pytest.mark.parametrize("threshold", [0, 0.1, 0.3, 0.5, 0.7])
def test_graph_rounds_and_labels_are_those_of_the_authors_program(reference_small, threshold):
    name = f"spce_thr{threshold:g}"
    ensemble = Ensemble.from_labels(reference_small["labels"])
    result = spce(ensemble, int(reference_small["K"]), threshold=threshold, exact_k=False)
    assert_allclose(result.affinity, reference_small[f"{name}_S"], atol=1e-9)
    history = result.details["history"]
    assert_allclose(history["factor"], reference_small[f"{name}_hist_lambda"].ravel())
    assert_allclose(history["pace"], reference_small[f"{name}_hist_qq"].ravel())
    assert_allclose(
        result.details["partition_shares"], reference_small[f"{name}_hist_p"][-1], atol=1e-9
    )
    theirs = reference_small[f"SPCE_thr{threshold:g}"].ravel()
    assert adjusted_rand_index(theirs, result.labels) == 1.0


@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_agrees_with_the_authors_program_on_binalpha(reference_binalpha, threshold):
    arrays, matrices = reference_binalpha
    name = f"spce_thr{threshold:g}"
    ensemble = Ensemble.from_labels(arrays["labels"])
    result = spce(ensemble, 36, threshold=threshold, exact_k=False)
    assert_entries(result.affinity, matrices[f"{name}_S"])
    assert_allclose(result.details["history"]["factor"], arrays[f"{name}_hist_lambda"].ravel())
    theirs = arrays[f"SPCE_thr{threshold:g}"].ravel()
    assert adjusted_rand_index(theirs, result.labels) == 1.0


def test_more_components_than_asked_for_are_merged_with_a_warning_or_returned(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    free = spce(ensemble, 4, threshold=0.3, exact_k=False)
    assert free.n_clusters == free.details["n_components"] == 10
    assert not free.details["converged"]
    with pytest.warns(ConvergenceWarning, match="found 10 components instead of 4") as told:
        merged = spce(ensemble, 4, threshold=0.3)
    assert "exact_k=False returns them" in str(told[0].message)
    assert merged.n_clusters == 4
    # Components are only ever merged, the nearest first: by hand, on their mean co-association.
    groups = [np.flatnonzero(free.labels == c) for c in range(10)]
    shared = coassociation(ensemble)
    while len(groups) > 4:
        means = {
            (a, b): shared[np.ix_(groups[a], groups[b])].mean()
            for a in range(len(groups))
            for b in range(a)
        }
        a, b = max(means, key=means.get)
        groups[b] = np.concatenate([groups[a], groups[b]])
        del groups[a]
    by_hand = np.empty(60, int)
    for number, group in enumerate(groups):
        by_hand[group] = number
    assert adjusted_rand_index(by_hand, merged.labels) == 1.0


def test_too_few_components_are_split_where_the_graph_is_weakest():
    # Samples 0 and 1 have equal rows. Component 1 is never joined, however weak component 0 is.
    ensemble = Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [0, 2], [1, 3]])
    graph = np.eye(5)
    graph[:2, :2], graph[:2, 2], graph[2, 3] = 1, 0.9, 0.2
    graph = np.maximum(graph, graph.T)
    component = np.array([0, 0, 0, 0, 1])
    for n_clusters, expected in ((3, [0, 0, 0, 1, 2]), (4, [0, 0, 1, 2, 3])):
        with pytest.warns(ConvergenceWarning, match=f"2 components instead of {n_clusters}"):
            labels = _spce._split_components(
                graph, component, ensemble.microclusters(), n_clusters
            )
        assert_array_equal(labels, expected)


def test_fewer_components_than_asked_for_come_back_without_exact_k():
    ensemble = Ensemble.from_labels([[0, 0], [1, 0], [1, 0], [0, 1], [0, 2]])
    with pytest.warns(FewerClustersWarning, match="exact_k=False returns what was found"):
        found = spce(ensemble, 2, exact_k=False)
    assert found.n_clusters == found.details["n_components"] == 1
    with pytest.warns(ConvergenceWarning, match="1 component instead of 2"):
        assert spce(ensemble, 2).n_clusters == 2


def test_fewer_components_than_asked_for_come_back_with_a_warning():
    # One partition of three pairs: the pairs are all that can be told, and K = 3 is exact.
    labels = np.array([[0], [0], [1], [1], [2], [2]])
    assert spce(Ensemble.from_labels(labels), 3).details["converged"]
    with pytest.warns(FewerClustersWarning, match="returns 3"):
        spce(Ensemble.from_labels(labels), 5, exact_k=False)


def test_more_components_than_asked_for_without_exact_k_give_no_warning(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    assert spce(ensemble, 4, threshold=0.5, exact_k=False).n_clusters == 36


def spread_out(n, n_clusters, seed):
    """Partitions of which hardly two samples have the same row."""
    rng = np.random.RandomState(seed)
    truth = rng.randint(n_clusters, size=n)
    noisy = np.where(rng.uniform(size=(8, n)) < 0.1, rng.randint(n_clusters, size=(8, n)), truth)
    fine = 4 * truth + rng.randint(4, size=(8, n))
    return np.vstack([noisy, fine]).T, truth


def distances(spectrum):
    """Squared distances between rows of F of samples from different microclusters."""
    apart = cdist(spectrum.embedding, spectrum.embedding, "sqeuclidean")
    return apart + spectrum.spread[:, None] + spectrum.spread[None, :]


def dense_laplacian(graph, sizes):
    group = np.repeat(np.arange(len(sizes)), sizes)
    samples = graph[np.ix_(group, group)]
    return np.diag(samples.sum(axis=1)) - samples, group


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 5, 9])
def test_embedding_distances_are_those_of_all_samples(n_clusters):
    # Two components; groups of different degrees, so that vectors inside groups come into play.
    rng = np.random.RandomState(0)
    graph = np.zeros((7, 7))
    graph[:4, :4] = rng.uniform(0.1, 0.4, (4, 4))
    graph[4:, 4:] = rng.uniform(0.1, 0.4, (3, 3))
    graph = (graph + graph.T) / 2
    np.fill_diagonal(graph, 1)
    sizes = np.array([1, 2, 1, 3, 2, 1, 1])
    ours = bottom_of_spectrum(graph, sizes, n_clusters)
    laplacian, group = dense_laplacian(graph, sizes)
    values, vectors = np.linalg.eigh(laplacian)
    if n_clusters > 2:
        assert_allclose(ours.tail, values[:n_clusters].sum(), atol=1e-12)
        rows = vectors[:, :n_clusters]
        distance = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
        other = group[:, None] != group[None]
        assert_allclose(distances(ours)[np.ix_(group, group)][other], distance[other], atol=1e-9)
    else:
        assert ours.tail == 0
    assert_array_equal(ours.component, [0, 0, 0, 0, 1, 1, 1])


def test_groups_of_equal_degree_share_what_is_left_of_the_spectrum():
    kept, of_group, tail = _laplacian_spectrum._choose(
        np.array([1.0]), np.array([5.0, 5.0]), np.array([2, 2]), 2
    )
    assert_array_equal(kept, [0])
    assert_allclose(of_group, [0.5, 0.5])
    assert tail == 6.0


def test_inversion_finds_the_same_eigenvectors_as_the_full_decomposition(monkeypatch):
    rng = np.random.RandomState(0)
    graph = rng.uniform(size=(60, 60))
    graph = (graph + graph.T) / 2
    sizes = rng.randint(1, 4, size=60)
    full = bottom_of_spectrum(graph, sizes, 5)
    monkeypatch.setattr(_laplacian_spectrum, "_DENSE_BELOW", 10)
    inverted = bottom_of_spectrum(graph, sizes, 5)
    assert_allclose(inverted.tail, full.tail, rtol=1e-10)
    assert_allclose(distances(inverted), distances(full), atol=1e-10)


def test_shares_are_the_misfits_of_the_partitions():
    labels, _ = spread_out(40, 3, seed=0)
    ensemble = Ensemble.from_labels(labels)
    groups = ensemble.microclusters()
    rng = np.random.RandomState(1)
    graph, weights = rng.uniform(size=(2, len(groups.sizes), len(groups.sizes)))
    by_partition = np.ascontiguousarray(groups.rows.T)
    ours = _spce._update_shares(graph, weights, by_partition, groups.sizes)
    member = groups.labels
    misfit = [
        np.linalg.norm(
            (weights * graph)[np.ix_(member, member)]
            - weights[np.ix_(member, member)] * (column[:, None] == column[None])
        )
        for column in labels.T
    ]
    assert_allclose(ours, misfit / np.sum(misfit), rtol=1e-10)


@pytest.mark.parametrize(("threshold", "merges"), [(0.1, False), (0.3, True)])
def test_at_most_five_square_arrays_and_never_one_for_each_partition(
    monkeypatch, threshold, merges
):
    labels, truth = spread_out(600, 4, seed=0)
    ensemble = Ensemble.from_labels(labels)
    assert len(ensemble.microclusters().sizes) > 590
    monkeypatch.setattr(_laplacian_spectrum, "_DENSE_BELOW", 100)
    warm_up()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        tracemalloc.start()
        result = spce(ensemble, 4, threshold=threshold)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (result.details["n_components"] > 4) == merges
    assert peak < 5 * 8 * 600**2
    assert merges or adjusted_rand_index(truth, result.labels) > 0.8


def warm_up():
    """Compile the loops, so that this is not measured."""
    spce(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2)
    with pytest.warns(ConvergenceWarning):
        spce(Ensemble.from_labels([[0, 0], [1, 1], [2, 2], [0, 2]]), 2, threshold=0.9)
