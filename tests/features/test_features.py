"""The one door for X: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import array_api_strict as strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from consensa.exceptions import InvalidInputError
from consensa.features import Features, read_features

STRICT = type(strict.asarray(0))


def test_features_become_floating_numpy():
    X = read_features([[0, 1], [2, 3]]).array
    assert isinstance(X, np.ndarray)
    assert X.dtype == np.float64
    assert read_features(np.zeros((2, 2), np.float32)).array.dtype == np.float32


def test_features_of_another_library_stay_there():
    for dtype in (strict.float32, strict.float64, strict.int64, strict.bool):
        X = read_features(strict.ones((3, 2), dtype=dtype)).array
        assert isinstance(X, STRICT)
        assert strict.isdtype(X.dtype, "real floating")


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[0.0, np.nan], [1, 2]], "Column 1 has NaN in row 0"),
        ([[0.0, np.inf], [1, 2]], "Column 1 has infinity in row 0"),
        ([[0.0, 1.0]], "minimum of 2 is required"),
        ([0.0, 1.0], r"Expected 2D array, got 1D array of 2 entries. Reshape your data with"),
        ("iris.csv", r"Got the text 'iris.csv'. Read a file with consensa.tables.read_frame"),
        (Path("iris.csv"), r"Read a file with consensa.tables.read_frame"),
        ({"a": [0.0, 1.0], "b": [1.0, 0.0]}, "or a frame. Got an object of type dict"),
        (pl.LazyFrame({"a": [0.0, 1.0]}), "or a frame. Got an object of type LazyFrame"),
        (np.zeros((2, 0)), "0 feature"),
        ([["a", "b"], ["c", "d"]], r"Column 0 has 'a' in row 0 .* pandas.DataFrame\(X\)"),
        ([[1, "b"], [2, "d"]], "Column 1 has 'b' in row 0 .* the first of 2 such entries"),
        (np.array([[1, "b"], [None, 2]], dtype=object), "Column 1 has 'b' in row 0"),
        (
            np.array([["2020-01-01"]] * 2, dtype="datetime64"),
            "Got datetime64.*days since the first date",
        ),
        (np.array([[1j], [0]]), "Complex data not supported"),
        ([[1.0, 2.0], [3.0]], "inhomogeneous shape"),
        (strict.asarray([[0.0, strict.nan], [1, 2]]), "X must be finite"),
        (strict.asarray([[0.0, 1.0]]), r"at least 2 samples .* shape \(1, 2\)"),
        (strict.asarray([0.0, 1.0]), r"X must be a matrix .* shape \(2,\)"),
        (strict.zeros((2, 0)), r"1 feature \(column\)"),
        (strict.asarray([[1j], [0]]), "Complex data not supported"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_features_that_cannot_be_used_are_refused_in_words(X, said):
    with pytest.raises(InvalidInputError, match=said):
        read_features(X)


def test_sparse_features_are_refused_and_told_what_to_do():
    with pytest.raises(TypeError, match=r"[Ss]parse data was passed.*toarray"):
        read_features(sparse.eye_array(3, format="csr"), accept_sparse=False)


def test_the_names_of_samples_and_columns_are_kept():
    frame = pd.DataFrame({"x": [0.0, 1.0], "y": [2.0, 3.0]}, index=["a", "b"])
    features = read_features(frame)
    assert list(features.sample_names) == ["a", "b"]
    assert features.column_names == ("x", "y")
    assert features.n_samples == features.n_columns == 2
    columns = read_features(pl.from_pandas(frame))
    assert columns.sample_names is None
    assert columns.column_names == ("x", "y")
    assert read_features(frame.to_numpy()).column_names is None


def test_a_text_column_is_one_column_of_several_features():
    features = read_features(pd.DataFrame({"x": [0.0, 1.0, 2.0], "t": ["u", "v", "u"]}))
    assert features.array.shape == (3, 3)
    assert features.n_columns == 2


def test_what_was_read_is_not_read_again():
    features = read_features(np.eye(3))
    assert read_features(features) is features
    with pytest.raises(TypeError, match="toarray"):
        read_features(read_features(sparse.eye_array(3, format="csr")), accept_sparse=False)


@pytest.mark.parametrize("library", [np.asarray, strict.asarray, sparse.csr_array])
def test_some_of_the_samples_are_taken_in_the_same_library(library):
    X = np.arange(8.0).reshape(4, 2)
    names = pd.Index(list("abcd"))
    taken = Features(library(X), names, is_scaled=True).take(np.array([3, 1]))
    assert type(taken.array) is type(library(X))
    points = taken.points.toarray() if sparse.issparse(taken.points) else taken.points
    assert_array_equal(points, X[[3, 1]])
    assert list(taken.sample_names) == ["d", "b"]
    assert taken.is_scaled


@pytest.mark.parametrize("dtype", [float, np.float32, int, object])
def test_masked_entries_are_missing_values(dtype):
    masked = np.ma.masked_array([[1, 2], [3, 4]], [[0, 1], [0, 0]], dtype=dtype)
    for X in (masked, list(masked)):
        with pytest.raises(InvalidInputError, match="Column 1 has NaN in row 0"):
            read_features(X)
    masked.mask = False
    np.testing.assert_array_equal(read_features(masked).array, [[1, 2], [3, 4]])


def _outside(format):
    """A sparse matrix one of whose indices leads outside."""
    matrix = sparse.coo_array(np.tri(6, 5)).asformat(format)
    if format == "coo":
        matrix.coords[0][0] = 99
    elif format == "lil":
        matrix.rows[0], matrix.data[0] = [99], [1.0]
    elif format == "dia":
        matrix.offsets = matrix.offsets[:1]
    else:
        matrix.indices[0] = 99
    return matrix


@pytest.mark.parametrize("format", ["csr", "csc", "bsr", "coo", "lil", "dia"])
def test_a_sparse_matrix_with_an_index_outside_is_refused(format):
    with pytest.raises(InvalidInputError, match="X must be a valid sparse matrix"):
        read_features(_outside(format))


def test_a_sparse_matrix_with_rows_out_of_order_is_refused():
    matrix = sparse.csr_array(np.tri(6, 5))
    matrix.indptr[2] = matrix.indptr[3] + 3
    with pytest.raises(InvalidInputError, match=r"a valid sparse matrix: .* Create it again"):
        read_features(matrix)


def test_a_number_that_no_float_holds_is_refused():
    with pytest.raises(InvalidInputError, match="X must contain finite numbers"):
        read_features([[10**400, 1], [1, 2]])
