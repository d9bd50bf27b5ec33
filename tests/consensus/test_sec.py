"""SEC: spectral ensemble clustering by weighted k-means."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, sec
from consensa.consensus import _sec
from consensa.exceptions import ConvergenceWarning, UndecidedTieWarning
from consensa.metrics import adjusted_rand_index


def cut_objective(ensemble, labels):
    """The objective from the co-association graph itself: n × n, pair by pair."""
    membership = ensemble.membership().toarray()
    graph = membership @ membership.T
    degree = graph.sum(axis=1)
    association = sum(
        graph[np.ix_(labels == k, labels == k)].sum() / degree[labels == k].sum()
        for k in set(labels.tolist())
    )
    return (membership.sum(axis=1) / degree).sum() - association


def test_five_samples_by_hand():
    # Clusters {0, 1, 2}, {3, 4} and {0, 1}, {2, 3, 4}: degrees 5, 5, 6, 5, 5.
    ensemble = Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    with pytest.warns(UndecidedTieWarning):  # 2 is as well with either
        result = sec(ensemble, 2, random_state=0)
    assert_array_equal(result.labels[[0, 1, 3, 4]], [0, 0, 1, 1])
    # Of the three, 14 of 16 edges stay inside; of the pair, 8 of 10.
    assert_allclose(result.details["objective"], 4 * 2 / 5 + 2 / 6 - 14 / 16 - 8 / 10)


def test_no_labeling_of_a_small_ensemble_cuts_less():
    labels = np.random.default_rng(0).integers(0, 3, (8, 4))
    ensemble = Ensemble.from_labels(labels)
    best = min(
        cut_objective(ensemble, np.array(tried))
        for tried in itertools.product(range(3), repeat=8)
        if len(set(tried)) == 3
    )
    assert_allclose(sec(ensemble, 3, n_init=50, random_state=0).details["objective"], best)


@pytest.mark.parametrize("missing", [False, True])
def test_objective_is_the_normalized_cut_of_the_coassociation_graph(planted, missing):
    labels = planted[0].copy()
    if missing:
        labels[np.random.default_rng(0).random(labels.shape) < 0.2] = -1
    ensemble = Ensemble.from_labels(labels)
    result = sec(ensemble, 4, random_state=0)
    assert_allclose(result.details["objective"], cut_objective(ensemble, result.labels))


@pytest.mark.parametrize("name", ["small", "binalpha"])
def test_agrees_with_the_reference(name, request):
    stored = request.getfixturevalue(f"reference_{name}")
    arrays = stored if name == "small" else stored[0]
    ensemble = Ensemble.from_labels(arrays["labels"])
    membership = ensemble.membership()
    degrees = membership @ ensemble.cluster_sizes
    assert_allclose(degrees, arrays["sec_w"], rtol=0, atol=1e-9)
    their_best = cut_objective(ensemble, arrays["SEC_thirdparty_best_of_50"])
    assert_allclose(their_best, arrays["sec_best_objective"], rtol=0, atol=1e-9)
    ours = sec(ensemble, int(arrays["K"]), n_init=200, random_state=0).details["objective"]
    assert ours <= 1.005 * arrays["sec_best_objective"]


def test_samples_that_no_partition_tells_apart_are_one_point(planted, monkeypatch):
    ensemble = Ensemble.from_labels(np.repeat(planted[0], 3, axis=0))
    seen = []
    original = _sec.weighted_kmeans
    monkeypatch.setattr(
        _sec,
        "weighted_kmeans",
        lambda points, weights, *a, **k: (
            seen.append((points, weights)) or original(points, weights, *a, **k)
        ),
    )
    result = sec(ensemble, 3, random_state=0)
    points, weights = seen[0]
    assert points.shape[0] == len(ensemble.microclusters().sizes) < ensemble.n_samples
    assert_allclose(weights.sum(), (ensemble.membership() @ ensemble.cluster_sizes).sum())
    assert_allclose(result.details["objective"], cut_objective(ensemble, result.labels))


@pytest.mark.parametrize("seed", range(5))
def test_as_many_clusters_come_back_as_asked_for(seed):
    labels = np.random.default_rng(seed).integers(0, 4, (40, 5))
    result = sec(Ensemble.from_labels(labels), 15, n_init=1, random_state=seed)
    assert result.n_clusters == 15


def test_shuffling_the_rows_changes_nothing_even_with_one_start():
    labels = np.random.default_rng(0).integers(0, 5, (80, 6))  # no structure to lean on
    order = np.random.default_rng(1).permutation(80)
    here = sec(Ensemble.from_labels(labels), 4, n_init=1, random_state=0).labels
    there = sec(Ensemble.from_labels(labels[order]), 4, n_init=1, random_state=0).labels
    assert adjusted_rand_index(here[order], there) == 1


def test_running_out_of_iterations_is_told():
    ensemble = Ensemble.from_labels(np.random.default_rng(0).integers(0, 5, (80, 6)))
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        result = sec(ensemble, 6, max_iter=1, n_init=1, random_state=0)
    assert not result.details["converged"]
    assert sec(ensemble, 6, random_state=0).details["converged"]
