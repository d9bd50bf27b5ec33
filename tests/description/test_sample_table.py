"""The table of the samples, and which samples fit no cluster."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import consensa as cs
from consensa._random import random_source
from consensa.description.outliers import learn_outlier_rule
from consensa.exceptions import InvalidInputError
from consensa.features import read_features
from consensa.metrics import sample_rivals


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 40)
    centers = np.array([[0, 0], [9, 0], [0, 9]])
    X = np.r_[rng.normal(size=(120, 2)) + centers[truth], [[30.0, 30.0]]]
    frame = pd.DataFrame(X, columns=["x", "y"], index=[f"s{row}" for row in range(121)])
    model = cs.TEA(3, generator=cs.RandomKMeans(8, n_clusters=(3, 5)), random_state=0).fit(frame)
    return frame, model


def test_the_table_has_the_columns_of_the_result(fitted):
    frame, model = fitted
    table = cs.sample_table(model, frame)
    assert list(table) == ["cluster", "confidence", "rival", "rival_share", "outlier"]
    assert list(table.index) == list(frame.index)
    np.testing.assert_array_equal(table.cluster, model.labels_)
    np.testing.assert_array_equal(table.confidence, model.confidence_)
    rivals = sample_rivals(model.ensemble_, model.labels_)
    np.testing.assert_array_equal(table.rival.fillna(-1), rivals.rival)
    np.testing.assert_array_equal(table.rival_share, rivals.share)
    assert (table.confidence + table.rival_share).max() <= 1 + 1e-9


def test_the_sample_far_from_all_others_is_the_outlier_and_keeps_its_cluster(fitted):
    frame, model = fitted
    table = cs.sample_table(model.result_, frame)
    assert list(table.index[table.outlier]) == ["s120"]
    assert table.cluster["s120"] in (0, 1, 2)


def test_new_samples_are_judged_by_the_limits_of_the_fit(fitted):
    frame, model = fitted
    rule, _ = learn_outlier_rule(read_features(frame), model.labels_, rng=random_source(0))
    new = np.array([[0.5, 0.5], [-20.0, 4.0], [9.0, 1.0]])
    assert rule.mark_new(new, np.array([0, 0, 1])).tolist() == [False, True, False]


def test_the_order_of_the_rows_marks_the_same_outliers(fitted):
    frame, model = fitted
    order = np.random.RandomState(3).permutation(len(frame))
    marks = [
        learn_outlier_rule(read_features(X), labels, rng=random_source(0))[1]
        for X, labels in ((frame, model.labels_), (frame.iloc[order], model.labels_[order]))
    ]
    np.testing.assert_array_equal(marks[0][order], marks[1])


@pytest.mark.parametrize(
    "X",
    [
        np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), -1).reshape(-1, 2),  # a lattice
        np.repeat([[0.0, 1.0], [5.0, 2.0], [7.0, 9.0]], 30, axis=0),  # three distinct samples
        np.ones((20, 2)),
    ],
    ids=["lattice", "duplicates", "equal"],
)
def test_regular_data_have_no_outliers(X):
    labels = (X[:, 0] > 4).astype(int)
    assert not learn_outlier_rule(read_features(X), labels, rng=random_source(0))[1].any()


def test_without_features_a_sample_that_most_partitions_leave_alone_is_one():
    partitions = np.array([[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1], [2, 2, 1], [-1, 1, 2]])
    table = cs.sample_table(cs.combine(partitions, 2))
    assert table.outlier.tolist() == [False, False, False, False, True, False]


def test_labels_alone_and_other_rows_are_refused(fitted):
    frame, model = fitted
    with pytest.raises(InvalidInputError, match="Got ndarray"):
        cs.sample_table(model.labels_)
    with pytest.raises(InvalidInputError, match="each of the 121 samples"):
        cs.sample_table(model, frame.iloc[:5])
