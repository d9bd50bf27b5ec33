"""The validated label matrix: what is true of every Ensemble."""

from __future__ import annotations

import copy
import pickle

import array_api_strict as strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from strategies import label_matrices

from consensa import Ensemble
from consensa.exceptions import InvalidInputError

FIVE = np.array([[4, 0, 9], [4, 0, -1], [4, 2, 8], [1, 2, 8], [1, 1, 8]])


# What is true ever after


@given(label_matrices())
def test_clusters_are_numbered_by_first_appearance_without_gaps(labels):
    ensemble = Ensemble.from_labels(labels)
    for given_column, column in zip(labels.T, ensemble.labels.T, strict=True):
        present = column[column != -1]
        firsts = list(dict.fromkeys(present.tolist()))
        assert firsts == list(range(len(firsts)))
        assert ((column == -1) == (given_column == -1)).all()
        together = given_column[:, None] == given_column[None, :]
        np.testing.assert_array_equal(together, column[:, None] == column[None, :])


@given(label_matrices(), st.randoms(use_true_random=False))
def test_renaming_clusters_changes_nothing(labels, random):
    names = list(range(100, 100 + labels.max() + 1))
    random.shuffle(names)
    renamed = np.where(labels == -1, -1, np.array(names)[labels])
    wanted = Ensemble.from_labels(labels).labels
    np.testing.assert_array_equal(Ensemble.from_labels(renamed).labels, wanted)
    as_text = [[None if x == -1 else f"c{x}" for x in row] for row in renamed.tolist()]
    np.testing.assert_array_equal(Ensemble.from_labels(as_text).labels, wanted)


def test_reading_an_ensemble_again_changes_nothing():
    ensemble = Ensemble.from_labels(FIVE)
    assert Ensemble.from_labels(ensemble) is ensemble
    np.testing.assert_array_equal(Ensemble.from_labels(ensemble.labels).labels, ensemble.labels)


def test_five_samples_by_hand():
    ensemble = Ensemble.from_labels(FIVE)
    wanted = [[0, 0, 0], [0, 0, -1], [0, 1, 1], [1, 1, 1], [1, 2, 1]]
    assert ensemble.labels.tolist() == wanted
    assert ensemble.labels.dtype == np.int32
    assert (ensemble.n_samples, ensemble.n_partitions, len(ensemble)) == (5, 3, 5)
    assert ensemble.cluster_counts.tolist() == [2, 3, 2]
    assert ensemble.n_clusters == 7
    assert ensemble.cluster_sizes.tolist() == [3, 2, 2, 2, 1, 1, 3]
    assert ensemble.has_missing
    assert ensemble.n_missing == 1
    assert ensemble.labeled.sum() == 14
    assert ensemble.cluster_ids.tolist() == [
        [0, 2, 5],
        [0, 2, -1],
        [0, 3, 6],
        [1, 3, 6],
        [1, 4, 6],
    ]
    groups = [members.tolist() for members in ensemble.clusters()]
    assert groups == [[0, 1, 2], [3, 4], [0, 1], [2, 3], [4], [0], [2, 3, 4]]
    assert repr(ensemble) == "Ensemble(n_samples=5, n_partitions=3, n_clusters=7, missing=1)"


def test_a_complete_ensemble_says_so():
    ensemble = Ensemble.from_labels([[0], [1]])
    assert not ensemble.has_missing
    assert ensemble.n_missing == 0
    assert repr(ensemble) == "Ensemble(n_samples=2, n_partitions=1, n_clusters=2)"


# Where the labels come from


