"""What a result says of itself: the doubts that it raises and keeps."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris, load_wine

import consensa as cs
from consensa.consensus._deciding_column import _sampled, deciding_column
from consensa.exceptions import (
    DecidingColumnWarning,
    DisagreeingKindsWarning,
    DoubtWarning,
    IdColumnWarning,
    LowConfidenceWarning,
    UnusedScalingWarning,
)
from consensa.features import read_features

IRIS = load_iris(as_frame=True).data
NOISE = np.random.default_rng(0).normal(size=(200, 10))


def doubts(X, k, **options):
    """The classes of the doubts, which must be raised and kept alike."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        result = cs.cluster(X, k, random_state=0, **options)
    assert [w.message for w in raised] == list(result.warnings)
    assert [remark.text for remark in result.remarks] == [str(w.message) for w in raised]
    assert [remark.title for remark in result.remarks] == [w.category.title for w in raised]
    return [w.category for w in raised], result


@pytest.mark.parametrize(("X", "k"), [(IRIS, 3), (load_wine().data, 3)])
def test_nothing_is_doubted_on_data_with_clusters(X, k):
    assert doubts(X, k)[0] == []


def test_kinds_disagree_on_noise_and_the_confidence_is_low():
    found, result = doubts(NOISE, 4)
    assert found == [DisagreeingKindsWarning, LowConfidenceWarning]
    printed = " ".join(repr(result).split())
    assert f"Warning: {result.remarks[0]}" in printed
    assert result.details["agreement of kinds"] < 0.4


def test_one_cluster_is_not_doubted():
    assert doubts(NOISE, 1)[0] == []


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_row_number_is_kept_and_said(shuffled):
    numbers = np.arange(1, 151)
    frame = IRIS.assign(Id=numbers)
    if shuffled:
        frame = frame.sample(frac=1, random_state=0)
    found, result = doubts(frame, 3)
    assert IdColumnWarning in found
    assert "Column 'Id' looks like" in str(result.remarks[0])
    assert result.features.count == 5


def test_a_column_of_names_is_said():
    frame = IRIS.assign(name=[f"flower {i}" for i in range(150)])
    found, result = doubts(frame, 3)
    assert IdColumnWarning in found
    assert "'name'" in result.details["text columns"]


@pytest.mark.parametrize(
    ("scaling", "said"), [("standard", True), ("none", True), ("range", False), ("auto", False)]
)
def test_a_scaling_that_text_columns_leave_no_room_for_is_said(scaling, said):
    frame = IRIS.assign(kind=np.repeat(["small", "large"], [50, 100]))
    found, result = doubts(frame, 3, generator=cs.DiverseKinds(8, scaling=scaling))
    assert (UnusedScalingWarning in found) == said
    if said:
        assert f"scaling='{scaling}' is not used" in str(result.remarks[0])
    assert (
        UnusedScalingWarning
        not in doubts(IRIS, 3, generator=cs.DiverseKinds(8, scaling=scaling))[0]
    )


def test_every_doubt_can_be_turned_off_or_into_an_error():
    with pytest.raises(DoubtWarning):
        cs.cluster(NOISE, 4, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtWarning)
        assert len(cs.cluster(NOISE, 4, random_state=0).remarks) == 2


def test_the_space_and_the_text_columns_are_information_in_the_result():
    frame = pd.DataFrame({"x": np.r_[np.zeros(6), np.ones(6)], "color": ["red", "blue"] * 6})
    result = cs.cluster(frame, 2, random_state=0)
    assert result.remarks == ()
    printed = " ".join(repr(result).split())
    assert "Text columns: 'color', each encoded with an indicator for each value" in printed
    wide = np.repeat([[0.0], [9.0]], 30, axis=0) + np.random.default_rng(0).normal(size=(60, 60))
    result = cs.cluster(wide, 2, random_state=0)
    space = "each column divided by its range; 50 principal components of 60 columns; Euclidean"
    assert result.details["space"].startswith(space)
    assert f"Space: {space}" in " ".join(repr(result).split())


def test_few_samples_are_no_reason_to_doubt_the_kinds():
    found, _ = doubts(NOISE[:19], 4)
    assert DisagreeingKindsWarning not in found
    assert DisagreeingKindsWarning in doubts(NOISE[:40], 4)[0]


RNG = np.random.default_rng(1)
GROUP = RNG.permutation(np.repeat([0, 1, 2], 40))
SEPARATE = 8.0 * GROUP + RNG.normal(size=120)
RANDOM = RNG.normal(size=(120, 3))


def test_a_column_that_decides_alone_is_said():
    found, result = doubts(np.c_[RANDOM, SEPARATE], 3)
    assert found == [DecidingColumnWarning]
    assert str(result.remarks[0]).startswith("Column 3 decides alone")


def test_a_text_column_that_decides_alone_is_said():
    group = np.array(["red", "green", "blue"])[GROUP]
    related = RANDOM[:, 2] + 0.8 * GROUP  # text that depends on no column has no weight
    frame = pd.DataFrame(RANDOM, columns=list("abc")).assign(c=related, color=group)
    features, labels = read_features(frame), GROUP
    assert deciding_column(features, labels) == "color"


@pytest.mark.parametrize(
    "X",
    [
        np.c_[RANDOM[:, :1], SEPARATE],  # of two columns, one often decides
        np.c_[RANDOM, SEPARATE, 3 * GROUP + RNG.normal(size=120)],  # another one agrees
        np.c_[RANDOM + np.eye(3)[GROUP] * 3, SEPARATE],  # the others agree together
        np.c_[RANDOM, SEPARATE * 0 + 1],  # constant
        RANDOM,
    ],
    ids=["two columns", "another", "others together", "constant", "none"],
)
def test_no_column_decides_alone(X):
    for given in (X, sparse.csr_array(X)):
        assert deciding_column(read_features(given), GROUP) is None


def test_the_column_that_decides_is_found_in_sparse_and_huge_features():
    X = np.c_[RANDOM, SEPARATE]
    for given in (X, sparse.csr_array(X), X * 1e300, X + 1e6):
        assert deciding_column(read_features(given), GROUP) == 3
    many = np.c_[RNG.normal(size=(120, 100)), SEPARATE]
    assert deciding_column(read_features(many), GROUP) is None  # the others too, by chance


def test_of_many_samples_the_same_ones_are_looked_at_in_any_order():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(10_500, 3)), rng.integers(0, 3, 10_500)
    order = rng.permutation(len(X))
    for given in (X, X.astype(np.float32), sparse.csr_array(X)):
        first, second = _sampled(given, labels), _sampled(given[order], labels[order])
        assert len(first[1]) == len(second[1]) == 10_000
        assert_array_equal(
            *(np.sort(np.asarray(s[0].sum(axis=1)).ravel()) for s in (first, second))
        )
