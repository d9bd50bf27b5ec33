"""What the methods return."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from consensa import ConsensusResult, Ensemble, SolverTrace
from consensa.exceptions import InvalidInputError, InvalidParameterError, MissingExtraError
from consensa.partition import linkage_tree

LABELS = np.array([0, 0, 1])


def result_of(matrix, **kwargs):
    return ConsensusResult(LABELS, Ensemble.from_labels(matrix), **kwargs)


def test_a_result_counts_its_clusters():
    result = result_of([[0], [0], [1]])
    assert result.n_clusters == 2
    assert result.affinity is result.tree is result.trace is result.linkage_matrix is None
    assert dict(result.details) == {}


def test_a_result_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        result_of([[0], [0], [1]]).labels = LABELS


def test_a_tree_is_cut_again_without_fitting():
    tree = linkage_tree([[1, 0.9, 0], [0.9, 1, 0.1], [0, 0.1, 1]])
    result = result_of([[0], [0], [1]], tree=tree)
    assert result.linkage_matrix is tree.merges
    assert [result.cut(k).tolist() for k in (1, 2, 3)] == [[0, 0, 0], [0, 0, 1], [0, 1, 2]]
    with pytest.raises(InvalidParameterError, match="at most 3"):
        result.cut(4)


def test_a_result_without_a_tree_cannot_be_cut():
    with pytest.raises(InvalidInputError, match="has no tree to cut"):
        result_of([[0], [0], [1]]).cut(2)


@pytest.mark.parametrize(
    "index",
    [
        pd.Index(["x", "y", "z"], name="sample"),
        pd.Index([30, 10, 20]),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
        pd.date_range("2026-11-15", periods=3),
    ],
    ids=lambda index: type(index).__name__,
)
def test_a_series_carries_the_index_of_the_frame(index):
    series = result_of(pd.DataFrame({"a": [0, 0, 1]}, index=index)).to_series()
    pd.testing.assert_series_equal(series, pd.Series(LABELS, index=index, name="cluster"))


def test_a_series_of_samples_without_names_counts_them():
    for matrix in ([[0], [0], [1]], pl.DataFrame({"a": [0, 0, 1]})):
        assert list(result_of(matrix).to_series().index) == [0, 1, 2]


def test_a_series_carries_the_names_of_a_loaded_ensemble(tmp_path):
    frame = pd.DataFrame({"a": [0, 0, 1]}, index=["x", "y", "z"])
    Ensemble.from_labels(frame).save(tmp_path / "ensemble.npz")
    result = ConsensusResult(LABELS, Ensemble.load(tmp_path / "ensemble.npz"))
    assert list(result.to_series().index) == ["x", "y", "z"]


def test_changing_the_series_does_not_change_the_result():
    result = ConsensusResult(LABELS.copy(), Ensemble.from_labels([[0], [0], [1]]))
    series = result.to_series()
    series.iloc[0] = 7
    assert result.labels.tolist() == [0, 0, 1]


def test_without_pandas_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"to_series needs pandas.*consensa\[cli\]"):
        ConsensusResult(LABELS, Ensemble(LABELS[:, None])).to_series()


def test_a_trace_counts_its_iterations():
    steps = np.ones(4)
    trace = SolverTrace(steps, np.ones((4, 3)), steps, steps, steps, converged=True)
    assert trace.n_iter == 4
