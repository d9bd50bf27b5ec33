"""The thresholding of the two slices in each domain."""

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa.tensor import prox_tensor_nuclear_norm, tensor_nuclear_norm
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._graph import GraphDomain
from consensa.tensor._slices import SliceDomain
from consensa.tensor.pairs import gram, shrinkage

SIZES = [2, 3, 4, 7, 10, 13]


def random_pair(n, seed=0):
    rng = np.random.RandomState(seed)
    return rng.normal(size=(n, n)), rng.normal(size=(n, n))


def random_coassociation(n, seed=0):
    labels = np.random.RandomState(seed).randint(3, size=(n, 4))
    return (labels[:, None, :] == labels[None, :, :]).mean(axis=2)


def threshold_by_svd(matrix, threshold):
    u, s, vh = np.linalg.svd(matrix, full_matrices=False)
    return (u * np.maximum(s - threshold, 0)) @ vh, s


@pytest.mark.parametrize("dtype", [float, complex])
def test_multiplier_equals_the_svd_of_every_pair(dtype):
    rng = np.random.RandomState(0)
    first, second = rng.normal(size=(2, 6, 9)).astype(dtype)
    if dtype is complex:
        first += 1j * rng.normal(size=first.shape)
        second += 1j * rng.normal(size=second.shape)
    second[1] = 2 * first[1]  # rank one
    first[2] = 0
    first[3] = second[3] = 0
    for threshold in (0.01, 2.0, 5.0, 100.0):
        by = shrinkage(np, gram(np, first, second), threshold)
        cross = by.cross_real + 1j * by.cross_imag
        for f in range(6):
            multiplier = np.array([[by.first[f], cross[f]], [cross[f].conj(), by.second[f]]])
            pair = np.stack([first[f], second[f]], axis=1)
            expected, s = threshold_by_svd(pair, threshold)
            assert_allclose(pair @ multiplier, expected, atol=1e-12)
            shrunk = np.sort(np.maximum(s - threshold, 0))
            assert_allclose(np.sort(by.singular_values[:, f]), shrunk, atol=1e-7)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("threshold", [0.5, 3.0])
def test_fourier_is_the_prox_of_the_tensor_turned_so_that_samples_are_its_tubes(n, threshold):
    links, affinity = random_pair(n)
    turned = np.stack([links.T, affinity.T], axis=1)  # (column j, slice, row i)
    expected = prox_tensor_nuclear_norm(turned, threshold)
    shrunk = FourierDomain(links).shrink(links, affinity, threshold)
    assert_allclose(shrunk.links, expected[:, 0, :].T, atol=1e-12)
    assert_allclose(shrunk.affinity, expected[:, 1, :].T, atol=1e-12)
    assert shrunk.norm == pytest.approx(tensor_nuclear_norm(expected), abs=1e-10)


@pytest.mark.parametrize("n", SIZES)
def test_fourier_counts_the_surviving_singular_values_of_all_frequencies(n):
    links, affinity = random_pair(n)
    threshold = 1.5
    expected = sum(
        int((np.linalg.svd(np.stack(pair, axis=1), compute_uv=False) > threshold).sum())
        for pair in zip(np.fft.fft(links, axis=0), np.fft.fft(affinity, axis=0), strict=True)
    )
    assert FourierDomain(links).shrink(links, affinity, threshold).n_survivors == expected


@pytest.mark.parametrize("n", [4, 9, 12])
def test_graph_thresholds_each_eigenspace_as_one_matrix(n):
    evidence = random_coassociation(n)
    links, affinity = random_pair(n)
    threshold = 2.0
    values, vectors = np.linalg.eigh(evidence)
    spaces = np.concatenate([[0], np.cumsum(np.diff(values) > 1e-9)])
    expected = np.zeros((2, n, n))
    for space in range(spaces.max() + 1):
        basis = np.sqrt(n) * vectors[:, spaces == space]
        pair = np.stack([(basis.T @ links).ravel(), (basis.T @ affinity).ravel()], axis=1)
        shrunk, _ = threshold_by_svd(pair, threshold)
        for part in (0, 1):
            expected[part] += basis @ shrunk[:, part].reshape(-1, n) / n
    result = GraphDomain(evidence).shrink(links, affinity, threshold)
    assert_allclose(result.links, expected[0], atol=1e-12)
    assert_allclose(result.affinity, expected[1], atol=1e-12)


def test_graph_does_not_depend_on_the_order_of_the_rows():
    n = 15
    evidence = random_coassociation(n)
    links, affinity = random_pair(n)
    order = np.random.RandomState(3).permutation(n)
    shuffle = np.ix_(order, order)
    given = GraphDomain(evidence).shrink(links, affinity, 2.0)
    shuffled = GraphDomain(evidence[shuffle]).shrink(links[shuffle], affinity[shuffle], 2.0)
    assert_allclose(shuffled.affinity, given.affinity[shuffle], atol=1e-11)
    assert_allclose(shuffled.links, given.links[shuffle], atol=1e-11)


def test_fourier_does_depend_on_the_order_of_the_rows_but_not_on_a_rotation():
    n = 15
    links, affinity = random_pair(n)
    given = FourierDomain(links).shrink(links, affinity, 3.0)

    def moved(order):
        shuffle = np.ix_(order, order)
        shrunk = FourierDomain(links).shrink(links[shuffle], affinity[shuffle], 3.0)
        return np.abs(shrunk.affinity - given.affinity[shuffle]).max()

    assert moved(np.roll(np.arange(n), 4)) < 1e-12
    assert moved(np.random.RandomState(3).permutation(n)) > 0.01


@pytest.mark.parametrize("domain", [FourierDomain, GraphDomain, SliceDomain])
def test_another_array_library_gives_the_same(domain):
    evidence = random_coassociation(9)
    links, affinity = random_pair(9)
    expected = domain(evidence).shrink(links, affinity, 1.0)
    xp = array_api_strict
    arrays = [xp.asarray(a) for a in (evidence, links, affinity)]
    strict = domain(arrays[0]).shrink(*arrays[1:], 1.0)
    assert_allclose(np.asarray(strict.affinity), expected.affinity, atol=1e-12)
    assert_allclose(np.asarray(strict.links), expected.links, atol=1e-12)
    assert strict.norm == pytest.approx(expected.norm)
    assert strict.n_survivors == expected.n_survivors
