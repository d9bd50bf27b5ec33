"""The spectral embedding and its cut, small by all eigenvectors, large by Lanczos."""

from __future__ import annotations

import array_api_strict as strict
import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from consensa import metrics
from consensa.partition import _eigenvectors, _lanczos_options, cut_by_spectrum, spectral_embedding


def planted_affinity(n, n_clusters, noise=0.3, seed=0):
    """Symmetric, not negative, larger within clusters; and the clusters."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) % n_clusters)
    upper = np.triu(noise * rng.random((n, n)), 1)
    return (truth[:, None] == truth[None, :]) * 0.7 + upper + upper.T, truth


def slowly(affinity, n_clusters):
    """The embedding's Gram matrix, written as in the docstring with dense matrices."""
    weights = (affinity + affinity.T) / 2
    root = np.diag(weights.sum(axis=1) ** -0.5)
    values, vectors = np.linalg.eigh(root @ weights @ root)
    leading = vectors[:, np.argsort(values)[-n_clusters:]]
    rows = leading / np.linalg.norm(leading, axis=1, keepdims=True)
    return rows @ rows.T


@pytest.mark.parametrize(("n", "n_clusters"), [(12, 1), (12, 3), (40, 5), (40, 40)])
def test_the_embedding_is_that_of_the_definition(n, n_clusters):
    affinity, _ = planted_affinity(n, max(2, n_clusters // 2))
    embedding = spectral_embedding(affinity, n_clusters)
    assert embedding.shape == (n, n_clusters)
    np.testing.assert_allclose(embedding @ embedding.T, slowly(affinity, n_clusters), atol=1e-9)


@pytest.mark.parametrize("dense_below", [0, 600])
def test_the_largest_eigenvalue_comes_first(dense_below, monkeypatch):
    monkeypatch.setattr(_eigenvectors, "_DENSE_BELOW", dense_below)
    affinity, _ = planted_affinity(40, 3)
    first, *others = np.sign(spectral_embedding(affinity, 3, random_state=0)).T
    assert abs(first.sum()) == 40  # the only eigenvector without a change of sign
    assert all(abs(other.sum()) < 40 for other in others)


def test_the_affinity_is_symmetrized_and_left_as_it_was():
    affinity, _ = planted_affinity(20, 2)
    lopsided = np.triu(affinity) * 2 - np.diag(np.diag(affinity))
    lopsided.flags.writeable = False
    one, two = spectral_embedding(affinity, 2), spectral_embedding(lopsided, 2)
    np.testing.assert_allclose(one @ one.T, two @ two.T, atol=1e-10)


def test_lanczos_is_used_above_600_samples_and_gives_the_dense_embedding(monkeypatch):
    affinity, truth = planted_affinity(620, 4)
    used = []
    lanczos = _eigenvectors._lanczos
    monkeypatch.setattr(_eigenvectors, "_lanczos", lambda *args: used.append(1) or lanczos(*args))
    embedding = spectral_embedding(affinity, 4, random_state=0)
    assert used
    monkeypatch.setattr(_eigenvectors, "_DENSE_BELOW", 10_000)
    dense = spectral_embedding(affinity, 4)
    np.testing.assert_allclose(embedding @ embedding.T, dense @ dense.T, atol=1e-9)
    np.testing.assert_allclose(np.abs(embedding), np.abs(dense), atol=1e-9)  # and in this order
    assert metrics.adjusted_rand_index(truth, cut_by_spectrum(affinity, 4, random_state=0)) == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lanczos_finds_every_one_of_many_equal_eigenvalues(dtype):
    truth = np.random.default_rng(0).permutation(np.arange(620) % 12)
    affinity = (truth[:, None] == truth[None, :]).astype(dtype)
    embedding = spectral_embedding(affinity, 12, random_state=0)
    np.testing.assert_allclose(embedding @ embedding.T, affinity, atol=1e-5)


@pytest.mark.skipif(
    not _lanczos_options._RESTARTS_FROM_RNG, reason="needs SciPy 1.17 for seeded restarts"
)
def test_the_same_seed_gives_the_same_embedding_even_where_eigenvalues_are_equal():
    truth = np.arange(620) % 12
    affinity = (truth[:, None] == truth[None, :]).astype(float)
    first = spectral_embedding(affinity, 12, random_state=7)
    np.testing.assert_array_equal(spectral_embedding(affinity, 12, random_state=7), first)


def test_numbers_drawn_after_the_eigenvectors_are_the_same_with_every_scipy(monkeypatch):
    drawn = []
    for seeded in (False, True):
        monkeypatch.setattr(_lanczos_options, "_RESTARTS_FROM_RNG", seeded)
        rng = np.random.RandomState(0)
        assert set(_lanczos_options.lanczos_options(rng)) == ({"rng"} if seeded else set())
        drawn.append(rng.uniform())
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("dense_below", [0, 600])
def test_isolated_samples_get_rows_of_zeros_and_harm_nobody(dense_below, monkeypatch):
    monkeypatch.setattr(_eigenvectors, "_DENSE_BELOW", dense_below)
    affinity, truth = planted_affinity(60, 3)
    alone = [4, 33]
    affinity[alone] = affinity[:, alone] = 0
    embedding = spectral_embedding(affinity, 3, random_state=0)
    assert np.isfinite(embedding).all()
    assert not embedding[alone].any()
    others = np.setdiff1d(np.arange(60), alone)
    np.testing.assert_allclose(np.linalg.norm(embedding[others], axis=1), 1)
    labels = cut_by_spectrum(affinity, 3, random_state=0)
    assert metrics.adjusted_rand_index(truth[others], labels[others]) == 1


def test_isolated_samples_get_rows_of_zeros_even_if_zero_is_a_leading_eigenvalue():
    assert not spectral_embedding(np.zeros((6, 6)), 2).any()
    affinity = np.ones((6, 6))
    affinity[5] = affinity[:, 5] = 0
    assert not spectral_embedding(affinity, 3)[5].any()
    assert cut_by_spectrum(np.zeros((6, 6)), 2, random_state=0).tolist() == [0] * 6


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, int, bool])
def test_affinities_of_every_type_are_cut(dtype):
    affinity = np.kron(np.eye(3), np.ones((4, 4))).astype(dtype)
    labels = cut_by_spectrum(affinity, 3, random_state=0)
    assert labels.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert labels.dtype == np.int64


