"""What a result says of itself: the doubts that it raises and keeps."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

import consensa as cs
from consensa.exceptions import (
    DisagreeingKindsWarning,
    DoubtWarning,
    IdColumnWarning,
    LowConfidenceWarning,
)

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


def test_selection_on_reference_data_without_clusters_is_silent():
    X = np.random.default_rng(0).normal(size=(60, 4)) + np.repeat([[0], [9]], 30, axis=0)
    cs.select_n_clusters(X, (2, 3), random_state=0)
