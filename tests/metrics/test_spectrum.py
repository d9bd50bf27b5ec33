"""How much the order of the rows tells about a co-association matrix."""

from __future__ import annotations

import cmath

import array_api_strict as strict
import numpy as np
import pytest

from consensa import Ensemble, coassociation
from consensa.metrics import order_information, order_spectrum, spectrum


def slowly(matrix):
    """Excess of the energy over 5 / (n - 1) at each frequency, by an explicit transform."""
    n = len(matrix)
    energy = [0.0] * n
    for column in matrix.T:
        mean = sum(column) / n
        for f in range(1, n):
            value = sum(
                (x - mean) * cmath.exp(-2j * cmath.pi * f * t / n) for t, x in enumerate(column)
            )
            energy[f] += abs(value) ** 2
    total = sum(energy)
    return sum(max(energy[f] / total - 5 / (n - 1), 0) for f in range(1, n))


def blocks(n, n_clusters=3):
    """Co-association of one partition whose rows are sorted by cluster."""
    labels = np.sort(np.arange(n) % n_clusters)
    return (labels[:, None] == labels[None, :]).astype(float)


@pytest.mark.parametrize("n", [2, 3, 10, 11, 24, 25, 40])
@pytest.mark.parametrize("kind", ["sorted", "random"])
def test_it_is_the_sum_over_an_explicit_fourier_transform(n, kind):
    matrix = blocks(n) if kind == "sorted" else np.random.default_rng(n).random((n, n))
    assert order_information(matrix) == pytest.approx(slowly(matrix), abs=1e-12)


def test_even_n_counts_the_middle_frequency_once():
    alternating = np.tile([0.0, 1.0], 20)
    matrix = np.outer(alternating, np.ones(40))
    assert order_information(matrix) == pytest.approx(1 - 5 / 39)


def test_sorted_rows_tell_much_and_shuffled_rows_almost_nothing():
    matrix = coassociation(Ensemble.from_labels(np.repeat([[0], [1], [2], [3]], 250, axis=0)))
    assert order_information(matrix) > 0.5
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(1000)
        assert order_information(matrix[np.ix_(order, order)]) < 0.02


@pytest.mark.parametrize("n", [1, 2, 9, 30])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_constant_matrix_tells_nothing(n, dtype):
    assert order_information(np.full((n, n), 0.3, dtype)) == 0.0


def test_the_size_of_the_blocks_does_not_matter(monkeypatch):
    matrix = np.random.default_rng(0).random((21, 21)).cumsum(axis=0)
    whole = order_information(matrix)
    monkeypatch.setattr(spectrum, "_BLOCK_BYTES", 16 * 21 * 4)
    assert order_information(matrix) == pytest.approx(whole, abs=1e-14)


def test_single_precision_and_other_libraries_give_the_same():
    matrix = blocks(30)
    wanted = order_information(matrix)
    assert order_information(matrix.astype(np.float32)) == pytest.approx(wanted, abs=1e-5)
    assert order_information(strict.asarray(matrix)) == pytest.approx(wanted, abs=1e-12)
    assert order_information(matrix.tolist()) == pytest.approx(wanted, abs=1e-12)


def test_the_spectrum_is_the_energy_of_a_frequency_and_its_mirror():
    for n in (7, 8):
        matrix = np.random.default_rng(n).random((n, n)).cumsum(axis=0)
        energy = (np.abs(np.fft.fft(matrix - matrix.mean(axis=0), axis=0)) ** 2).sum(axis=1)
        expected = [energy[f] + (energy[n - f] if 2 * f != n else 0) for f in range(1, n // 2 + 1)]
        np.testing.assert_allclose(order_spectrum(matrix), expected / energy.sum(), atol=1e-14)
    assert not order_spectrum(np.ones((5, 5))).any()
