"""SDGCA: similarity against dissimilarity."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import SDGCA, Ensemble, coassociation, sdgca
from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index


@pytest.fixture
def ensemble(request, reference_small):
    if request.param == "small":
        return Ensemble.from_labels(reference_small["labels"])
    rng = np.random.RandomState(0)  # more microclusters than fit into one block of rows
    truth = rng.randint(4, size=160)
    labels = np.where(rng.uniform(size=(8, 160)) < 0.2, rng.randint(6, size=(8, 160)), truth).T
    return Ensemble.from_labels(labels)


def weighted_by_definition(ensemble, theta):
    membership = ensemble.membership().toarray()
    m = ensemble.n_partitions
    overlap = membership.T @ membership
    share = overlap / np.diag(overlap)[:, None]
    entropy = -(share * np.log2(share, where=share > 0, out=np.zeros_like(share))).sum(axis=1)
    k = np.repeat(ensemble.cluster_counts, ensemble.cluster_counts)
    certainty = np.exp(-entropy / np.log2(k) / theta / m)
    weighted = (membership * certainty) @ membership.T / m
    weighted /= weighted.max()
    np.fill_diagonal(weighted, 1)
    return weighted


def unlikeness_by_definition(ensemble):
    membership = ensemble.membership().toarray()
    overlap = membership.T @ membership
    size = np.diag(overlap)
    jaccard = overlap / (size[:, None] + size - overlap)
    np.fill_diagonal(jaccard, 0)
    step = jaccard / jaccard.sum(axis=1, keepdims=True)
    meetings = sum((walk := np.linalg.matrix_power(step, t)) @ walk.T for t in range(1, 21))
    length = np.sqrt(np.diag(meetings))
    likeness = meetings / np.outer(length, length)
    np.fill_diagonal(likeness, 1)
    return np.mean([1 - likeness[np.ix_(ids, ids)] for ids in ensemble.cluster_ids.T], axis=0)


def spread_sample_by_sample(laplacian, alike, apart, n_iter):
    """The published iteration, on n × n matrices; S, D and the largest gap at the end."""
    n = len(laplacian)
    s = d = y1 = y2 = f1 = f2 = np.zeros((n, n))
    step = 1.0
    for _ in range(n_iter):
        before = s, d
        inverse = np.linalg.inv(2 * laplacian + 2 * step * np.eye(n))
        s = (2 * step * f1 - d.T - y1) @ inverse
        f1 = np.where(alike > 0, alike, np.clip(y1 / (2 * step) + s, 0, 1))
        f1 = (f1 + f1.T) / 2
        d = (2 * step * f2 - s.T - y2) @ inverse
        f2 = np.where(apart > 0, apart, np.clip(y2 / (2 * step) + d, 0, 1))
        f2 = (f2 + f2.T) / 2
        y1, y2 = y1 + step * (s - f1), y2 + step * (d - f2)
        step *= 1.1
    apart = (s - before[0], d - before[1], s - f1, d - f2)
    return s, d, max(np.linalg.norm(difference) for difference in apart)


@pytest.mark.parametrize(
    ("theta", "link", "similar", "dissimilar"),
    [(0.09, 0.75, 0.65, 0.8), (0.06, 0.95, 0.95, 0.8), (0.2, 0.5, 0.5, 0.1)],
)
@pytest.mark.parametrize("ensemble", ["small", "of many microclusters"], indirect=True)
def test_matrix_is_that_of_the_iteration_over_all_samples(
    ensemble, theta, link, similar, dissimilar
):
    result = sdgca(
        ensemble,
        4,
        theta=theta,
        link_threshold=link,
        similarity_threshold=similar,
        dissimilarity_threshold=dissimilar,
    )
    shared = coassociation(ensemble)
    weighted = weighted_by_definition(ensemble, theta)
    apart = unlikeness_by_definition(ensemble)
    apart[apart < dissimilar] = 0
    alike = np.where(shared < similar, 0, weighted)
    alike /= alike.max()  # the least is 0
    alike = np.where(alike > 0, alike / 5 + 0.8, 0)
    alike[apart > 0] = 0
    graph = np.where(shared < link, 0, shared)
    s, d, residual = spread_sample_by_sample(
        np.diag(graph.sum(axis=1)) - graph, alike, apart, result.details["n_iter"]
    )
    assert_allclose(result.details["residuals"][-1], residual, rtol=1e-6)
    s, d = np.clip(s, 0, 1), np.clip(d, 0, 1)
    s, d = (s + s.T) / 2, (d + d.T) / 2
    promoted = np.where(s >= d, 1 - (1 - s + d) * (1 - weighted), (1 + s - d) * weighted)
    assert_allclose(result.affinity, np.clip(promoted, 0, 1), atol=1e-9)
    assert result.details["converged"]


def test_above_one_no_link_spreads_anything_and_the_weighted_matrix_is_cut(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    result = sdgca(ensemble, 4, link_threshold=1.01)
    assert_allclose(result.affinity, weighted_by_definition(ensemble, 0.09), atol=1e-12)
    assert result.details["n_iter"] == 0
    assert result.details["converged"]


def test_defaults_are_those_of_the_authors_program():
    thresholds = {"link": 0.75, "similarity": 0.65, "dissimilarity": 0.8}
    stated = {f"{name}_threshold": value for name, value in thresholds.items()}
    stated |= {"theta": 0.09, "tol": 1e-3, "max_iter": 300}
    assert sdgca.__wrapped__.__kwdefaults__ == stated
    assert stated.items() <= SDGCA().get_params().items()


def test_running_out_of_iterations_is_said(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    with pytest.warns(ConvergenceWarning, match="SDGCA did not converge in 2 iterations"):
        assert not sdgca(ensemble, 4, max_iter=2).details["converged"]


def test_a_partition_of_one_cluster_says_nothing(planted):
    labels, truth = planted
    with_one = np.column_stack([labels, np.zeros(len(labels), int)])
    result = sdgca(Ensemble.from_labels(with_one), 3)
    assert np.isfinite(result.affinity).all()
    assert adjusted_rand_index(truth, result.labels) > 0.8


def test_matrix_is_symmetric_and_between_0_and_1_and_tree_can_be_cut_again(planted):
    result = sdgca(Ensemble.from_labels(planted[0]), 3)
    assert_allclose(result.affinity, result.affinity.T, atol=1e-12)
    assert 0 <= result.affinity.min() <= result.affinity.max() <= 1
    assert_array_equal(np.unique(result.cut(5)), np.arange(5))
