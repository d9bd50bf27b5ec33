"""One call for people who do not want to choose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn import datasets
from sklearn.datasets import load_digits, make_blobs

import consensa as cs
from conftest import outside
from consensa._defaults import DEFAULT_METHOD
from consensa.consensus.catalogue import find_methods
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.metrics import adjusted_rand_index

X, TRUTH = make_blobs(120, centers=4, n_features=3, cluster_std=0.5, random_state=0)


def test_cluster_finds_separate_clusters():
    result = cs.cluster(X, 4, random_state=0)
    assert isinstance(result, cs.ConsensusResult)
    assert adjusted_rand_index(TRUTH, result.labels) == 1
    assert result.ensemble.n_partitions == 48


def test_it_is_the_default_method_on_partitions_of_diverse_kinds():
    ensemble = cs.DiverseKinds().generate(X, n_clusters=5, random_state=3)
    estimator = find_methods()[DEFAULT_METHOD]
    wanted = estimator(5, generator=cs.DiverseKinds(), random_state=3).fit(X)
    result = cs.cluster(X, 5, random_state=3)
    assert_array_equal(result.ensemble.labels, ensemble.labels)
    assert_array_equal(result.labels, wanted.labels_)


def test_a_generator_of_ones_own_is_used():
    result = cs.cluster(X, 4, generator=cs.RandomKMeans(7, n_clusters=4), random_state=0)
    assert result.ensemble.n_partitions == 7


def test_combine_is_cluster_with_labels(planted):
    labels, truth = planted
    result = cs.combine(labels, 3)
    assert adjusted_rand_index(truth, result.labels) > 0.9
    for same in (
        cs.cluster(labels, 3, generator="precomputed"),
        cs.cluster(cs.Ensemble.from_labels(labels), 3),
        cs.combine(pd.DataFrame(labels).astype(str), 3),
    ):
        assert_array_equal(same.labels, result.labels)


def test_shuffling_the_samples_shuffles_the_answer():
    digits = load_digits().data[:400]
    order = np.random.RandomState(0).permutation(400)
    given = cs.cluster(digits, 10, random_state=0).labels
    shuffled = cs.cluster(digits[order], 10, random_state=0).labels
    assert adjusted_rand_index(given[order], shuffled) == 1


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_so_it_does_on_small_tables(name):
    same_partition_in_other_orders(getattr(datasets, f"load_{name}")().data, 3)


@pytest.mark.parametrize("name", ["fcps_hepta", "graves_dense", "other_iris5"])
def test_so_it_does_on_shapes(name):
    with np.load(outside("CONSENSA_DATA", f"shapes/{name}.npz")) as file:
        same_partition_in_other_orders(file["X"], len(np.unique(file["labels"][:, 0])))


def same_partition_in_other_orders(X, n_clusters):
    given = cs.cluster(X, n_clusters, random_state=0).labels
    for order in (np.arange(len(X))[::-1], np.random.RandomState(0).permutation(len(X))):
        shuffled = cs.cluster(X[order], n_clusters, random_state=0).labels
        assert adjusted_rand_index(given[order], shuffled) == 1


def test_labels_carry_the_index_of_a_frame():
    names = [f"s{i}" for i in range(120)]
    series = cs.cluster(pd.DataFrame(X, index=names), 4, random_state=0).to_series()
    assert list(series.index) == names
    assert_array_equal(series.to_numpy(), cs.cluster(X, 4, random_state=0).labels)


def test_sparse_and_mixed_features_are_taken():
    thin = sparse.csr_array(np.where(np.abs(X) < 0.5, 0, X))
    assert adjusted_rand_index(TRUTH, cs.cluster(thin, 4, random_state=0).labels) > 0.9
    frame = pd.DataFrame(X).assign(word=np.array(list("abcd"))[TRUTH])
    assert adjusted_rand_index(TRUTH, cs.cluster(frame, 4, random_state=0).labels) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n_clusters": 0}, "'n_clusters' parameter of cluster must be an integer"),
        ({"n_clusters": 2, "generator": "precomputd"}, "Did you mean 'precomputed'"),
        ({"n_clusters": 2, "random_state": -1}, "'random_state' parameter of cluster"),
        ({"n_clusters": 121}, "at most the number of samples, 120. Got 121"),
    ],
)
def test_bad_arguments_are_refused(arguments, said):
    with pytest.raises(InvalidParameterError, match=said):
        cs.cluster(X, **arguments)


def test_bad_features_are_refused():
    with pytest.raises(InvalidInputError, match="NaN"):
        cs.cluster([[1.0], [np.nan]], 2)


@pytest.mark.parametrize("verbose", [False, True])
def test_progress_is_printed_only_when_asked_for(capsys, verbose):
    cs.cluster(X[:, :2], 2, generator=cs.RandomKMeans(3), random_state=0, verbose=verbose)
    cs.select_n_clusters(
        X, [2, 3], generator=cs.RandomKMeans(3), n_references=0, random_state=0, verbose=verbose
    )
    printed = capsys.readouterr()
    assert printed.out == ""
    assert ("base partitions: 3/3" in printed.err) is verbose
    assert ("numbers of clusters: " in printed.err) is verbose


def test_progress_of_an_estimator_is_shown_inside_the_context(capsys):
    with cs.show_progress():
        cs.EAC(2, generator=cs.RandomKMeans(3), random_state=0).fit(X[:, :2])
    cs.EAC(2, generator=cs.RandomKMeans(4), random_state=0).fit(X[:, :2])
    printed = capsys.readouterr().err
    assert "base partitions: 3/3" in printed
    assert "4/4" not in printed


def test_parameters_of_the_default_generator_can_be_set():
    model = cs.EAC(2).set_params(generator__n_partitions=5, n_clusters=3)
    assert (model.generator.n_partitions, model.n_clusters) == (5, 3)
    own = cs.RandomKMeans(7)
    assert cs.EAC(2, generator=own).set_params(generator__n_init=2).generator is own
    with pytest.raises(ValueError, match="Invalid parameter 'n_party'"):
        cs.EAC(2).set_params(generator__n_party=5)


def _with_gaps(kind):
    """Blobs with three missing values in two rows, and the same filled by hand."""
    gaps, filled = X.copy(), X.copy()
    for row, column in ((3, 0), (3, 2), (50, 1)):
        gaps[row, column] = np.nan
    for column in range(3):
        rows = np.isnan(gaps[:, column])
        filled[rows, column] = np.median(gaps[~rows, column])
    names = ["a", "b", "c"]
    texts = np.array(["u", "v", "w", "v"], dtype=object)[TRUTH]
    if kind == "array":
        return gaps, filled
    if kind == "polars":
        return pl.DataFrame(gaps, schema=names), pl.DataFrame(filled, schema=names)
    holes = texts.copy()
    holes[50], texts[50] = None, "v"
    index = [f"s{i}" for i in range(len(X))]
    return tuple(
        pd.DataFrame(values, columns=names, index=index).assign(text=words)
        for values, words in ((gaps, holes), (filled, texts))
    )


@pytest.mark.parametrize("kind", ["array", "pandas", "polars"])
def test_missing_values_are_an_error_filled_or_left_out_as_asked(kind):
    gaps, filled = _with_gaps(kind)
    options = {"generator": cs.DiverseKinds(8), "random_state": 0}
    with pytest.raises(InvalidInputError):
        cs.cluster(gaps, 4, **options)
    imputed = cs.cluster(gaps, 4, missing="impute", **options)
    assert_array_equal(imputed.labels, cs.cluster(filled, 4, **options).labels)
    n_gaps = 4 if kind == "pandas" else 3
    assert imputed.details["missing values"].startswith(f"{n_gaps} filled")
    assert f"{n_gaps} filled" in repr(imputed)
    left = np.setdiff1d(np.arange(len(X)), [3, 50])
    dropped = cs.cluster(gaps, 4, missing="drop", **options)
    kept = filled.iloc[left] if kind == "pandas" else filled[left]
    assert_array_equal(dropped.labels, cs.cluster(kept, 4, **options).labels)
    names = {"pandas": [f"s{i}" for i in left], "array": list(left), "polars": list(left)}[kind]
    assert list(dropped.ensemble.sample_names) == names


@pytest.mark.parametrize("missing", ["error", "impute", "drop"])
def test_complete_features_are_read_as_they_are(missing):
    options = {"generator": cs.RandomKMeans(5), "random_state": 0}
    result = cs.cluster(sparse.csr_array(X), 4, missing=missing, **options)
    assert_array_equal(result.labels, cs.cluster(sparse.csr_array(X), 4, **options).labels)
    assert "missing values" not in result.details


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (X, {"missing": "fill"}, "missing"),
        ([[0, 1], [1, 0], [1, 1]], {"missing": "impute", "generator": "precomputed"}, "labels"),
        (np.zeros((3, 3)), {"missing": "drop", "metric": "precomputed"}, "distances"),
    ],
    ids=["unknown", "labels", "distances"],
)
def test_what_cannot_be_filled_is_refused(given, options, said):
    with pytest.raises(InvalidParameterError, match=said):
        cs.cluster(given, 2, **options)


def test_a_column_without_any_value_cannot_be_filled():
    with pytest.raises(InvalidInputError, match="column 'b' has no value"):
        cs.cluster(pd.DataFrame({"a": [0.0, 1, 5], "b": [np.nan] * 3}), 2, missing="impute")
    with pytest.raises(InvalidInputError, match="leaves 0 of 3 rows"):
        cs.cluster(pd.DataFrame({"a": [0.0, 1, 5], "b": [np.nan] * 3}), 2, missing="drop")
