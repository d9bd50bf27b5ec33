"""Arrays of other libraries: recognized, moved to the host and back."""

from __future__ import annotations

import array_api_strict as strict
import numpy as np
import pytest
from scipy import sparse

from consensa._array import as_array, device, is_array, is_numpy, namespace, to_library, to_numpy
from consensa._optional import require
from consensa.exceptions import InvalidInputError, MissingExtraError
from consensa.features.matrix import read_matrix

STRICT = type(strict.asarray(0))


def test_arrays_are_told_from_everything_else():
    assert is_array(np.zeros(2))
    assert is_array(strict.zeros(2))
    for value in ([0, 1], (0, 1), "01", None, 1):
        assert not is_array(value)


def test_the_namespace_is_that_of_the_array():
    assert is_numpy(namespace(np.zeros(2)))
    assert not is_numpy(namespace(strict.zeros(2)))
    assert namespace(strict.zeros(2)) is strict


def test_what_is_not_an_array_becomes_numpy():
    assert isinstance(as_array([0, 1]), np.ndarray)
    array = strict.zeros(2)
    assert as_array(array) is array


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "bool"])
def test_to_the_host_and_back_nothing_changes(dtype):
    array = strict.asarray([[0, 1], [1, 0]], dtype=getattr(strict, dtype))
    host = to_numpy(array)
    assert type(host) is np.ndarray
    assert host.dtype == np.dtype(dtype)
    back = to_library(host, like=array)
    assert isinstance(back, STRICT)
    assert back.dtype == array.dtype
    assert device(back) == device(array)
    assert bool(strict.all(back == array))


def test_numpy_is_not_copied():
    array = np.zeros(2)
    assert to_numpy(array) is array
    assert to_library(array, like=np.ones(3)) is array


def test_a_missing_library_names_the_extra_that_brings_it():
    with pytest.raises(MissingExtraError, match=r"^Plots needs nolib, .* 'consensa\[plot\]'$"):
        require("nolib.pyplot", extra="plot", purpose="Plots")
    assert require("math", extra="plot", purpose="Plots").pi > 3


# The door for features


def test_features_become_floating_numpy():
    X = read_matrix([[0, 1], [2, 3]])
    assert isinstance(X, np.ndarray)
    assert X.dtype == np.float64
    assert read_matrix(np.zeros((2, 2), np.float32)).dtype == np.float32


def test_features_of_another_library_stay_there():
    for dtype in (strict.float32, strict.float64, strict.int64, strict.bool):
        X = read_matrix(strict.ones((3, 2), dtype=dtype))
        assert isinstance(X, STRICT)
        assert strict.isdtype(X.dtype, "real floating")


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[0.0, np.nan], [1, 2]], "Column 1 has NaN in row 0"),
        ([[0.0, np.inf], [1, 2]], "Column 1 has infinity in row 0"),
        ([[0.0, 1.0]], "minimum of 2 is required"),
        ([0.0, 1.0], "Expected 2D array"),
        (np.zeros((2, 0)), "0 feature"),
        ([["a", "b"], ["c", "d"]], r"Column 0 has 'a' in row 0 .* pandas.DataFrame\(X\)"),
        ([[1, "b"], [2, "d"]], "Column 1 has 'b' in row 0 .* the first of 2 such entries"),
        (np.array([[1, "b"], [None, 2]], dtype=object), "Column 1 has 'b' in row 0"),
        (np.array([["2020-01-01"]] * 2, dtype="datetime64"), "Got datetime64.*days since a first"),
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
        read_matrix(X)


def test_sparse_features_are_refused_and_told_what_to_do():
    with pytest.raises(TypeError, match=r"[Ss]parse data was passed.*toarray"):
        read_matrix(sparse.eye_array(3, format="csr"))
