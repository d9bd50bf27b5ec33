"""LTA on a device gives what it gives on the processor."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import LTA, Ensemble, lta
from consensa.exceptions import InvalidParameterError, MissingExtraError, NotEnoughMemoryError

pytestmark = pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")


def has_cuda():
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


on_cuda = pytest.mark.skipif(not has_cuda(), reason="needs torch and a CUDA device")


def test_the_processor_is_where_numpy_is(planted):
    ensemble = Ensemble.from_labels(planted[0])
    given = lta(ensemble, 3, random_state=0)
    asked = lta(ensemble, 3, device="cpu", random_state=0)
    assert_array_equal(asked.affinity, given.affinity)
    assert_array_equal(asked.labels, given.labels)


@pytest.mark.skipif(has_cuda(), reason="there is a CUDA device")
def test_without_a_cuda_device_the_message_says_what_is_needed(planted):
    with pytest.raises((MissingExtraError, InvalidParameterError), match=r"device='cuda' needs"):
        lta(Ensemble.from_labels(planted[0]), 3, device="cuda")


def test_another_device_is_refused(planted):
    with pytest.raises(InvalidParameterError, match="'device' parameter of lta"):
        lta(Ensemble.from_labels(planted[0]), 3, device="tpu")


@on_cuda
@pytest.mark.parametrize("n_copies", [1, 15])
@pytest.mark.parametrize("partition", ["spectral", "average"])
def test_numpy_labels_give_the_same_answer_on_the_device_as_numpy(planted, partition, n_copies):
    labels = np.repeat(planted[0], n_copies, axis=0)
    model = LTA(3, partition=partition, generator="precomputed", random_state=0).fit(labels)
    there = LTA(3, partition=partition, device="cuda", generator="precomputed", random_state=0)
    there.fit(labels)
    assert isinstance(there.affinity_matrix_, np.ndarray)
    assert_allclose(there.affinity_matrix_, model.affinity_matrix_, rtol=0, atol=1e-8)
    assert_array_equal(there.labels_, model.labels_)
    assert there.order_information_ == pytest.approx(model.order_information_)


@on_cuda
def test_labels_on_the_device_keep_everything_there(planted):
    import torch

    ensemble = Ensemble.from_labels(torch.tensor(planted[0], device="cuda"))
    result = lta(ensemble, 3, random_state=0)
    assert result.affinity.is_cuda
    host = lta(ensemble, 3, device="cpu", random_state=0)
    assert host.affinity.is_cuda
    assert_allclose(result.affinity.cpu(), host.affinity.cpu(), rtol=0, atol=1e-8)
    assert_array_equal(result.labels, host.labels)


@on_cuda
def test_what_does_not_fit_on_the_device_is_refused_first(planted, monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.free_device_bytes", lambda array: 1024)
    monkeypatch.setattr("consensa.consensus._lta.coassociation", None)
    with pytest.raises(NotEnoughMemoryError, match=r"LTA .* 1 KiB are available on the device"):
        lta(Ensemble.from_labels(planted[0]), 3, device="cuda")
