"""What the order of the rows tells, and whether an answer follows it."""

from __future__ import annotations

import cmath

import array_api_strict as strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans

from consensa import EAC, Ensemble, RandomKMeans, coassociation
from consensa._machine.progress import reporting
from consensa.exceptions import InvalidParameterError
from consensa.metrics import (
    _order,
    audit_order,
    order_information,
    order_sensitivity,
    order_spectrum,
)


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
    monkeypatch.setattr(_order, "_BLOCK_BYTES", 16 * 21 * 4)
    assert order_information(matrix) == pytest.approx(whole, abs=1e-14)


def test_single_precision_and_other_libraries_give_the_same():
    matrix = blocks(30)
    wanted = order_information(matrix)
    assert order_information(matrix.astype(np.float32)) == pytest.approx(wanted, abs=1e-5)
    assert order_information(strict.asarray(matrix)) == pytest.approx(wanted, abs=1e-12)
    assert order_information(matrix.tolist()) == pytest.approx(wanted, abs=1e-12)


# How much an answer changes


class ByPosition(ClusterMixin, BaseEstimator):
    """The first half of the rows is one cluster, whatever the data say."""

    def fit(self, X, y=None):
        self.labels_ = (np.arange(len(X)) >= len(X) / 2).astype(int)
        return self


class Witness(ClusterMixin, BaseEstimator):
    """Remembers what it was given, in a list that its clones share."""

    seen = []  # noqa: RUF012

    def fit(self, X, y=None):
        type(self).seen.append(X)
        self.labels_ = np.zeros(4, int)
        return self


def test_an_order_free_method_agrees_with_itself(planted):
    labels, _ = planted
    model = EAC(3, generator="precomputed")
    before = model.get_params()
    agreement = order_sensitivity(model, labels, n_permutations=4, random_state=0)
    assert agreement.tolist() == [1.0] * 4
    assert model.get_params() == before
    assert not hasattr(model, "labels_")


def test_a_method_that_reads_the_order_is_found_out():
    agreement = order_sensitivity(ByPosition(), np.zeros((200, 1)), random_state=0)
    assert agreement.shape == (5,)
    assert (np.abs(agreement) < 0.1).all()


def test_features_are_taken_too():
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [20], [40]], 20, axis=0)
    before = X.copy()
    for estimator in (KMeans(3, n_init=5, random_state=0), EAC(3, random_state=0)):
        assert (order_sensitivity(estimator, X, random_state=0) == 1).all()
    np.testing.assert_array_equal(X, before)


def test_the_same_seed_gives_the_same_shuffles():
    X = np.zeros((50, 1))
    first = order_sensitivity(ByPosition(), X, random_state=3)
    np.testing.assert_array_equal(order_sensitivity(ByPosition(), X, random_state=3), first)
    assert (order_sensitivity(ByPosition(), X, random_state=4) != first).any()


def test_the_global_random_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    order_sensitivity(ByPosition(), np.zeros((9, 1)))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


ROWS = [["a", 2**62, 0], ["a", 2**62 + 1, 0], ["b", float("nan"), 0], ["b", 2**62, 1]]


@pytest.mark.parametrize(
    "labels",
    [
        ROWS,
        np.array(ROWS, dtype=object),
        pd.DataFrame(ROWS, index=list("wxyz"), columns=list("abc")).astype({"a": "category"}),
        pl.DataFrame({"a": list("aabb"), "b": [2**62, 2**62 + 1, None, 2**62], "c": [0, 0, 0, 1]}),
        Ensemble.from_labels(ROWS),
        strict.asarray([[0, 0, 0], [0, 1, 0], [1, -1, 0], [1, 0, 1]]),
        Ensemble.from_labels(strict.asarray([[0, 0, 0], [0, 1, 0], [1, -1, 0], [1, 0, 1]])),
    ],
    ids=["list", "objects", "pandas", "polars", "ensemble", "strict", "strict ensemble"],
)
def test_shuffled_rows_are_the_same_rows_of_the_same_kind(labels):
    Witness.seen.clear()
    order_sensitivity(Witness(), labels, n_permutations=3, random_state=0)
    assert len(Witness.seen) == 4
    given_matrix = np.asarray(coassociation(Ensemble.from_labels(labels)))
    for shuffled in Witness.seen:
        assert type(shuffled) is type(labels)
        matrix = np.asarray(coassociation(Ensemble.from_labels(shuffled)))
        # Not in what order, but among whom: the multiset of each row's values.
        assert sorted(map(sorted, matrix.tolist())) == sorted(map(sorted, given_matrix.tolist()))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.coo_matrix])
def test_sparse_rows_are_shuffled_as_dense_ones_are(kind, form):
    X = np.random.default_rng(0).normal(size=(4, 3))
    given = kind(X).asformat(form)
    Witness.seen.clear()
    order_sensitivity(Witness(), X, n_permutations=3, random_state=0)
    order_sensitivity(Witness(), given, n_permutations=3, random_state=0)
    for dense, thin in zip(Witness.seen[:4], Witness.seen[4:], strict=True):
        assert type(thin) is type(given)
        np.testing.assert_array_equal(thin.toarray(), dense)


def test_an_audit_takes_sparse_features():
    X = sparse.csr_array(np.repeat(np.eye(2), 6, axis=0))
    model = EAC(2, generator=RandomKMeans(3, n_clusters=2))
    assert audit_order(model, X, n_shuffles=2).finding == "none"


def test_an_ensemble_is_never_read_as_features(planted):
    labels, _ = planted
    ensemble = Ensemble.from_labels(labels)
    assert order_sensitivity(EAC(3), ensemble, random_state=0).tolist() == [1.0] * 5


def test_progress_is_reported():
    told = []

    class Reporter:
        def __init__(self, description, total):
            told.append((description, total))

        def __enter__(self):
            return lambda: told.append("advance")

        def __exit__(self, *error):
            return None

    with reporting(Reporter):
        order_sensitivity(ByPosition(), np.zeros((4, 1)), n_permutations=2)
    assert told == [("shuffled orders", 2), "advance", "advance"]


@pytest.mark.parametrize(
    "bad", [{"n_permutations": 0}, {"n_permutations": 1.5}, {"random_state": -1}]
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(InvalidParameterError, match="parameter of order_sensitivity"):
        order_sensitivity(ByPosition(), np.zeros((4, 1)), **bad)


def test_the_spectrum_is_the_energy_of_a_frequency_and_its_mirror():
    for n in (7, 8):
        matrix = np.random.default_rng(n).random((n, n)).cumsum(axis=0)
        energy = (np.abs(np.fft.fft(matrix - matrix.mean(axis=0), axis=0)) ** 2).sum(axis=1)
        expected = [energy[f] + (energy[n - f] if 2 * f != n else 0) for f in range(1, n // 2 + 1)]
        np.testing.assert_allclose(order_spectrum(matrix), expected / energy.sum(), atol=1e-14)
    assert not order_spectrum(np.ones((5, 5))).any()
