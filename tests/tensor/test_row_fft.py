"""Both libraries transform rows alike."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa.tensor._row_fft import MKLTransform, SciPyTransform, row_transform


def transforms():
    try:
        return [SciPyTransform(), MKLTransform()]
    except ImportError:
        return [SciPyTransform()]


@pytest.mark.parametrize("transform", transforms(), ids=lambda t: type(t).__name__)
@pytest.mark.parametrize(("dtype", "atol"), [(np.complex128, 1e-12), (np.complex64, 1e-4)])
@pytest.mark.parametrize("n", [2, 3, 12, 101])
def test_rows_become_spectra_in_their_place_and_back(transform, dtype, atol, n):
    rng = np.random.RandomState(0)
    matrix = (rng.normal(size=(9, n)) + 1j * rng.normal(size=(9, n))).astype(dtype)
    whole = matrix.copy()
    block, others = whole[2:7], np.r_[0:2, 7:9]
    angles = -2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n
    with transform.alone():
        transform.forward(block)
        assert_allclose(whole[2:7], matrix[2:7] @ np.exp(angles), atol=atol)
        assert_allclose(whole[others], matrix[others], atol=0)
        transform.backward(block)
    assert_allclose(whole, matrix, atol=atol)


def test_without_mkl_the_transforms_are_those_of_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "mkl_fft", None)
    assert isinstance(row_transform(), SciPyTransform)
