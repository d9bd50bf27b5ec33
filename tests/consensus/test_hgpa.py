"""HGPA: KaHyPar on the hypergraph of the clusters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, hgpa
from consensa.exceptions import UndecidedTieWarning
from consensa.metrics import adjusted_rand_index


def clusters_cut(ensemble, labels):
    return sum(len(np.unique(labels[members])) > 1 for members in ensemble.clusters())


def test_the_cut_of_eight_samples_is_the_least_of_all_even_ones():
    rng = np.random.RandomState(1)
    ensemble = Ensemble.from_labels(rng.randint(4, size=(8, 5)))
    halves = [
        np.isin(np.arange(8), [0, i, j, k])
        for i in range(1, 8)
        for j in range(i + 1, 8)
        for k in range(j + 1, 8)
    ]
    best = min(clusters_cut(ensemble, half) for half in halves)
    answer = hgpa(ensemble, 2, random_state=0).labels
    assert_array_equal(np.bincount(answer), [4, 4])
    assert clusters_cut(ensemble, answer) == best


@pytest.mark.parametrize("objective", ["cut", "connectivity"])
def test_both_objectives_find_planted_clusters(planted, objective):
    labels, truth = planted
    result = hgpa(Ensemble.from_labels(labels), 3, objective=objective, random_state=0)
    assert adjusted_rand_index(truth, result.labels) > 0.85


def test_identical_samples_stay_together():
    labels = np.repeat(np.arange(40), 5)[:, None]
    with pytest.warns(UndecidedTieWarning):
        answer = hgpa(Ensemble.from_labels(labels), 3, random_state=0).labels
    assert (answer.reshape(40, 5) == answer[::5, None]).all()


@pytest.mark.parametrize("seed", [0, 1, 33])  # at 33 the order of the hyperedges would matter
def test_shuffled_rows_and_renamed_clusters_change_nothing(seed):
    # Nearly nothing but noise: ties everywhere, for the partitioner to break.
    rng = np.random.RandomState(seed)
    labels = rng.randint(5, size=(80, 6))
    order = rng.permutation(80)
    renamed = np.stack([rng.permutation(5)[column] for column in labels.T], axis=1)
    answer = hgpa(Ensemble.from_labels(labels), 4, random_state=seed).labels
    again = hgpa(Ensemble.from_labels(renamed[order]), 4, random_state=seed).labels
    assert adjusted_rand_index(answer[order], again) == 1.0
