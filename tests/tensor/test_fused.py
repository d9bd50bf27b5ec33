"""The compiled engine does what the readable one does."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, coassociation, coherent_links
from consensa.tensor import _refine, refine
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._fused import FusedEngine
from consensa.tensor._plain import PlainEngine


def evidence(n, seed=0, dtype="float64"):
    labels = np.random.RandomState(seed).randint(4, size=(n, 5))
    ensemble = Ensemble.from_labels(labels)
    return coassociation(ensemble, dtype=dtype), coherent_links(ensemble)


@pytest.mark.parametrize("n", [2, 3, 4, 13, 32, 33, 64, 65, 101, 130])
@pytest.mark.parametrize("penalty", [0.01, 1.0])
def test_fifty_iterations_are_those_of_the_readable_engine(n, penalty):
    target, linked = evidence(n)
    fused = FusedEngine(target, linked, penalty)
    plain = PlainEngine(target, linked, penalty, FourierDomain(target))
    step = 0.005
    for _ in range(50):
        mine, theirs = fused.iterate(step, 1.1 * step), plain.iterate(step, 1.1 * step)
        assert_allclose(mine.gaps, theirs.gaps, rtol=0, atol=1e-12)
        assert mine.norm == pytest.approx(theirs.norm, abs=1e-10)
        assert mine.error_energy == pytest.approx(theirs.error_energy, abs=1e-10)
        assert mine.n_survivors == theirs.n_survivors
        for a, b in zip(fused.iterate_arrays(), plain.iterate_arrays(), strict=True):
            assert_allclose(a, b, rtol=0, atol=1e-12)
        step *= 1.1
    for a, b in zip(fused.result_arrays(), plain.result_arrays(), strict=True):
        assert_allclose(a, b, rtol=0, atol=1e-12)
        assert_array_equal(a, a.T)


def test_real_labels_too(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    target, linked = coassociation(ensemble), coherent_links(ensemble)
    fused = FusedEngine(target, linked, 0.05)
    step = 1e-4
    for k in range(1, 51):
        fused.iterate(step, 1.1 * step)
        step *= 1.1
        if k in (1, 2, 3, 10, 50):
            links, affinity, _ = fused.iterate_arrays()
            assert_allclose(links, reference_small[f"lta_lam0.05_A1_after_{k}"], atol=1e-12)
            assert_allclose(affinity, reference_small[f"lta_lam0.05_A2_after_{k}"], atol=1e-12)


def test_asleep_it_answers_zero_like_the_readable_engine():
    target, linked = evidence(20)
    fused = FusedEngine(target, linked, 1.0)
    fused.iterate(1e-6, 1e-6)
    affinity, links = fused.result_arrays()
    assert_array_equal(affinity, 0)
    assert_array_equal(links, linked)


@pytest.mark.parametrize("n", [256, 301])
def test_large_numpy_problems_are_solved_by_the_compiled_engine(n, monkeypatch):
    target, linked = evidence(n)
    seen = []
    run = FusedEngine.iterate
    monkeypatch.setattr(
        FusedEngine, "iterate", lambda self, *steps: seen.append(1) or run(self, *steps)
    )
    fused = refine(target, linked, penalty=0.3)
    assert len(seen) == fused.trace.n_iter
    monkeypatch.setattr(_refine, "_FUSED_FROM", 10_000)
    plain = refine(target, linked, penalty=0.3)
    assert len(seen) == fused.trace.n_iter
    assert plain.trace.n_iter == fused.trace.n_iter
    assert_allclose(fused.affinity, plain.affinity, rtol=0, atol=1e-10)
    assert_allclose(fused.links, plain.links, rtol=0, atol=1e-10)
    assert_array_equal(fused.links[linked], 1)
    assert_allclose(fused.trace.objective, plain.trace.objective, rtol=1e-9)
    assert_array_equal(fused.trace.n_survivors, plain.trace.n_survivors)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_number_of_threads_changes_no_bit(dtype, monkeypatch):
    target, linked = evidence(300, dtype=dtype)
    answers = []
    for threads in ("1", "2", "5"):
        monkeypatch.setattr("consensa.tensor._fused.n_threads", lambda t=threads: int(t))
        answers.append(refine(target, linked, penalty=0.3))
    for other in answers[1:]:
        assert_array_equal(other.affinity, answers[0].affinity)
        assert_array_equal(other.trace.objective, answers[0].trace.objective)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_peak_memory_is_what_is_stated(dtype):
    n = 1000
    target, linked = evidence(n, dtype=dtype)
    options = {"penalty": 1.0, "max_iter": 90, "tol": 1.0}
    refine(target, linked, **options)  # compiles all loops: the last of them write the result
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    refine(target, linked, **options)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert 0.8 < peak / target.nbytes / _refine._SQUARE_ARRAYS["fused"] <= 1
