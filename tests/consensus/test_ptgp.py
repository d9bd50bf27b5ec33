"""PTGP: the graph of microclusters and clusters, cut."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import assert_entries, our_clusters, our_groups

from consensa import Ensemble, ptgp
from consensa.consensus._ptgp import _weights_to_clusters
from consensa.exceptions import NotEnoughMemoryError
from consensa.metrics import adjusted_rand_index
from consensa.partition import bipartite_embedding
from consensa.similarity import probability_trajectories


def weights_in_order_of_the_reference(arrays):
    ensemble = Ensemble.from_labels(arrays["labels"])
    weights = _weights_to_clusters(ensemble, probability_trajectories(ensemble))
    groups = our_groups(ensemble, arrays["micro_of_object"])
    return weights[np.ix_(groups, our_clusters(ensemble, arrays["labels"]))]


def sum_of_squares(embedding, labels):
    return sum(
        ((embedding[labels == q] - embedding[labels == q].mean(axis=0)) ** 2).sum()
        for q in np.unique(labels)
    )


def test_weights_by_hand():
    # Four microclusters in a chain; clusters {0, 1}, {2, 3}, {0}, {1, 2}, {3}.
    ensemble = Ensemble.from_labels([[0, 0], [0, 1], [1, 1], [1, 2]])
    affinity = np.array([[1, 0, 0.5, 0], [0, 1, 0, 0.6], [0.5, 0, 1, 0], [0, 0.6, 0, 1]])
    weights = _weights_to_clusters(ensemble, affinity)
    assert_allclose(weights[0], [0.5, 0.25, 1, 0.25, 0])
    assert_allclose(weights[1], [0.5, 0.3, 0, 0.5, 0.6])


def test_weights_and_embedding_agree_with_the_authors_program(reference_small):
    weights = weights_in_order_of_the_reference(reference_small)
    assert_allclose(weights, reference_small["ptgp_G"], atol=1e-9)
    ours = bipartite_embedding(weights, int(reference_small["K"]))
    theirs = reference_small["ptgp_embedding"]
    assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-9)


def test_agrees_with_the_authors_program_on_binalpha(reference_binalpha):
    arrays, matrices = reference_binalpha
    weights = weights_in_order_of_the_reference(arrays)
    assert_entries(weights, matrices["ptgp_G"])
    ours = bipartite_embedding(weights, int(arrays["K"]))
    assert_allclose(
        ours @ ours.T, arrays["ptgp_embedding"] @ arrays["ptgp_embedding"].T, atol=1e-9
    )


@pytest.mark.parametrize("which", ["small", "binalpha"])
def test_k_means_reaches_the_best_that_is_known(request, which):
    reference = request.getfixturevalue(f"reference_{which}")
    arrays = reference if which == "small" else reference[0]
    ensemble = Ensemble.from_labels(arrays["labels"])
    labels = ptgp(ensemble, int(arrays["K"]), n_init=200, random_state=0).labels
    of_group = np.empty(len(arrays["micro_label_rows"]), int)
    of_group[arrays["micro_of_object"]] = labels
    reached = sum_of_squares(arrays["ptgp_embedding"], of_group)
    assert reached <= 1.005 * arrays["ptgp_embedding_km_best_inertia"]


def test_groups_apart_in_all_partitions_stay_apart():
    # The authors' program gives such groups no similarity to themselves: one cluster.
    truth = np.array([0, 0, 1, 1, 2, 2])
    ensemble = Ensemble.from_labels(np.stack([truth] * 3, axis=1))
    assert_array_equal(ptgp(ensemble, 3, random_state=0).labels, truth)


def test_shuffled_rows_give_the_same_answer_from_the_same_seed(reference_small):
    labels = reference_small["labels"]
    for seed in range(5):
        order = np.random.RandomState(seed).permutation(len(labels))
        given = ptgp(Ensemble.from_labels(labels), 6, n_init=1, random_state=seed).labels
        shuffled = ptgp(Ensemble.from_labels(labels[order]), 6, n_init=1, random_state=seed).labels
        assert adjusted_rand_index(given[order], shuffled) == 1


def test_memory_counts_the_weights_to_clusters_too(monkeypatch):
    # 16 microclusters take 12 KiB in six squares; 96 clusters make the weights 48 KiB.
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 20_000)
    labels = np.stack([np.arange(16)] * 6, axis=1)
    with pytest.raises(NotEnoughMemoryError, match="PTGP on the microclusters"):
        ptgp(Ensemble.from_labels(labels), 2)
