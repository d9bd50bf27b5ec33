"""The inverse on a device gives the eigenvectors of the sparse factorization."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from consensa.partition import _device_solver
from consensa.partition.graph_spectrum import graph_spectrum

torch = pytest.importorskip("torch", reason="needs torch, the extra 'gpu'")
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
every_device = pytest.mark.parametrize("name", ["cpu", pytest.param("cuda", marks=on_cuda)])


def ring(n=600):
    """A ring with edges of several weights."""
    here = np.arange(n)
    there = (here + 1) % n
    weights = np.random.default_rng(0).uniform(0.5, 1, n)
    edges = sparse.csr_array((weights, (here, there)), shape=(n, n))
    return edges + edges.T


@every_device
def test_the_spectrum_is_that_of_the_processor(name):
    wanted = graph_spectrum(ring(), 6, np.random.RandomState(0))
    found = graph_spectrum(ring(), 6, np.random.RandomState(0), torch.device(name))
    assert_allclose(found, wanted, rtol=0, atol=1e-9)


@every_device
def test_the_solver_solves(name):
    matrix = sparse.csc_array(2.5 * sparse.eye_array(600) - ring())
    right = np.random.default_rng(1).normal(size=600)
    solve = _device_solver.solver_on_device(matrix, torch.device(name))
    assert_allclose(matrix @ solve(right), right, rtol=0, atol=1e-12)


def test_what_does_not_fit_on_the_device_is_factorized_on_the_processor(monkeypatch):
    monkeypatch.setattr(_device_solver, "is_on_gpu", lambda array: True)
    monkeypatch.setattr(_device_solver, "free_device_bytes", lambda array: 8 * 600 * 600)
    matrix = sparse.csc_array(2.5 * sparse.eye_array(600) - ring())
    assert _device_solver.solver_on_device(matrix, torch.device("cpu")) is None
    wanted = graph_spectrum(ring(), 6, np.random.RandomState(0))
    found = graph_spectrum(ring(), 6, np.random.RandomState(0), torch.device("cpu"))
    assert (found == wanted).all()
