"""Block Lanczos finds the eigenvectors that a dense decomposition finds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh

from consensa._array import to_numpy
from consensa.partition import cut_by_spectrum, spectral_embedding
from consensa.partition._krylov import leading_normalized_eigenvectors
from consensa.partition._spectral import _normalized


def blocks(n, k, noise, seed=0):
    """Affinity of k blocks of rows, with noise."""
    rng = np.random.RandomState(seed)
    truth = np.sort(rng.randint(k, size=n))
    spread = noise * rng.uniform(size=(n, n))
    return (truth[:, None] == truth) * 1.0 + (spread + spread.T) / 2, truth


def on_cuda():
    torch = pytest.importorskip("torch", reason="needs torch, the extra 'gpu'")
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    return torch


@pytest.mark.parametrize(
    ("n", "k", "noise"), [(200, 5, 0.3), (301, 20, 0.1), (150, 3, 0.0), (100, 40, 0.2)]
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_space_is_that_of_the_dense_decomposition(n, k, noise, dtype):
    affinity = blocks(n, k, noise)[0].astype(dtype)
    vectors, connected = leading_normalized_eigenvectors(affinity, k, np.random.RandomState(0))
    normalized, _ = _normalized(affinity.astype(np.float64), None)
    exact = eigh(normalized)[1][:, -k:]
    assert connected.all()
    assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-12)
    assert_allclose(exact @ (exact.T @ vectors), vectors, atol=1e-6)


def test_samples_without_affinity_are_told():
    affinity = blocks(120, 3, 0.2)[0]
    affinity[7] = affinity[:, 7] = 0
    vectors, connected = leading_normalized_eigenvectors(affinity, 3, np.random.RandomState(0))
    assert_array_equal(np.flatnonzero(~connected), [7])
    assert_allclose(vectors[7], 0, atol=1e-12)
    assert np.isfinite(vectors).all()


def test_an_affinity_that_is_not_symmetric_is_symmetrized():
    affinity = blocks(120, 3, 0.2)[0]
    lopsided = affinity + np.triu(affinity) - np.tril(affinity)
    here, _ = leading_normalized_eigenvectors(affinity, 3, np.random.RandomState(0))
    there, _ = leading_normalized_eigenvectors(lopsided, 3, np.random.RandomState(0))
    assert_allclose(here @ here.T, there @ there.T, atol=1e-8)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_on_a_device_the_embedding_and_the_labels_are_those_of_the_host(dtype):
    torch = on_cuda()
    affinity, truth = blocks(1000, 12, 0.3)
    affinity = affinity.astype(dtype)
    there = torch.tensor(affinity, device="cuda")
    host = spectral_embedding(affinity.astype(np.float64), 12, random_state=0)
    device = spectral_embedding(there, 12, random_state=0)
    assert_allclose(device @ device.T, host @ host.T, atol=1e-6)
    assert_array_equal(to_numpy(there), affinity)
    assert_array_equal(cut_by_spectrum(there, 12, random_state=0), truth)
