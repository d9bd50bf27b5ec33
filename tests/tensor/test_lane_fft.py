"""Transforms of rows in lanes are those of the definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa.tensor._lane_fft import Place, factors_of, lane_transform
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
def test_a_block_becomes_its_spectrum_in_its_place_and_back(n, dtype, atol):
    rng = np.random.RandomState(0)
    rows = (rng.normal(size=(48, n)) + 1j * rng.normal(size=(48, n))).astype(dtype)
    array, blocks = as_blocks(rows)
    transform = lane_transform(n, array.dtype)
    scratch, start = aligned_zeros(transform.scratch_size, array.dtype), blocks[0].size
    middle = slice(blocks.shape[3], 2 * blocks.shape[3])
    angles = np.exp(-2j * np.pi * (np.outer(np.arange(n), np.arange(n)) % n) / n)

    transform(Place(array, start), Place(array, start), scratch, back=False)
    expected = rows.copy()
    expected[middle] = rows[middle] @ angles
    assert_allclose(as_rows(blocks), expected, rtol=0, atol=atol)
    assert_array_equal(np.delete(as_rows(blocks), middle, 0), np.delete(rows, middle, 0))

    product = Place(scratch, start)  # as the engine does it
    scratch[start : 2 * start] = array[start : 2 * start]
    transform(product, Place(array, start), scratch, back=True)
    expected[middle] = n * rows[middle]
    assert_allclose(as_rows(blocks), expected, rtol=0, atol=atol * n)


def test_rows_do_not_depend_on_their_neighbors():
    array, blocks = as_blocks(np.random.RandomState(0).normal(size=(16, 60)) + 0j)
    alone = array.copy()
    alone.reshape(blocks.shape)[0, :, :, 1:] = 0
    transform = lane_transform(60, array.dtype)
    scratch = aligned_zeros(transform.scratch_size, array.dtype)
    for some in (array, alone):
        transform(Place(some, 0), Place(some, 0), scratch, back=False)
    assert_array_equal(blocks[0, :, :, 0], alone.reshape(blocks.shape)[0, :, :, 0])


@pytest.mark.parametrize("n", [*range(2, 40), 1404, 2000, 4096, 5000, 7797])
def test_a_length_is_the_product_of_its_factors(n):
    found, left = factors_of(n), n
    for prime in (2, 3, 5, 7, 11, 13):
        while left % prime == 0:
            left //= prime
    assert (found is None) == (left > 1)
    assert found is None or np.prod(found.radices) == n
