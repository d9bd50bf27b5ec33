"""Agreement counted in the library of the labels is the same, to the last bit."""

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, coassociation, coherent_links
from consensa._array import to_numpy
from consensa.similarity import _device
from consensa.similarity._device import links_on_device, share_on_device


def on_cuda(codes):
    torch = pytest.importorskip("torch", reason="needs torch, the extra 'gpu'")
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    return torch.tensor(codes, device="cuda")


every_library = pytest.mark.parametrize(
    "library", [lambda codes: array_api_strict.asarray(codes), on_cuda], ids=["strict", "cuda"]
)


def ensembles(n_partitions, missing, library, n=40):
    rng = np.random.RandomState(n_partitions)
    labels = rng.randint(3, size=(n, n_partitions))
    labels[rng.uniform(size=labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    labels[0, (labels < 0).all(axis=0)] = 0
    host = Ensemble.from_labels(labels)
    return host, Ensemble(library(host.codes.copy()))


@every_library
@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("n_partitions", [1, 7, 10, 300])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_shares_are_those_counted_on_the_host(library, missing, n_partitions, dtype):
    host, there = ensembles(n_partitions, missing, library)
    share = to_numpy(share_on_device(there, dtype))
    assert share.dtype == dtype
    assert_array_equal(share, coassociation(host, dtype=dtype))
    weights = np.random.RandomState(0).uniform(size=n_partitions)
    weighted = to_numpy(share_on_device(there, dtype, weights / weights.max()))
    assert_array_equal(weighted, coassociation(host, dtype=dtype, partition_weights=weights))


@every_library
@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("min_shared", [1, 4])
def test_links_are_those_found_on_the_host(library, missing, min_shared):
    host, there = ensembles(7, missing, library)
    links = to_numpy(links_on_device(there, min_shared))
    assert_array_equal(links, coherent_links(host, min_shared=min_shared))


@every_library
def test_blocks_of_rows_change_nothing(library, monkeypatch):
    host, there = ensembles(5, 0.2, library)
    monkeypatch.setattr(_device, "_BLOCK_BYTES", 130)  # three rows and a bit
    assert_array_equal(to_numpy(share_on_device(there, "float64")), coassociation(host))


def test_labels_on_a_device_give_matrices_on_it():
    host, there = ensembles(5, 0.2, on_cuda)
    assert coassociation(there).is_cuda
    assert_array_equal(to_numpy(coassociation(there)), coassociation(host))
    assert coherent_links(there).is_cuda
    assert_array_equal(to_numpy(coherent_links(there)), coherent_links(host))