def test_an_affinity_of_another_library_is_cut_on_the_host():
    affinity = strict.asarray(np.kron(np.eye(2), np.ones((2, 2))))
    assert cut_by_spectrum(affinity, 2, random_state=0).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("n_clusters", [1, 2, 9, 10])
def test_from_one_cluster_to_as_many_as_samples(n_clusters):
    affinity, _ = planted_affinity(10, 3)
    labels = cut_by_spectrum(affinity, n_clusters, random_state=0)
    assert list(dict.fromkeys(labels.tolist())) == list(range(n_clusters))


def test_permuting_samples_permutes_the_clusters():
    affinity, truth = planted_affinity(50, 4)
    order = np.random.default_rng(1).permutation(50)
    labels = cut_by_spectrum(affinity, 4, random_state=0)
    shuffled = cut_by_spectrum(affinity[np.ix_(order, order)], 4, random_state=0)
    assert metrics.adjusted_rand_index(labels, truth) == 1
    assert metrics.adjusted_rand_index(labels[order], shuffled) == 1


def test_same_seed_same_labels_and_the_global_random_state_is_left_alone():
    affinity = np.random.default_rng(0).random((40, 40))
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = cut_by_spectrum(affinity, 5, random_state=np.random.RandomState(3))
    np.testing.assert_array_equal(cut_by_spectrum(affinity, 5, random_state=3), first)
    cut_by_spectrum(affinity, 5)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_operator_has_the_embedding_of_its_matrix():
    rng = np.random.RandomState(0)
    affinity = rng.uniform(size=(60, 60)) ** 4
    affinity += affinity.T
    affinity[7] = affinity[:, 7] = 0  # no affinity: a row of zeros
    dense = spectral_embedding(affinity, 3)
    operator = spectral_embedding(aslinearoperator(affinity), 3, random_state=0)
    np.testing.assert_allclose(operator @ operator.T, dense @ dense.T, atol=1e-9)
    assert not operator[7].any()
