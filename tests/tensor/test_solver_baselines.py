"""What the solver is timed against does the same iterations."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa import Ensemble, coassociation, coherent_links
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._plain import PlainEngine

FILE = Path(__file__).parents[2] / "benchmarks/solver_baselines.py"


@pytest.fixture(scope="module")
def baselines():
    spec = importlib.util.spec_from_file_location("solver_baselines", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["Transcription", "Vectorised"])
@pytest.mark.parametrize("n", [30, 31])
def test_a_baseline_does_the_iterations_of_the_solver(baselines, name, n):
    labels = np.random.RandomState(0).randint(4, size=(n, 5))
    ensemble = Ensemble.from_labels(labels)
    target, linked = coassociation(ensemble), coherent_links(ensemble)
    plain = PlainEngine(target, linked, 0.1, FourierDomain(target))
    baseline = getattr(baselines, name)(target, linked, 0.1)
    step = 0.005
    for _ in range(80):
        mine, theirs = plain.iterate(step, 1.1 * step), baseline.iterate(step, 1.1 * step)
        assert_allclose(theirs.gaps, mine.gaps, rtol=0, atol=1e-10)
        for a, b in zip(baseline.iterate_arrays(), plain.iterate_arrays(), strict=True):
            assert_allclose(a, b, rtol=0, atol=1e-10)
        step *= 1.1
    for a, b in zip(baseline.result_arrays(), plain.result_arrays(), strict=True):
        assert_allclose(a, b, rtol=0, atol=1e-10)
