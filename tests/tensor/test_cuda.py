"""The CUDA engine does what the readable one does; without a device, its plain torch path."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, coassociation, coherent_links
from consensa._array import to_numpy
from consensa.exceptions import NotEnoughMemoryError
from consensa.tensor import _cuda_calls, _refine, refine
from consensa.tensor._cuda import CudaEngine
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._plain import PlainEngine

torch = pytest.importorskip("torch", reason="needs torch, the extra 'gpu'")
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
# Device of the tensors, steps between the transforms; None is what the engine chooses.
every_path = pytest.mark.parametrize(
    ("device", "steps"),
    [
        pytest.param("cpu", _cuda_calls, id="calls-cpu"),
        pytest.param("cuda", _cuda_calls, id="calls-cuda", marks=on_cuda),
        pytest.param("cuda", None, id="kernels-cuda", marks=on_cuda),
    ],
)


def evidence(n, device="cpu", dtype="float64", seed=0):
    labels = np.random.RandomState(seed).randint(4, size=(n, 5))
    ensemble = Ensemble.from_labels(labels)
    target, linked = coassociation(ensemble, dtype=dtype), coherent_links(ensemble)
    return torch.tensor(target, device=device), torch.tensor(linked, device=device)


@every_path
@pytest.mark.parametrize("n", [2, 3, 4, 13, 16, 17, 32, 33, 64, 101, 130])
@pytest.mark.parametrize("penalty", [0.01, 1.0])
def test_fifty_iterations_are_those_of_the_readable_engine(n, penalty, device, steps):
    target, linked = evidence(n, device)
    engine = CudaEngine(target, linked, penalty, steps)
    plain = PlainEngine(to_numpy(target), to_numpy(linked), penalty, FourierDomain(np.eye(n)))
    step = 0.005
    for _ in range(50):
        mine, theirs = engine.iterate(step, 1.1 * step), plain.iterate(step, 1.1 * step)
        assert_allclose(mine.gaps, theirs.gaps, rtol=0, atol=1e-12)
        assert mine.norm == pytest.approx(theirs.norm, abs=1e-10)
        assert mine.error_energy == pytest.approx(theirs.error_energy, abs=1e-10)
        assert mine.n_survivors == theirs.n_survivors
        for a, b in zip(engine.iterate_arrays(), plain.iterate_arrays(), strict=True):
            assert_allclose(to_numpy(a), b, rtol=0, atol=1e-12)
        step *= 1.1
    for a, b in zip(engine.result_arrays(), plain.result_arrays(), strict=True):
        assert_allclose(to_numpy(a), b, rtol=0, atol=1e-12)
        assert bool((a == a.T).all())


@every_path
def test_the_authors_iterates_on_real_labels(reference_small, device, steps):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    target = torch.tensor(coassociation(ensemble), device=device)
    linked = torch.tensor(coherent_links(ensemble), device=device)
    engine = CudaEngine(target, linked, 0.05, steps)
    step = 1e-4
    for k in range(1, 51):
        engine.iterate(step, 1.1 * step)
        step *= 1.1
        if k in (1, 2, 3, 10, 50):
            links, affinity, _ = (to_numpy(array) for array in engine.iterate_arrays())
            assert_allclose(links, reference_small[f"lta_lam0.05_A1_after_{k}"], atol=1e-12)
            assert_allclose(affinity, reference_small[f"lta_lam0.05_A2_after_{k}"], atol=1e-12)


@every_path
@pytest.mark.parametrize("n", [100, 101])
def test_single_precision_goes_the_same_way(n, device, steps):
    target, linked = evidence(n, device, "float32")
    engine = CudaEngine(target, linked, 0.3, steps)
    plain = PlainEngine(target.double(), linked, 0.3, FourierDomain(target))
    step = 0.005
    for _ in range(50):
        mine, theirs = engine.iterate(step, 1.1 * step), plain.iterate(step, 1.1 * step)
        assert_allclose(mine.gaps, theirs.gaps, rtol=0, atol=1e-5)
        step *= 1.1
    for a, b in zip(engine.result_arrays(), plain.result_arrays(), strict=True):
        assert a.dtype == torch.float32
        assert_allclose(to_numpy(a), to_numpy(b), rtol=0, atol=1e-5)


@every_path
def test_asleep_it_answers_zero_like_the_readable_engine(device, steps):
    target, linked = evidence(20, device)
    engine = CudaEngine(target, linked, 1.0, steps)
    engine.iterate(1e-6, 1e-6)
    links, affinity, error = engine.iterate_arrays()
    assert not bool(links.any())
    assert not bool(affinity.any())
    assert_allclose(to_numpy(error), engine.asleep.e * to_numpy(target))
    affinity, links = engine.result_arrays()
    assert not bool(affinity.any())
    assert_array_equal(to_numpy(links), to_numpy(linked))


def test_torch_tensors_on_the_processor_take_the_readable_engine():
    target, linked = evidence(20)
    result = refine(target, linked, penalty=1.0)
    host = refine(to_numpy(target), to_numpy(linked), penalty=1.0)
    assert isinstance(result.affinity, torch.Tensor)
    assert_allclose(to_numpy(result.affinity), host.affinity, rtol=0, atol=1e-10)


@on_cuda
@pytest.mark.parametrize("n", [20, 301])
def test_cuda_tensors_are_solved_by_the_cuda_engine(n, monkeypatch):
    target, linked = evidence(n, "cuda")
    seen = []
    run = CudaEngine.iterate
    monkeypatch.setattr(
        CudaEngine, "iterate", lambda self, *steps: seen.append(1) or run(self, *steps)
    )
    result = refine(target, linked, penalty=0.3)
    assert len(seen) == result.trace.n_iter
    assert result.affinity.is_cuda
    host = refine(to_numpy(target), to_numpy(linked), penalty=0.3)
    assert host.trace.n_iter == result.trace.n_iter
    assert_allclose(to_numpy(result.affinity), host.affinity, rtol=0, atol=1e-10)
    assert_allclose(to_numpy(result.links), host.links, rtol=0, atol=1e-10)
    assert_allclose(result.trace.objective, host.trace.objective, rtol=1e-9)
    again = refine(target, linked, penalty=0.3)
    assert bool((again.affinity == result.affinity).all())
    assert_array_equal(again.trace.objective, result.trace.objective)


@on_cuda
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [2000, 2003])
def test_peak_memory_on_the_device_is_what_is_stated(n, dtype):
    target, linked = evidence(n, "cuda", dtype)
    refine(target, linked, penalty=1.0, max_iter=90, tol=1.0)  # compile and plan first
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    refine(target, linked, penalty=1.0, max_iter=90, tol=1.0)
    peak = torch.cuda.max_memory_allocated() - before
    assert peak / target.nbytes <= 1.02 * _refine._SQUARE_ARRAYS["cuda"]


@on_cuda
def test_a_solve_that_does_not_fit_on_the_device_is_refused_before_it_starts(monkeypatch):
    target, linked = evidence(100, "cuda")
    monkeypatch.setattr("consensa._machine.memory.free_device_bytes", lambda array: 1024)
    monkeypatch.setattr(CudaEngine, "__init__", lambda *args: pytest.fail("started"))
    with pytest.raises(NotEnoughMemoryError, match=r"703\.1 KiB.*1 KiB are available on the"):
        refine(target, linked)
