"""GTLEC: what is particular to it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import GTLEC, Ensemble, coassociation, gtlec
from consensa.exceptions import (
    InvalidInputError,
    NotEnoughMemoryError,
    OrderSensitivityWarning,
)
from consensa.metrics import normalized_mutual_information, order_information
from consensa.partition import cut_by_spectrum
from consensa.tensor import refine_members

quietly = pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")


@quietly
def test_labels_are_the_spectral_cut_of_the_refined_matrix(planted):
    labels, truth = planted
    model = GTLEC(3, generator="precomputed", random_state=0).fit(labels)
    refined = refine_members(labels, 3)
    assert_array_equal(model.affinity_matrix_, refined.affinity)
    assert_array_equal(model.labels_, cut_by_spectrum(refined.affinity, 3, random_state=0))
    assert_array_equal(model.partition_weights_, refined.weights)
    assert model.n_iter_ == refined.trace.n_iter
    assert normalized_mutual_information(truth, model.labels_) > 0.9


def test_the_order_is_measured_and_told(planted):
    labels, _ = planted
    ensemble = Ensemble.from_labels(labels)
    with pytest.warns(OrderSensitivityWarning, match=r"and GTLEC uses it: the clusters may come"):
        sorted_rows = gtlec(ensemble, 3, random_state=0)
    expected = order_information(coassociation(ensemble))
    assert sorted_rows.details["order_information"] == expected > 0.2
    shuffled = labels[np.random.RandomState(0).permutation(60)]
    with pytest.warns(OrderSensitivityWarning, match="GTLEC uses the order .* although no"):
        gtlec(Ensemble.from_labels(shuffled), 3, random_state=0)


@quietly
def test_a_sorted_file_scores_higher_than_the_same_samples_shuffled():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 30)
    labels = np.stack([5 * truth + rng.randint(5, size=90) for _ in range(6)], axis=1)
    wrong = rng.uniform(size=labels.shape) < 0.5
    labels[wrong] = rng.randint(15, size=wrong.sum())
    order = rng.permutation(90)
    model = GTLEC(3, generator="precomputed", random_state=0)
    as_stored = normalized_mutual_information(truth, model.fit_predict(labels))
    shuffled = normalized_mutual_information(truth[order], model.fit_predict(labels[order]))
    assert as_stored > shuffled + 0.5


def test_missing_labels_are_refused():
    with pytest.raises(InvalidInputError, match="GTLEC does not accept missing labels"):
        gtlec(Ensemble.from_labels([[0, -1], [0, 0], [1, 1]]), 2)


def test_the_arrays_of_every_partition_are_counted_before_they_are_made(monkeypatch, planted):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 30 * 60**2 * 8 - 1)
    with pytest.raises(NotEnoughMemoryError, match="30 of n × n"):  # 6 and 3 for each of 8
        gtlec(Ensemble.from_labels(planted[0]), 3)


@quietly
def test_float32_and_one_partition_and_a_cluster_for_each_sample(planted):
    ensemble = Ensemble.from_labels(planted[0])
    single = gtlec(ensemble, 3, dtype="float32", random_state=0)
    double = gtlec(ensemble, 3, random_state=0)
    assert single.affinity.dtype == np.float32
    assert_allclose(single.affinity, double.affinity, atol=1e-4)
    alone = gtlec(Ensemble.from_labels([[0], [0], [1], [1]]), 2, random_state=0)
    assert_array_equal(alone.labels, [0, 0, 1, 1])
    apart = gtlec(Ensemble.from_labels([[0], [1], [2]]), 3, random_state=0)
    assert_array_equal(apart.labels, [0, 1, 2])


def has_cuda():
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


@quietly
@pytest.mark.skipif(not has_cuda(), reason="needs torch and a CUDA device")
@pytest.mark.parametrize("n_copies", [1, 8])
def test_the_device_gives_what_the_processor_gives(planted, n_copies):
    labels = np.repeat(planted[0], n_copies, axis=0)
    here = GTLEC(3, generator="precomputed", random_state=0).fit(labels)
    there = GTLEC(3, device="cuda", generator="precomputed", random_state=0).fit(labels)
    assert isinstance(there.affinity_matrix_, np.ndarray)
    assert_allclose(there.affinity_matrix_, here.affinity_matrix_, rtol=0, atol=1e-10)
    assert_array_equal(there.labels_, here.labels_)
    assert there.n_iter_ == here.n_iter_
