"""What the note on the order of the file claims of the tensor nuclear norm along the samples."""

from itertools import combinations, permutations
from math import gcd

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa.tensor import prox_tensor_nuclear_norm, tensor_nuclear_norm


def moved(tensor, places):
    """Both axes of the samples permuted: row and column i go to places[i]."""
    back = np.argsort(places)
    return tensor[back][:, :, back]


@pytest.mark.parametrize("n", [5, 6, 8, 9])
def test_shifts_reversal_and_steps_keep_the_norm_and_move_the_proximal_step(n):
    tensor = np.random.RandomState(n).normal(size=(n, 3, n))
    norm, shrunk = tensor_nuclear_norm(tensor), prox_tensor_nuclear_norm(tensor, 2.0)
    for step in (step for step in range(1, n) if gcd(step, n) == 1):
        for shift in (0, 1, n - 2):
            places = (step * np.arange(n) + shift) % n
            assert tensor_nuclear_norm(moved(tensor, places)) == pytest.approx(norm, rel=1e-12)
            assert_allclose(
                prox_tensor_nuclear_norm(moved(tensor, places), 2.0), moved(shrunk, places),
                rtol=0, atol=1e-12,
            )  # fmt: skip


def test_no_other_order_of_five_rows_keeps_the_norm_of_a_random_tensor():
    tensor = np.random.RandomState(0).normal(size=(5, 2, 5))
    norm = tensor_nuclear_norm(tensor)
    same = {
        places
        for places in permutations(range(5))
        if abs(tensor_nuclear_norm(moved(tensor, np.array(places))) - norm) < 1e-9
    }
    assert same == {
        tuple((step * np.arange(5) + shift) % 5) for step in (1, 2, 3, 4) for shift in range(5)
    }


@pytest.mark.parametrize(("n_classes", "size"), [(2, 8), (5, 20), (10, 30)])
def test_a_sorted_file_has_its_energy_in_low_frequencies(n_classes, size):
    n = n_classes * size
    column = np.zeros(n)
    column[size : 2 * size] = 1
    energy = np.abs(np.fft.fft(column)) ** 2
    frequency = np.minimum(np.arange(n), n - np.arange(n))
    low = frequency > 0
    bound = n / (2 * frequency[low])
    assert (np.sqrt(energy[low]) <= bound + 1e-9).all()
    assert energy.sum() == pytest.approx(n**2 / n_classes)
    for last in range(1, n // 2):
        share = energy[frequency > last].sum() / energy.sum()
        assert share <= n_classes / (2 * last)


@pytest.mark.parametrize(("n", "size"), [(6, 2), (7, 3)])
def test_a_shuffled_file_has_the_same_mean_energy_at_every_frequency(n, size):
    energies = []
    for places in combinations(range(n), size):
        column = np.zeros(n)
        column[list(places)] = 1
        energies.append(np.abs(np.fft.fft(column)) ** 2)
    assert_allclose(np.mean(energies, axis=0)[1:], size * (n - size) / (n - 1))
