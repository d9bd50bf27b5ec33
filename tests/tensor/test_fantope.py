"""Projection of eigenvalues and of matrices."""

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from consensa.tensor import _fantope
from consensa.tensor._fantope import capped_simplex, project_fantope

numbers = st.floats(-3, 3, allow_subnormal=False)


@settings(deadline=None, max_examples=100)
@given(values=arrays(np.float64, st.integers(1, 12), elements=numbers), total=st.integers(1, 12))
def test_the_projection_of_a_vector_is_a_shift_clipped_to_the_sum(values, total):
    total = min(total, len(values))
    kept = capped_simplex(values, total)
    assert kept.sum() == pytest.approx(total, abs=1e-9)
    assert ((kept >= 0) & (kept <= 1)).all()
    # Entries inside have the same shift; those at 0 were lower, those at 1 higher.
    inside = (kept > 1e-9) & (kept < 1 - 1e-9)
    if inside.any():
        shift = (kept - values)[inside]
        assert_allclose(shift, shift[0], atol=1e-9)
        assert (values[kept <= 1e-9] + shift[0] <= 1e-8).all()
        assert (values[kept >= 1 - 1e-9] + shift[0] >= 1 - 1e-8).all()
    elif 0 < total < len(values):
        assert values[kept > 0.5].min() >= values[kept < 0.5].max() + 1 - 1e-8


def symmetric(values, seed=0):
    """A matrix with these eigenvalues."""
    vectors = np.linalg.qr(np.random.RandomState(seed).standard_normal((len(values),) * 2))[0]
    matrix = (vectors * values) @ vectors.T
    return (matrix + matrix.T) / 2


@pytest.mark.parametrize(
    ("low", "high", "few"),
    [([], [], True), ([], [1.4], True), ([-1, -0.8], [2, 3], True), ([-1] * 60, [2] * 30, False)],
    ids=["none", "one", "both ends", "many"],
)
def test_few_clipped_eigenvalues_give_what_the_whole_decomposition_gives(low, high, few):
    middle = np.linspace(0.02, 0.05, 150)
    matrix = symmetric(np.concatenate([low, middle, high]))
    trace = 3 + len(high)
    whole = project_fantope(matrix, trace)
    found = _fantope._project_by_few(matrix, trace)
    assert (found is not None) is few
    if few:
        assert_allclose(found, whole, rtol=0, atol=1e-12)
    values = np.linalg.eigvalsh(whole)
    assert values.min() > -1e-12
    assert values.max() < 1 + 1e-12
    assert values.sum() == pytest.approx(trace)


def test_an_eigenvalue_that_lanczos_does_not_see_is_not_missed(monkeypatch):
    # Its start is orthogonal to the eigenvector of the largest eigenvalue.
    start = np.random.RandomState(0).standard_normal(120)
    hidden = np.zeros(120)
    hidden[:2] = start[1], -start[0]
    hidden /= np.linalg.norm(hidden)
    matrix = 0.03 * np.eye(120) + 5 * np.outer(hidden, hidden)
    monkeypatch.setattr(_fantope, "_FEW_FROM", 2)
    values = np.linalg.eigvalsh(project_fantope(matrix, 3))
    assert values.max() < 1 + 1e-12
    assert values.sum() == pytest.approx(3)


@pytest.mark.parametrize("order", ["stored", "shuffled"])
@pytest.mark.parametrize(
    ("sizes", "trace"),
    [([30, 30, 30, 20, 20, 10], 3), ([50] * 3, 3), ([30] * 4, 12), ([12] * 15, 15)],
    ids=["few left", "as many as the trace", "fewer than the trace", "fifteen"],
)
def test_clusters_of_the_same_size_are_projected_without_the_whole_decomposition(
    monkeypatch, sizes, trace, order
):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    if order == "shuffled":
        np.random.RandomState(0).shuffle(labels)
    matrix = 0.9 * (labels[:, None] == labels) + 0.05 * np.eye(len(labels))
    whole = project_fantope(matrix, trace)
    monkeypatch.setattr(_fantope, "_MOST", 0)  # as if one vector did not suffice
    monkeypatch.setattr(_fantope, "_BLOCKS_FROM", 2)
    found = _fantope._project_by_few(matrix, trace)
    assert found is not None
    # The projection is unique, and so is that of equal eigenvalues: all get the same value.
    assert_allclose(found, whole, rtol=0, atol=1e-12)


def test_other_array_libraries_and_single_precision_give_the_same(monkeypatch):
    monkeypatch.setattr(_fantope, "_BLOCKS_FROM", 2)
    labels = np.repeat(np.arange(6), [30, 30, 30, 20, 20, 10])
    matrix = 0.9 * (labels[:, None] == labels) + 0.05 * np.eye(len(labels))
    whole = project_fantope(matrix, 3)
    strict = _fantope._project_by_few(array_api_strict.asarray(matrix), 3)
    assert_allclose(np.asarray(strict), whole, rtol=0, atol=1e-12)
    single = _fantope._project_by_few(matrix.astype(np.float32), 3)
    assert single.dtype == np.float32
    assert_allclose(single, whole, rtol=0, atol=1e-6)


def test_an_eigenspace_that_blocks_do_not_see_is_not_missed(monkeypatch):
    monkeypatch.setattr(_fantope, "_FEW_FROM", 2)
    monkeypatch.setattr(_fantope, "_BLOCKS_FROM", 2)
    monkeypatch.setattr(_fantope, "_WIDTH", 4)
    matrix = symmetric(np.r_[np.full(110, 0.03), np.full(10, 5.0)])  # 10 copies, for blocks of 4
    high = (matrix - 0.03 * np.eye(120)) / (5 - 0.03)  # the projection on their space
    assert_allclose(project_fantope(matrix, 6), 0.6 * high, rtol=0, atol=1e-12)
    expected = high + (np.eye(120) - high) / 110
    assert_allclose(project_fantope(matrix, 11), expected, rtol=0, atol=1e-12)
