"""ECPCS-MC: groups of clusters that vote."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from reference_order import our_clusters

from consensa import Ensemble, ecpcsmc
from consensa.exceptions import EmptyClustersWarning
from consensa.metrics import adjusted_rand_index
from consensa.partition import normalized_cut_vectors, round_by_rotation, vote_by_metaclusters


@pytest.mark.parametrize("which", ["small", "binalpha"])
def test_agrees_with_the_authors_program_from_its_start(request, which):
    reference = request.getfixturevalue(f"reference_{which}")
    arrays = reference if which == "small" else reference[0]
    n_clusters = int(arrays["K"])
    ensemble = Ensemble.from_labels(arrays["labels"])
    similarity = ecpcsmc(ensemble, n_clusters, random_state=0).details["cluster_similarity"]
    ours = our_clusters(ensemble, arrays["labels"])
    vectors = normalized_cut_vectors(similarity[np.ix_(ours, ours)], n_clusters)
    rounding = round_by_rotation(vectors, int(arrays["ecpcs_mc_start_row"]))
    assert adjusted_rand_index(rounding.labels, arrays["ecpcs_mc_metacluster"]) == 1
    metacluster = np.empty(len(ours), int)
    metacluster[ours] = rounding.labels
    labels = vote_by_metaclusters(ensemble, metacluster, n_clusters)
    assert adjusted_rand_index(labels, arrays["ECPCS_MC"]) == 1


def test_every_seed_gives_an_answer_of_the_authors_program(reference_small):
    theirs = reference_small["ecpcs_mc_all_starts"].T
    ensemble = Ensemble.from_labels(reference_small["labels"])
    ours = our_clusters(ensemble, reference_small["labels"])
    for seed in range(10):
        result = ecpcsmc(ensemble, int(reference_small["K"]), random_state=seed)
        metacluster = result.details["metacluster_of_cluster"][ours]
        assert max(adjusted_rand_index(metacluster, labels) for labels in theirs) == 1
        assert result.details["converged"]


def test_the_start_depends_on_the_seed_and_not_on_names_or_the_order_of_rows(reference_binalpha):
    labels = reference_binalpha[0]["labels"]
    answers = []
    for seed in range(3):
        rng = np.random.RandomState(seed)
        order = rng.permutation(len(labels))
        renamed = np.stack([rng.permutation(200)[column] for column in labels[order].T], axis=1)
        given = ecpcsmc(Ensemble.from_labels(labels), 36, random_state=seed).labels
        shuffled = ecpcsmc(Ensemble.from_labels(renamed), 36, random_state=seed).labels
        assert adjusted_rand_index(given[order], shuffled) == 1
        answers.append(given)
    assert adjusted_rand_index(answers[0], answers[1]) < 1


def test_never_more_metaclusters_than_clusters():
    # Nine groups, but six clusters.
    labels = np.stack([np.arange(9) // 3, np.arange(9) % 3], axis=1)
    result = ecpcsmc(Ensemble.from_labels(labels), 9, random_state=0)
    assert len(np.unique(result.details["metacluster_of_cluster"])) <= 6
    assert_array_equal(result.labels, np.arange(9))
    labels = np.repeat(labels, np.arange(1, 10), axis=0)  # no two rows can be exchanged
    with pytest.warns(EmptyClustersWarning, match="instead of 8"):
        result = ecpcsmc(Ensemble.from_labels(labels), 8, random_state=0)
    assert_array_equal(np.unique(result.labels), np.arange(8))


def test_one_partition_comes_back_as_it_is():
    partition = np.array([0, 1, 1, 2, 0])
    result = ecpcsmc(Ensemble.from_labels(partition[:, None]), 3, random_state=0)
    assert_array_equal(result.labels, partition)


def test_no_memory_is_asked_for_the_square_of_the_samples(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 2**22)
    truth = np.arange(20_000) % 4
    wrong = np.where(np.arange(20_000) % 10 == 0, 3, truth)
    labels = np.stack([truth, truth, wrong], axis=1)
    assert_array_equal(ecpcsmc(Ensemble.from_labels(labels), 4, random_state=0).labels, truth)