@pytest.mark.parametrize("order", ["C", "F"])
def test_labels_are_read_only_and_independent_of_the_array_they_came_from(order):
    labels = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32, order=order)
    before = labels.copy()
    ensemble = Ensemble.from_labels(labels)
    np.testing.assert_array_equal(labels, before)
    labels[:] = 0
    np.testing.assert_array_equal(ensemble.labels, before)
    for array in (ensemble.labels, ensemble.codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def test_a_read_only_array_is_read():
    labels = np.array([[3, 0], [3, 1]])
    labels.flags.writeable = False
    assert Ensemble.from_labels(labels).labels.tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize("values", [[[5, 1], [5, 1], [2, -1]], [[5.0, 1], [5, 1], [2, np.nan]]])
def test_an_array_of_another_library_stays_in_that_library(values):
    ensemble = Ensemble.from_labels(strict.asarray(values))
    assert isinstance(ensemble.labels, type(strict.asarray(0)))
    assert isinstance(ensemble.codes, np.ndarray)
    assert not ensemble.codes.flags.writeable
    assert ensemble.codes.tolist() == [[0, 0], [0, 0], [1, -1]]
    assert isinstance(ensemble.select([0]).labels, type(strict.asarray(0)))


def test_frames_of_pandas_and_polars_give_what_the_list_gives():
    rows = [["a", 7], ["b", 3], ["a", None]]
    wanted = Ensemble.from_labels(rows)
    columns = {"x": [row[0] for row in rows], "y": [row[1] for row in rows]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        ensemble = Ensemble.from_labels(frame)
        np.testing.assert_array_equal(ensemble.labels, wanted.labels)
        assert ensemble.partition_names == ("x", "y")


def test_a_frame_is_not_modified():
    frame = pd.DataFrame({"x": ["b", None, "a"], "y": [3, 3, 1]}, index=[5, 6, 7])
    before = frame.copy(deep=True)
    Ensemble.from_labels(frame)
    pd.testing.assert_frame_equal(frame, before)


# Memberships and groups


@given(label_matrices())
def test_membership_has_a_one_for_every_label(labels):
    ensemble = Ensemble.from_labels(labels)
    membership = ensemble.membership(np.int64)
    assert sparse.issparse(membership)
    assert membership.dtype == np.int64
    wanted = np.zeros((ensemble.n_samples, ensemble.n_clusters), int)
    for i, row in enumerate(ensemble.cluster_ids):
        for cluster in row[row != -1]:
            wanted[i, cluster] = 1
    np.testing.assert_array_equal(membership.toarray(), wanted)
    np.testing.assert_array_equal(wanted.sum(axis=0), ensemble.cluster_sizes)
    for cluster, members in enumerate(ensemble.clusters()):
        np.testing.assert_array_equal(members, np.flatnonzero(wanted[:, cluster]))


@given(label_matrices())
def test_microclusters_are_the_distinct_rows_in_lexicographic_order(labels):
    ensemble = Ensemble.from_labels(labels)
    groups = ensemble.microclusters()
    rows, sizes = np.unique(ensemble.labels, axis=0, return_counts=True)
    np.testing.assert_array_equal(groups.rows, rows)
    np.testing.assert_array_equal(groups.sizes, sizes)
    assert [tuple(row) for row in groups.rows] == sorted({tuple(r) for r in ensemble.labels})
    np.testing.assert_array_equal(groups.rows[groups.labels], ensemble.labels)


@given(label_matrices())
def test_separates_counts_the_distinct_rows(labels):
    ensemble = Ensemble.from_labels(labels)
    distinct = len({tuple(row) for row in ensemble.labels})
    assert [ensemble.separates(k) for k in range(1, 15)] == [k <= distinct for k in range(1, 15)]


# Some of the partitions


@given(label_matrices(), st.data())
def test_selected_partitions_are_what_reading_those_columns_gives(labels, data):
    ensemble = Ensemble.from_labels(labels)
    columns = data.draw(st.lists(st.integers(0, labels.shape[1] - 1), min_size=1, max_size=6))
    if (labels[:, columns] == -1).all(axis=1).any():
        with pytest.raises(InvalidInputError, match="is missing in all"):
            ensemble.select(columns)
        return
    wanted = Ensemble.from_labels(labels[:, columns])
    np.testing.assert_array_equal(ensemble.select(columns).labels, wanted.labels)
    negative = [j - labels.shape[1] for j in columns]
    np.testing.assert_array_equal(ensemble.select(np.array(negative)).labels, wanted.labels)


def test_selecting_and_dropping_keep_names_and_order():
    frame = pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 1], "c": [0, 1, 2]}, index=list("xyz"))
    ensemble = Ensemble.from_labels(frame)
    chosen = ensemble.select([2, 0])
    assert chosen.partition_names == ("c", "a")
    assert list(chosen.sample_names) == ["x", "y", "z"]
    assert chosen.labels.tolist() == [[0, 0], [1, 0], [2, 1]]
    assert ensemble.drop([-3, 1]).partition_names == ("c",)
    assert ensemble.drop([]).partition_names == ("a", "b", "c")
    with pytest.raises(ValueError, match="read-only"):
        chosen.labels[0, 0] = 1


@pytest.mark.parametrize("choose", ["select", "drop"])
@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ([3], "There is no partition 3: the ensemble has 3"),
        ([-4], "There is no partition -4"),
        ([1.0], "must be column numbers"),
        (["a"], "must be column numbers"),
        ([True, False, True], "must be column numbers"),
        (np.array([True, False, True]), "must be column numbers"),
        (1, "must be column numbers"),
    ],
)
def test_a_partition_that_is_not_there_is_refused(choose, columns, said):
    with pytest.raises(InvalidInputError, match=said):
        getattr(Ensemble.from_labels(FIVE), choose)(columns)


def test_an_ensemble_without_partitions_is_refused():
    ensemble = Ensemble.from_labels(FIVE)
    with pytest.raises(InvalidInputError, match="at least one partition"):
        ensemble.select([])
    with pytest.raises(InvalidInputError, match="at least one partition"):
        ensemble.drop([0, 1, 2])


# Copies


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))]
)
def test_copies_and_pickles_are_the_same_and_still_read_only(again):
    frame = pd.DataFrame({"a": [0, 0, 1], "b": [0, None, 1]}, index=list("xyz"))
    ensemble = Ensemble.from_labels(frame)
    ensemble.microclusters()
    twin = again(ensemble)
    np.testing.assert_array_equal(twin.labels, ensemble.labels)
    assert twin.partition_names == ("a", "b")
    assert list(twin.sample_names) == ["x", "y", "z"]
    assert twin.n_clusters == ensemble.n_clusters
    assert not twin.labels.flags.writeable
    assert not twin.codes.flags.writeable


def test_an_ensemble_cannot_be_reassigned():
    ensemble = Ensemble.from_labels(FIVE)
    with pytest.raises(AttributeError):
        ensemble.labels = FIVE
