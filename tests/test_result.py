"""What the methods return."""

from __future__ import annotations

import dataclasses
import pickle
import re
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import consensa as cs
from consensa import ConsensusResult, Ensemble, RandomKMeans, SolverTrace
from consensa.exceptions import (
    ConvergenceWarning,
    FewerClustersWarning,
    InvalidInputError,
    InvalidParameterError,
    MissingExtraError,
)
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
    with pytest.raises(InvalidInputError, match="has no tree"):
        result_of([[0], [0], [1]]).cut(2)


def printed(labels, n_clusters=2, **options):
    return str(cs.eac(Ensemble.from_labels(labels), n_clusters, **options)).splitlines()


def test_a_result_is_printed_as_a_few_lines():
    assert printed([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]]) == [
        "EAC: 2 clusters of 4 samples",
        "Sizes: 2, 2",
        "Mean confidence: 0.83",
        "From 3 base partitions",
    ]


def test_one_cluster_of_one_partition_is_printed_in_the_singular():
    assert printed([[0]] * 5, 1) == [
        "EAC: 1 cluster of 5 samples",
        "Sizes: 5",
        "Mean confidence: 1.00",
        "From 1 base partition",
    ]


def test_of_many_clusters_the_largest_sizes_are_printed():
    labels = np.repeat(np.arange(30), np.arange(1, 31))[:, None]
    assert printed(labels, 30)[1] == (
        "Sizes: 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19 and 18 smaller"
    )


def test_warnings_are_printed_on_lines_that_fit_a_screen():
    with pytest.warns(FewerClustersWarning):
        lines = printed([[0, 0], [0, 0], [1, 1]], 3)
    assert lines[4].startswith("Warning: eac returns 2 clusters instead of 3:")
    assert max(map(len, lines)) <= 88


def test_a_result_made_by_hand_is_printed_too():
    lines = repr(result_of([[0], [0], [1]])).splitlines()
    assert lines == ["Consensus: 2 clusters of 3 samples", "Sizes: 2, 1", "From 1 base partition"]


def test_the_generator_of_the_base_partitions_is_printed():
    model = cs.EAC(2, generator=RandomKMeans(4), random_state=0).fit(np.arange(12.0)[:, None])
    assert "From 4 base partitions by RandomKMeans" in repr(model.result_)


@pytest.mark.parametrize("action", ["ignore", "default", "once"])
def test_a_result_keeps_its_warnings_whatever_the_filters_do(action):
    ensemble = Ensemble.from_labels([[0, 0], [0, 0], [1, 1]])
    with warnings.catch_warnings(record=True):
        warnings.simplefilter(action)
        kept = [cs.eac(ensemble, 3).warnings for _ in range(2)]
    for said in kept:
        assert [type(warning) for warning in said] == [FewerClustersWarning]
        assert "clusters instead of 3" in str(said[0])


def test_warnings_are_still_raised_where_the_filters_say_so():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FewerClustersWarning):
            cs.eac(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 3)


@pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")
def test_a_result_keeps_its_own_warnings_only_and_each_once():
    labels = np.random.RandomState(0).randint(6, size=(60, 8))
    ensemble = Ensemble.from_labels(labels)
    with ThreadPoolExecutor(4) as pool:
        asked = [(6, 1), (6, 300)] * 4
        results = list(
            pool.map(lambda a: cs.sec(ensemble, a[0], max_iter=a[1], random_state=0), asked)
        )
    for (_, max_iter), result in zip(asked, results, strict=True):
        kinds = [type(warning) for warning in result.warnings]
        assert kinds == ([ConvergenceWarning] if max_iter == 1 else [])


def text_frame(n):
    rng = np.random.RandomState(0)
    size = np.where(np.arange(n) % 2, 9.0, 0.0) + rng.normal(size=n)
    return pd.DataFrame({"size": size, "color": np.where(np.arange(n) % 2, "red", "blue")})


@pytest.mark.parametrize(
    "data",
    [
        text_frame(24)[["size"]].to_numpy(),
        text_frame(24)[["size"]],
        text_frame(24),
        sparse.csr_array(text_frame(24)[["size"]].to_numpy()),
    ],
    ids=["array", "frame", "text columns", "sparse"],
)
def test_a_result_predicts_what_its_estimator_predicts(data):
    model = cs.EAC(2, generator=RandomKMeans(5), random_state=0).fit(data)
    new = data[:7]
    assert_array_equal(model.result_.predict(new), model.predict(new))
    copy = pickle.loads(pickle.dumps(model.result_))
    assert_array_equal(copy.predict(new), model.labels_[:7])


def test_a_result_of_one_call_predicts():
    X = text_frame(24)[["size"]].to_numpy()
    result = cs.cluster(X, 2, random_state=0)
    assert_array_equal(result.predict(X), result.labels)


def test_a_result_of_labels_predicts_from_labels():
    result = cs.combine([["a", 1], ["a", 1], ["b", 2]], 2)
    assert_array_equal(result.predict([["b", 2], ["a", None]]), [1, 0])
    assert_array_equal(result.predict_labels([["b", 2]]), [1])


def test_a_result_refuses_other_columns_in_the_name_of_its_estimator():
    model = cs.EAC(2, generator=RandomKMeans(5), random_state=0)
    with pytest.raises(InvalidInputError, match="X has 2 features, but EAC is expecting 1"):
        model.fit(text_frame(24)[["size"]].to_numpy()).result_.predict([[0.0, 1.0]])
    with pytest.raises(InvalidInputError, match="must have the columns"):
        model.fit(text_frame(24)).result_.predict(text_frame(3)[["size"]])


def test_a_result_whose_partitions_keep_no_models_cannot_predict():
    class LabelsOnly:
        def generate(self, X, *, random_state=None):
            return Ensemble((X[:, :1] > 5).astype(int))

    model = cs.EAC(2, generator=LabelsOnly()).fit(text_frame(24)[["size"]].to_numpy())
    with pytest.raises(InvalidInputError, match="those of LabelsOnly have none"):
        model.result_.predict([[0.0]])


def test_a_result_keeps_the_generator_as_it_was():
    generator = RandomKMeans(5)
    model = cs.EAC(2, generator=generator, random_state=3).fit(np.arange(12.0)[:, None])
    generator.set_params(n_partitions=9)
    assert model.result_.generator.n_partitions == 5
    assert model.result_.parameters["random_state"] == 3
    given = model.fit(model.ensemble_).result_
    assert given.generator is None
    assert given.parameters["generator"] == "precomputed"


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


def test_a_notebook_shows_sizes_and_confidence_of_each_cluster():
    result = cs.combine([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]], 2)
    page = result._repr_html_()
    assert "<strong>TEA: 2 clusters of 5 samples</strong>" in page
    cells = re.findall(r"<tr><th>(\d)</th><td>.*?</span>(\d)</td><td>(.*?)</td></tr>", page)
    means = [result.confidence[result.labels == c].mean() for c in range(2)]
    assert cells == [("0", "2", f"{means[0]:.2f}"), ("1", "3", f"{means[1]:.2f}")]


def test_html_of_a_result_escapes_text_and_is_short_for_many_clusters():
    labels = np.arange(100)
    result = cs.combine(np.c_[labels, labels], 100)
    warned = dataclasses.replace(result, warnings=(UserWarning("<script>alert(1)</script>"),))
    page = warned._repr_html_()
    assert "<script>" not in page
    assert page.count("<tr>") == 31
    assert "and 70 smaller clusters" in page
