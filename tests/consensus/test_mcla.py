"""MCLA: METIS groups the clusters, the groups vote."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, mcla
from consensa.exceptions import EmptyClustersWarning
from consensa.metrics import adjusted_rand_index


def test_clusters_of_one_meaning_form_a_metacluster():
    truth = np.repeat([0, 1, 2], 10)
    labels = np.stack([truth, (truth + 1) % 3, truth, truth], axis=1)
    labels[[0, 10, 20], [0, 1, 2]] = labels[[10, 20, 0], [0, 1, 2]]
    ensemble = Ensemble.from_labels(labels)
    result = mcla(ensemble, 3, random_state=0)
    assert_array_equal(result.labels, truth)
    metaclusters = result.details["metaclusters"]
    ids = ensemble.cluster_ids[[5, 15, 25]]  # a sample of each cluster that nobody moved
    assert (metaclusters[ids] == metaclusters[ids][:, :1]).all()
    assert len(np.unique(metaclusters[ids])) == 3


def test_fewer_base_clusters_than_asked_for_leave_clusters_to_be_filled():
    # Three partitions in halves separate eight samples, with six clusters in all.
    labels = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
    answer = mcla(Ensemble.from_labels(labels), 8, random_state=0).labels
    assert_array_equal(answer, np.arange(8))
    labels = np.repeat(labels, np.arange(1, 9), axis=0)  # no two rows can be exchanged
    with pytest.warns(EmptyClustersWarning, match="instead of 7"):
        answer = mcla(Ensemble.from_labels(labels), 7, random_state=0).labels
    assert_array_equal(np.unique(answer), np.arange(7))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_shuffled_rows_and_renamed_clusters_change_nothing(seed):
    # Nearly nothing but noise: ties everywhere, for the partitioner to break.
    rng = np.random.RandomState(seed)
    labels = rng.randint(4, size=(50, 5))
    order = rng.permutation(50)
    renamed = np.stack([rng.permutation(4)[column] for column in labels.T], axis=1)
    answer = mcla(Ensemble.from_labels(labels), 4, random_state=seed).labels
    again = mcla(Ensemble.from_labels(renamed[order]), 4, random_state=seed).labels
    assert adjusted_rand_index(answer[order], again) == 1.0


def test_never_as_much_as_the_square_of_the_samples(monkeypatch):
    # More samples, or the steps of the tests before, would load the compiler, and count it.
    n = 16_000
    monkeypatch.setattr("consensa._machine.compile._steps", 0)
    rng = np.random.RandomState(0)
    truth = rng.randint(5, size=n)
    labels = np.where(rng.uniform(size=(6, n)) < 0.1, rng.randint(5, size=(6, n)), truth).T
    ensemble = Ensemble.from_labels(labels)
    tracemalloc.start()
    answer = mcla(ensemble, 5, random_state=0).labels
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1000 * n
    assert adjusted_rand_index(truth, answer) > 0.95
