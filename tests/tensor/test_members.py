"""GTLEC's solver: against its authors' program, and its parts against slow definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa.exceptions import ConvergenceWarning, InvalidInputError, InvalidParameterError
from consensa.tensor import _member_spectra, prox_tensor_nuclear_norm, refine_members
from consensa.tensor._columns import column_shrinkage
from consensa.tensor._member_spectra import LaneSpectra, PlainSpectra
from consensa.tensor._members import _Solver


@pytest.mark.parametrize("lanes_from", [2, 10**9])
@pytest.mark.parametrize("case", ["case1", "case2"])
def test_matrices_and_gaps_are_those_of_the_authors_program(
    reference_gtlec, monkeypatch, case, lanes_from
):
    monkeypatch.setattr(_member_spectra, "_LANES_FROM", lanes_from)
    of = {key: reference_gtlec[f"{case}_{key}"] for key in
          ("labels", "n_clusters", "alpha", "beta", "affinity", "gaps")}  # fmt: skip
    found = refine_members(
        of["labels"], int(of["n_clusters"]), alpha=float(of["alpha"]), beta=float(of["beta"])
    )
    n_partitions = of["labels"].shape[1]
    assert_allclose(found.affinity * 2 * n_partitions, of["affinity"], rtol=0, atol=1e-12)
    assert found.trace.n_iter == len(of["gaps"])
    # The program reports gaps above its tolerance only: the last is 0.
    assert_allclose(found.trace.residual[:-1], of["gaps"][:-1], rtol=0, atol=1e-12)
    assert found.trace.converged


@pytest.mark.parametrize(("n_samples", "alpha"), [(39, 0.05), (40, 1e-4)])
def test_the_trace_is_that_of_the_definition(reference_gtlec, n_samples, alpha):
    labels = reference_gtlec["case1_labels"][:n_samples]
    evidence = np.stack([column[:, None] == column for column in labels.T])
    solver = _Solver(labels, 3, alpha, 7.0, "float64")
    kept = set()
    for _ in range(12):
        rests, limit = solver.tensor_ratio * solver.rests, alpha / solver.sparse_step
        found = solver.iterate()
        low_rank = solver.copies
        refined = low_rank + solver.rests - rests  # S = T − Y2/ρ
        sparse = np.sign(solver.points) * np.maximum(np.abs(solver.points) - limit, 0)
        fits = np.linalg.norm(evidence - refined, axis=(1, 2))
        spectrum = np.fft.fft(low_rank, axis=1).transpose(1, 0, 2)
        values = np.linalg.svd(spectrum, compute_uv=False)
        objective = fits.sum() + alpha * np.abs(sparse).sum() + 7 * values.sum() / n_samples
        assert found.objective == pytest.approx(objective)
        gaps = [np.abs(refined - copy).sum(axis=2).max() for copy in (sparse, low_rank)]
        assert_allclose(found.gaps, gaps, atol=1e-9)
        assert found.n_survivors == np.count_nonzero(values > 1e-9)
        kept.add(found.n_survivors)
        assert_allclose(solver.weights, 0.5 / fits)
    assert len(kept) > 2


def test_the_affinity_is_the_mean_of_the_absolute_values_of_the_sparse_copies():
    solver = _Solver(np.zeros((9, 4), int), 2, 0.05, 7.0, "float64")
    points = np.random.RandomState(0).standard_normal((4, 9, 9))
    solver.points, solver.limit = points, 0.3
    mean = np.maximum(np.abs(points) - 0.3, 0).mean(axis=0) * (1 - np.eye(9))
    assert_allclose(solver.affinity(), (mean + mean.T) / 2)


@pytest.mark.parametrize(("dtype", "tol"), [("float64", 1e-8), ("float32", 1e-3)])
def test_the_tolerance_is_the_authors_unless_it_is_given(reference_gtlec, dtype, tol):
    labels = reference_gtlec["case1_labels"]
    whole = refine_members(labels, 3, dtype=dtype).trace
    assert whole.tol == tol
    assert (whole.residual[:-1] > tol).all()
    assert whole.residual[-1] <= tol
    rough = refine_members(labels, 3, dtype=dtype, tol=0.5).trace
    assert_array_equal(rough.residual, whole.residual[: rough.n_iter])
    assert rough.residual[-1] <= 0.5 < rough.residual[-2]


def test_blocks_of_columns_change_nothing(reference_gtlec, monkeypatch):
    labels = reference_gtlec["case1_labels"]
    whole = refine_members(labels, 3)
    monkeypatch.setattr(_member_spectra, "_BLOCK_BYTES", 16 * len(labels) * labels.shape[1] * 7)
    blocks = refine_members(labels, 3)
    assert_allclose(blocks.affinity, whole.affinity, rtol=0, atol=1e-13)
    assert_allclose(blocks.trace.gaps, whole.trace.gaps, rtol=0, atol=1e-12)


def test_few_eigenpairs_change_nothing(monkeypatch):
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(3), 40)
    labels = np.stack([np.where(rng.random_sample(120) < 0.3, rng.randint(3, size=120), truth)
                       for _ in range(3)], axis=1)  # fmt: skip
    whole = refine_members(labels, 3)
    monkeypatch.setattr("consensa.tensor._fantope._FEW_FROM", 2)
    few = refine_members(labels, 3)
    assert_allclose(few.affinity, whole.affinity, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_samples", [6, 7])
def test_thresholds_by_gram_matrices_are_those_of_singular_values(n_samples):
    # Along the samples: the tubes of the toolbox are the last axis.
    tensor = np.random.RandomState(n_samples).standard_normal((3, n_samples, n_samples))
    expected = prox_tensor_nuclear_norm(tensor.transpose(2, 0, 1), 2.0).transpose(1, 2, 0)
    spectrum = np.fft.rfft(tensor, axis=1).transpose(1, 0, 2)
    by = column_shrinkage(spectrum.conj() @ spectrum.transpose(0, 2, 1), 2.0)
    shrunk = by.multipliers.transpose(0, 2, 1) @ spectrum
    found = np.fft.irfft(shrunk.transpose(1, 0, 2), n=n_samples, axis=1)
    assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("n_partitions", "n_samples", "dtype", "atol"),
    [(4, 60, "float64", 1e-12), (3, 77, "float64", 1e-12), (1, 34, "float64", 1e-12),
     (5, 46, "float32", 1e-5)],
)  # fmt: skip
def test_lanes_give_what_array_functions_give(n_partitions, n_samples, dtype, atol):
    rng = np.random.RandomState(n_samples)
    copies, rests = rng.standard_normal((2, n_partitions, n_samples, n_samples)).astype(dtype)
    found = []
    for kind in (PlainSpectra, LaneSpectra):
        tensors = copies.copy(), rests.copy()
        spectra = kind(*tensors)
        by = column_shrinkage(spectra.gram(0.3), 1.04 * n_samples)
        sums = spectra.replace(by.multipliers, 0.3)
        found.append([by.singular_values, sums, *tensors])
    assert 0 < (found[0][0] > 0).mean() < 1  # some singular values are kept, some are not
    for plain, lanes in zip(*found, strict=True):
        assert_allclose(lanes, plain, rtol=atol, atol=10 * atol)


def test_lanes_give_the_same_numbers_with_any_number_of_threads(monkeypatch):
    copies, rests = np.random.RandomState(0).standard_normal((2, 3, 80, 80))
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        tensors = copies.copy(), rests.copy()
        spectra = LaneSpectra(*tensors)
        gram = spectra.gram(0.3)
        found.append([gram, spectra.replace(gram / 80**2, 0.3), *tensors])
    for one, two in zip(*found, strict=True):
        assert_array_equal(one, two)


def test_a_shift_of_the_rows_shifts_the_answer_and_another_order_changes_it(reference_gtlec):
    labels = reference_gtlec["case1_labels"]
    given = refine_members(labels, 3).affinity
    moved = np.roll(np.arange(len(labels)), 11)
    shifted = refine_members(labels[moved], 3).affinity
    assert_allclose(shifted, given[np.ix_(moved, moved)], atol=1e-10)
    shuffled = np.random.RandomState(0).permutation(len(labels))
    other = refine_members(labels[shuffled], 3).affinity
    assert np.abs(other - given[np.ix_(shuffled, shuffled)]).max() > 1e-3


def test_single_precision_is_close(reference_gtlec):
    labels = reference_gtlec["case1_labels"]
    double = refine_members(labels, 3)
    single = refine_members(labels, 3, dtype="float32")
    assert single.affinity.dtype == np.float32
    assert single.trace.converged
    assert_allclose(single.affinity, double.affinity, atol=1e-4)


def test_a_limit_that_is_reached_is_told(reference_gtlec):
    with pytest.warns(ConvergenceWarning, match="max_iter=2 iterations with a gap"):
        found = refine_members(reference_gtlec["case1_labels"], 3, max_iter=2)
    assert found.trace.n_iter == 2
    assert not found.trace.converged


@pytest.mark.parametrize(
    ("name", "value"), [("alpha", 0), ("dtype", "float16"), ("dtype", "int8")]
)
def test_bad_parameters_are_refused(reference_gtlec, name, value):
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of refine_members"):
        refine_members(reference_gtlec["case1_labels"], 3, **{name: value})


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ([0, 0, 1], r"a row for each of at least 2 samples .* Got shape \(3,\)"),
        ([[0, 1]], r"Got shape \(1, 2\)"),
        ([[], []], r"Got shape \(2, 0\)"),
        ([[0.0, 0.5], [1.0, 0.0]], "must be integers. Got dtype float64"),
        ([["a"], ["b"]], "must be integers. Got dtype <U1"),
        ([[0, 0], [1, -1], [1, 0]], "Row 1 of partition 1 has -1"),
        (np.ma.masked_array([[0, 0], [1, 1]], [[0, 0], [0, 1]]), "must not be masked"),
        ([np.ma.masked_array([0, 0], [0, 1]), [1, 1]], "must not be masked"),
        ([[0, 0], [1], [1, 0]], "labels must have rows of equal length"),
    ],
)
def test_labels_that_are_no_matrix_of_clusters_are_refused(labels, match):
    with pytest.raises(InvalidInputError, match=match):
        refine_members(labels, 2)


def test_lists_are_read_like_arrays():
    labels = [[0, 0], [0, 0], [1, 1], [1, 1]]
    expected = refine_members(np.array(labels), 2).affinity
    assert_array_equal(refine_members(labels, 2).affinity, expected)
    unhidden = np.ma.masked_array(labels, np.zeros((4, 2), bool))
    assert type(refine_members(unhidden, 2).affinity) is np.ndarray
    assert_array_equal(refine_members(unhidden, 2).affinity, expected)


def test_more_clusters_than_samples_are_refused():
    with pytest.raises(InvalidParameterError, match=r"number of samples, 3\. Got 4"):
        refine_members(np.array([[0], [0], [1]]), 4)
