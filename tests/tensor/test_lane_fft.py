"""Transforms of rows in lanes are those of the definition."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa.tensor._butterflies import one_pass
from consensa.tensor._lane_fft import factors_of, lane_transform
from consensa.tensor._lane_kernels import spectra_and_gram, transform, transform_back
from consensa.tensor._lanes import VECTOR_BYTES, aligned_zeros

SMOOTH = [2, 6, 60, 286, 1260]  # in 1, 1, 2, 3 and 4 passes
OTHERS = [17, 101]


def as_blocks(rows):
    """Rows in lanes, one block after another."""
    lanes, dtype = VECTOR_BYTES // rows.real.itemsize, rows.real.dtype
    count, n = len(rows) // lanes, rows.shape[1]
    array = aligned_zeros(2 * rows.size, dtype)
    blocks = array.reshape(count, n, 2, lanes)
    for part, values in enumerate((rows.real, rows.imag)):
        blocks[:, :, part] = values.reshape(count, lanes, n).transpose(0, 2, 1)
    return array, blocks


def as_rows(blocks):
    rows = blocks[:, :, 0] + 1j * blocks[:, :, 1]  # (block, column, lane)
    return rows.transpose(0, 2, 1).reshape(-1, blocks.shape[1])


@pytest.mark.parametrize(
    ("n", "dtype", "atol"),
    [(n, "complex128", 1e-12) for n in SMOOTH + OTHERS]
    + [(n, "complex64", 1e-4) for n in (60, 101)],
)
def test_blocks_become_their_spectra_in_their_place_and_back(n, dtype, atol):
    rng = np.random.RandomState(0)
    rows = (rng.normal(size=(64, n)) + 1j * rng.normal(size=(64, n))).astype(dtype)
    array, blocks = as_blocks(rows)
    plan = lane_transform(n, array.dtype)
    scratch, step = aligned_zeros(plan.scratch_size, array.dtype), blocks[0].size
    middle = slice(blocks.shape[3], 3 * blocks.shape[3])
    angles = np.exp(-2j * np.pi * (np.outer(np.arange(n), np.arange(n)) % n) / n)

    transform(plan, array, step, 3 * step, step, scratch, False)
    expected = rows.copy()
    expected[middle] = rows[middle] @ angles
    assert_allclose(as_rows(blocks), expected, rtol=0, atol=atol)
    assert_array_equal(np.delete(as_rows(blocks), middle, 0), np.delete(rows, middle, 0))

    transform(plan, array, step, 3 * step, step, scratch, True)
    expected[middle] = n * rows[middle]
    assert_allclose(as_rows(blocks), expected, rtol=0, atol=atol * n)


@pytest.mark.parametrize("n", [2, 17, 60, 286])
@pytest.mark.parametrize(("dtype", "rtol"), [("complex128", 1e-12), ("complex64", 1e-5)])
def test_pairs_of_columns_are_summed_and_multiplied(n, dtype, rtol):
    rng = np.random.RandomState(0)
    rows = (rng.normal(size=(32, n)) + 1j * rng.normal(size=(32, n))).astype(dtype)
    array, blocks = as_blocks(rows)
    plan = lane_transform(n, array.dtype)
    scratch, step = aligned_zeros(plan.scratch_size, array.dtype), blocks[0].size
    frequencies = np.arange(n // 2 + 1)
    sums = np.zeros(4 * len(frequencies))
    spectra_and_gram(plan, array, 0, array.size, step, scratch, sums)
    spectra = np.fft.fft(rows.astype(np.complex128))
    pairs = np.stack([spectra[:, frequencies], spectra[:, -frequencies].conj()])
    gram = np.einsum("arf,brf->fab", pairs.conj(), pairs)
    found = sums.reshape(-1, 4)
    assert_allclose(found[:, 0], gram[:, 0, 0].real, rtol=rtol)
    assert_allclose(found[:, 1], gram[:, 1, 1].real, rtol=rtol)
    size = np.abs(gram).max()
    assert_allclose(found[:, 2] + 1j * found[:, 3], gram[:, 0, 1], rtol=0, atol=rtol * size)

    by = rng.normal(size=(len(frequencies), 4))
    real = np.flatnonzero(2 * frequencies % n == 0)  # a column that is its own partner
    by[real, 3], by[real, 1] = 0, by[real, 0]
    target = np.zeros_like(array)
    transform_back(
        plan, array, by.astype(array.dtype).ravel(), target, 0, array.size, step, scratch
    )
    cross = by[:, 2] + 1j * by[:, 3]
    matrices = np.array([[by[:, 0], cross], [cross.conj(), by[:, 1]]])
    pairs = np.einsum("arf,abf->brf", pairs, matrices)
    spectra[:, -frequencies] = pairs[1].conj()
    spectra[:, frequencies[1:]] = pairs[0][:, 1:]
    expected = n * np.fft.ifft(spectra)
    found = as_rows(target.reshape(blocks.shape))
    assert_allclose(found, expected, rtol=0, atol=rtol * np.abs(expected).max())


def test_rows_do_not_depend_on_their_neighbors():
    array, blocks = as_blocks(np.random.RandomState(0).normal(size=(16, 60)) + 0j)
    alone = array.copy()
    alone.reshape(blocks.shape)[0, :, :, 1:] = 0
    plan = lane_transform(60, array.dtype)
    scratch = aligned_zeros(plan.scratch_size, array.dtype)
    for some in (array, alone):
        transform(plan, some, 0, some.size, blocks[0].size, scratch, False)
    assert_array_equal(blocks[0, :, :, 0], alone.reshape(blocks.shape)[0, :, :, 0])


@pytest.mark.parametrize("n", [*range(2, 40), 1404, 2000, 4096, 5000, 7797])
def test_a_length_is_the_product_of_its_factors(n):
    found, left = factors_of(n), n
    for prime in (2, 3, 5, 7, 11, 13):
        while left % prime == 0:
            left //= prime
    assert (found is None) == (left > 1)
    assert found is None or np.prod(found.radices) == n


def test_each_pass_has_a_file_of_its_own_in_the_cache():
    """Processes that add to one at the same time could take the code of another pass."""
    kinds = list(itertools.product((2, 13), ("float32", "float64"), (False, True)))
    names = {one_pass(radix, dtype, last=last).__qualname__ for radix, dtype, last in kinds}
    assert len(names) == len(kinds)
