"""What the order of the rows tells, and whether an answer follows it."""

from __future__ import annotations

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
    audit_order,
    order_sensitivity,
)

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
