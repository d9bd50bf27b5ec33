"""The Fourier solver in blocks of columns: that of one machine."""

from __future__ import annotations

import dask
import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, coassociation, coherent_links
from consensa.distributed import refine
from consensa.distributed._refine import DaskEngine
from consensa.exceptions import ConvergenceWarning, InvalidInputError
from consensa.tensor import refine as refine_here


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(params=[40, 41])
def matrices(request):
    rng = np.random.default_rng(0)
    n = request.param
    fine = 2 * rng.integers(0, 3, (n, 1)) + rng.integers(0, 2, (n, 8))
    labels = np.where(rng.uniform(size=fine.shape) < 0.1, rng.integers(0, 6, fine.shape), fine)
    ensemble = Ensemble.from_labels(labels)
    return coassociation(ensemble), coherent_links(ensemble)


def columns(matrix, widths):
    rest = matrix.shape[1] - sum(widths)
    return da.from_array(matrix, chunks=((15, matrix.shape[0] - 15), (*widths, rest)))


@pytest.mark.parametrize("widths", [(), (1, 20), (7, 7, 7)])
@pytest.mark.parametrize("penalty", [0.5, 20.0])
def test_the_answer_is_that_of_one_machine(matrices, widths, penalty):
    A, links = matrices
    here = refine_here(A, links, penalty=penalty)
    there = refine(columns(A, widths), columns(links, widths), penalty=penalty)
    assert_allclose(there.affinity.compute(), here.affinity, atol=1e-9)
    assert_allclose(there.links.compute(), here.links, atol=1e-9)
    assert there.trace.n_iter == here.trace.n_iter
    assert_allclose(there.trace.objective, here.trace.objective, rtol=1e-9)
    assert_array_equal(there.trace.n_survivors, here.trace.n_survivors)
    assert there.trace.n_survivors.max() > 0  # it did wake up


def test_a_penalty_that_never_wakes_it_gives_zeros(matrices):
    A, links = matrices
    with pytest.warns(ConvergenceWarning):
        there = refine(columns(A, ()), columns(links, ()), max_iter=3)
    assert_array_equal(there.affinity.compute(), 0)
    assert_array_equal(there.links.compute(), links)


def test_single_precision_stays_single(matrices):
    A, links = matrices
    there = refine(columns(A.astype(np.float32), (9,)), columns(links, (9,)), penalty=20.0)
    assert there.affinity.dtype == np.float32
    assert there.affinity.compute().dtype == np.float32
    assert_allclose(
        there.affinity.compute(), refine_here(A, links, penalty=20.0).affinity, atol=1e-3
    )


def test_what_an_iteration_moves_is_as_stated(matrices):
    A, links = matrices
    n = len(A)
    target = columns(A, (10, 10)).rechunk({0: -1})
    engine = DaskEngine(target, columns(links, (10, 10)).rechunk(target.chunks), 20.0)
    widths = [10, 10, n - 20]
    assert engine.bytes_exchanged == 2 * 8 * (n * n - sum(w * w for w in widths))
    step = 1e-4
    while not engine.states:
        engine.iterate(step, step * 1.1)
        step *= 1.1
    before = len(engine.compute.log)
    engine.iterate(step, step * 1.1)
    (one,) = engine.compute.log[before:]  # one round of the cluster an iteration
    sums = 3 * 4 * (n // 2 + 1) * 8
    assert sums <= one.received <= sums + 3 * 1000


@pytest.mark.parametrize(
    ("A", "links", "message"),
    [
        (np.zeros((3, 4)), np.zeros((3, 4), bool), "square"),
        (np.zeros((3, 3)), np.zeros((2, 2), bool), "shape of coassociation"),
        (np.full((3, 3), 2.0), np.zeros((3, 3), bool), r"in \[0, 1\]"),
        (np.full((3, 3), np.nan), np.zeros((3, 3), bool), r"in \[0, 1\]"),
    ],
)
def test_what_is_not_a_pair_of_matrices_is_refused(A, links, message):
    with pytest.raises(InvalidInputError, match=message):
        refine(A, links)
