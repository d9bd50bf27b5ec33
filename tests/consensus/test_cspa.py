"""CSPA: METIS on the co-association graph."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, coassociation, cspa
from consensa.consensus import _cspa
from consensa.exceptions import NotEnoughMemoryError, UndecidedTieWarning
from consensa.metrics import adjusted_rand_index


def lost(ensemble, labels):
    shared = coassociation(ensemble)
    return shared[labels[:, None] != labels[None]].sum() / 2


def test_the_cut_of_six_samples_is_the_lightest_of_all_even_ones():
    rng = np.random.RandomState(3)
    ensemble = Ensemble.from_labels(rng.randint(3, size=(6, 6)))
    halves = [np.isin(np.arange(6), [0, i, j]) for i in range(1, 6) for j in range(i + 1, 6)]
    best = min(lost(ensemble, half) for half in halves)
    answer = cspa(ensemble, 2, random_state=0).labels
    assert_array_equal(np.bincount(answer), [3, 3])
    assert lost(ensemble, answer) == pytest.approx(best)


def test_weights_are_numbers_of_meeting_pairs(monkeypatch, reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    seen = {}

    def cut(graph, n_clusters, *, sizes, **options):
        seen.update(graph=graph, sizes=sizes)
        return np.arange(len(sizes)) % n_clusters

    monkeypatch.setattr(_cspa, "cut_by_metis", cut)
    cspa(ensemble, 4)
    assert seen["sizes"].sum() == 60
    assert seen["graph"].dtype.kind == "i"
    assert seen["graph"].sum() == round(5 * coassociation(ensemble).sum())


def test_clusters_are_balanced_as_far_as_identical_samples_allow():
    labels = np.repeat(np.arange(40), 5)[:, None]
    with pytest.warns(UndecidedTieWarning):  # which ten of forty clusters go together
        sizes = np.bincount(cspa(Ensemble.from_labels(labels), 4, random_state=0).labels)
    assert_array_equal(sizes, [50] * 4)
    with pytest.warns(UndecidedTieWarning):
        together = cspa(Ensemble.from_labels(labels), 3, random_state=0).labels
    assert (together.reshape(40, 5) == together[::5, None]).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_shuffled_rows_and_renamed_clusters_change_nothing(seed):
    # Nearly nothing but noise: ties everywhere, for the partitioner to break.
    rng = np.random.RandomState(seed)
    labels = rng.randint(4, size=(50, 5))
    order = rng.permutation(50)
    renamed = np.stack([rng.permutation(4)[column] for column in labels.T], axis=1)
    answer = cspa(Ensemble.from_labels(labels), 4, random_state=seed).labels
    again = cspa(Ensemble.from_labels(renamed[order]), 4, random_state=seed).labels
    assert adjusted_rand_index(answer[order], again) == 1.0


def test_memory_for_the_graph_is_asked_for_first(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 8 * 8 * 60**2)
    ensemble = Ensemble.from_labels(np.stack([np.arange(60), np.arange(60) // 2], axis=1))
    with pytest.raises(NotEnoughMemoryError, match="CSPA's graph"):
        cspa(ensemble, 2)
