"""Vote of the base clusters for groups of clusters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import label_matrices

from consensa import Ensemble
from consensa.ensemble import rows as _rows
from consensa.partition import vote_by_metaclusters


def by_definition(ensemble, metacluster, n_clusters):
    """Shares as exact fractions, the first of the highest."""
    partition = np.repeat(np.arange(ensemble.n_partitions), ensemble.cluster_counts)
    members = [set(cluster.tolist()) for cluster in ensemble.clusters()]
    labels = []
    for i in range(ensemble.n_samples):
        best, winner = (0, 1), 0
        for q in range(n_clusters):
            asked = [
                c
                for c in range(ensemble.n_clusters)
                if metacluster[c] == q and ensemble.labeled[i, partition[c]]
            ]
            share = (sum(i in members[c] for c in asked), max(len(asked), 1))
            if share[0] * best[1] > best[0] * share[1]:
                best, winner = share, q
        labels.append(winner)
    return labels


@given(labels=label_matrices(), seed=st.integers(0, 99))
def test_agrees_with_the_definition(labels, seed):
    ensemble = Ensemble.from_labels(labels)
    metacluster = np.random.RandomState(seed).randint(4, size=ensemble.n_clusters)
    assert_array_equal(
        vote_by_metaclusters(ensemble, metacluster, 4), by_definition(ensemble, metacluster, 4)
    )


def test_five_samples_by_hand():
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]])
    ensemble = Ensemble.from_labels(labels)
    assert_array_equal(vote_by_metaclusters(ensemble, [0, 1, 0, 1, 0, 1], 2), [0, 0, 0, 1, 1])
    # Scored by share, not by votes: sample 2 has two votes of five against one of one.
    assert_array_equal(vote_by_metaclusters(ensemble, [0, 0, 0, 0, 0, 1], 2), [0, 0, 1, 1, 1])


def test_the_lowest_number_wins_a_tie_even_of_thirds():
    # Sample 0 is in one of three clusters of each meta-cluster but the first.
    labels = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]])
    metacluster = [1, 1, 1, 0, 2, 2, 2, 2, 2, 2, 1, 1, 1, 0, 0, 0]
    ensemble = Ensemble.from_labels(labels)
    assert vote_by_metaclusters(ensemble, metacluster, 3)[0] == 1


def test_partitions_that_leave_a_sample_out_do_not_count_against_their_metacluster():
    # Sample 3 has one label, in a meta-cluster of three clusters, two of which cannot hold it.
    labels = np.array([[0, 0, 0], [0, 0, 0], [1, 1, 1], [0, -1, -1]])
    ensemble = Ensemble.from_labels(labels)
    assert_array_equal(vote_by_metaclusters(ensemble, [0, 1, 0, 1, 0, 1], 2), [0, 0, 1, 0])
    both = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, -1, -1]])
    # One label each way: 1 of 1 clusters that could hold it, against 1 of 2.
    answer = vote_by_metaclusters(Ensemble.from_labels(both), [1, 0, 1, 0, 1, 1, 1, 1], 2)
    assert answer[2] == 0


def test_an_empty_metacluster_wins_nothing():
    ensemble = Ensemble.from_labels([[0, 0], [0, 0], [1, 1]])
    assert_array_equal(vote_by_metaclusters(ensemble, [1, 2, 1, 2], 4), [1, 1, 2])


def test_blocks_of_rows_do_not_show(planted, monkeypatch):
    rng = np.random.RandomState(0)
    labels, _ = planted
    labels[:, 1:][rng.uniform(size=(60, 7)) < 0.5] = -1
    ensemble = Ensemble.from_labels(labels)
    metacluster = rng.randint(3, size=ensemble.n_clusters)
    whole = vote_by_metaclusters(ensemble, metacluster, 3)
    monkeypatch.setattr(_rows, "_BLOCK", 7)
    assert_array_equal(vote_by_metaclusters(ensemble, metacluster, 3), whole)
