"""Labels of every kind come in as the same integers, or are refused in words."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from fractions import Fraction

import array_api_strict as strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from strategies import any_integers

from consensa import Ensemble
from consensa.ensemble.appearance import number_by_appearance
from consensa.ensemble.labels import read_label_matrix, read_labels
from consensa.exceptions import InvalidInputError

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64", "longdouble"]

# One partition, then a full one, so that a sample may be missing in the first.
WANTED = [0, 1, 0, -1, 2]


def codes_of(column):
    """Codes of a partition, read beside a complete one."""
    return read_label_matrix(_beside(column)).codes[:, 0].tolist()


def _beside(column):
    if isinstance(column, pd.Series):
        return pd.DataFrame({"a": column, "b": 0})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"a": column}).with_columns(b=pl.lit(0))
    if isinstance(column, np.ndarray):
        return np.stack([column, np.zeros_like(column)], axis=1)
    return [[value, 0] for value in column]


def numbered_slowly(values):
    """Number values by first appearance, in the plainest way."""
    seen = []
    for value in values:
        if value not in seen:
            seen.append(value)
    return [seen.index(value) for value in values]


# Numbering


@given(st.lists(any_integers, max_size=30))
def test_numbering_follows_first_appearance_for_any_integers(values):
    assert number_by_appearance(np.array(values, np.int64)).tolist() == numbered_slowly(values)


@given(hnp.arrays(st.sampled_from(INTEGERS), st.integers(0, 300)))
def test_numbering_is_right_in_every_integer_width(values):
    assert number_by_appearance(values).tolist() == numbered_slowly(values.tolist())


def test_numbering_of_narrow_integers_does_not_wrap_around():
    values = np.arange(-100, 100).astype(np.int8)
    assert number_by_appearance(values).tolist() == list(range(200))


def test_numbering_reads_large_spreads_and_small_ones_alike():
    values = np.array([7, 3, 7, 9, 3])
    spread = values * 2**58
    np.testing.assert_array_equal(number_by_appearance(values), number_by_appearance(spread))
    assert number_by_appearance(values).tolist() == [0, 1, 0, 2, 1]


# One partition of a matrix


@pytest.mark.parametrize("dtype", INTEGERS)
def test_every_integer_type_is_read(dtype):
    assert codes_of(np.array([7, 3, 7, 9], dtype)) == [0, 1, 0, 2]


@pytest.mark.parametrize("dtype", [name for name in INTEGERS if name.startswith("i")])
def test_minus_one_is_missing_in_every_signed_type(dtype):
    assert codes_of(np.array([7, 3, 7, -1, 9], dtype)) == WANTED


@pytest.mark.parametrize("dtype", [name for name in INTEGERS if name.startswith("u")])
def test_the_largest_unsigned_number_is_a_label_and_not_minus_one(dtype):
    top = np.iinfo(dtype).max
    assert codes_of(np.array([top, 0, top, top - 1], dtype)) == [0, 1, 0, 2]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("missing", [np.nan, -1.0])
def test_every_floating_type_is_read_if_whole(dtype, missing):
    assert codes_of(np.array([7, 3, 7, missing, 9], dtype)) == WANTED


def test_booleans_are_two_clusters():
    assert codes_of(np.array([True, False, True])) == [0, 1, 0]


@pytest.mark.parametrize(
    "column",
    [
        ["x", "y", "x", None, "z"],
        ["x", "y", "x", float("nan"), "z"],
        ["x", 1, "x", -1, "nan"],
        [7, 3, 7, None, 9],
        [7, 3, 7.0, np.nan, 9],
        [True, 0, 1, None, 2],
        [Decimal(7), Decimal(3), 7, Decimal("NaN"), Fraction(9)],
        [Decimal(7), Decimal(3), 7, Decimal("sNaN"), Fraction(9)],
        [np.int8(7), np.float32(3), 7, np.float32(-1), "7"],
        [b"x", "x", b"x", pd.NA, "z"],
        ["x", "y", "x", pd.NaT, "z"],
        [("a", 1), ("a", 2), ("a", 1), None, ("b", 1)],
        [2**62, 2**62 + 1, 2**62, -1, 2**62 + 2],
        [2**62, 2**62 + 1, 2**62, float("nan"), 2**62 + 2],
        [2**64 + 1, 2**64, 2**64 + 1, -1, 2**64 + 2],
        [2**63, 2**63 + 1, 2**63, -1, 2**63 + 2],
    ],
    ids=repr,
)
def test_mixed_lists_keep_the_types_and_values_of_their_entries(column):
    matrix = np.empty((5, 2), object)
    matrix[:, 0], matrix[:, 1] = pd.Series(column, dtype=object).to_numpy(), 0
    assert read_label_matrix(matrix).codes[:, 0].tolist() == WANTED
    if not isinstance(column[0], tuple):
        assert codes_of(column) == WANTED


@pytest.mark.parametrize("scale", [2.0**61, 2.0**62, 2.0**70])
def test_huge_floats_are_read_with_the_same_rules(scale):
    assert codes_of(np.array([3 * scale, scale, 3 * scale, -1, 2.0])) == WANTED
    assert codes_of(np.array([3 * scale, scale, 3 * scale, np.nan, 2.0])) == WANTED
    with pytest.raises(InvalidInputError, match="must not be negative"):
        codes_of(np.array([scale, -2.0]))


@pytest.mark.parametrize(
    "array",
    [
        np.array(["x", "y", "x", "z"]),
        np.array([b"x", b"y", b"x", b"z"]),
        np.array(["x", "y", "x", "z"], dtype=np.dtypes.StringDType()),
        np.array(["x", "y", "x", "z"], dtype=object),
    ],
    ids=lambda array: str(array.dtype),
)
def test_every_string_type_of_numpy_is_read(array):
    matrix = np.stack([array, array], axis=1)
    assert read_label_matrix(matrix).codes[:, 1].tolist() == [0, 1, 0, 2]


# Before pandas 3, "str" was NumPy's, and turned None into the word "None".
WITH_STR = [pd.array(["x", "y", "x", None, "z"], dtype="str")] if pd.__version__ >= "3" else []


@pytest.mark.parametrize(
    "column",
    [
        pd.array([7, 3, 7, None, 9], dtype="Int64"),
        pd.array([7, 3, 7, None, 9], dtype="UInt8"),
        pd.array([7, 3, 7, -1, 9], dtype="Int8"),
        pd.array([2**64 - 1, 3, 2**64 - 1, None, 9], dtype="UInt64"),
        pd.array([2**62, 3, 2**62, None, 2**62 + 1], dtype="Int64"),
        pd.array([7.0, 3.0, 7.0, None, 9.0], dtype="Float64"),
        np.array([7.0, 3.0, 7.0, np.nan, 9.0]),
        pd.array(["x", "y", "x", None, "z"], dtype="string"),
        *WITH_STR,
        pd.array(["x", "y", "x", None, "z"], dtype=object),
        pd.Categorical(["x", "y", "x", None, "z"], categories=["z", "y", "x", "unused"]),
        pd.Categorical([7, 3, 7, None, 9]),
        pd.Categorical([7, 3, 7, -1, 9]),
        pd.array([7, 3, 7, None, 9], dtype="int64[pyarrow]"),
        pd.array(["x", "y", "x", None, "z"], dtype="string[pyarrow]"),
    ],
    ids=lambda column: str(column.dtype),
)
def test_every_column_type_of_pandas_is_read(column):
    assert codes_of(pd.Series(column)) == WANTED


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([7, 3, 7, None, 9]),
        pl.Series([7, 3, 7, -1, 9], dtype=pl.Int8),
        pl.Series([7, 3, 7, None, 9], dtype=pl.UInt8),
        pl.Series([2**64 - 1, 3, 2**64 - 1, None, 9], dtype=pl.UInt64),
        pl.Series([2**62, 3, 2**62, None, 2**62 + 1]),
        pl.Series([2**100, 3, 2**100, None, 2**100 + 1], dtype=pl.Int128),
        pl.Series([7, 3, 7, -1, 9], dtype=pl.Int128),
        pl.Series([7.0, 3.0, 7.0, None, 9.0]),
        pl.Series([7.0, 3.0, 7.0, float("nan"), 9.0]),
        pl.Series(["x", "y", "x", None, "z"]),
        pl.Series(["x", "y", "x", None, "z"], dtype=pl.Categorical),
        pl.Series(["x", "y", "x", None, "z"], dtype=pl.Enum(["z", "y", "x", "unused"])),
    ],
    ids=lambda column: str(column.dtype),
)
def test_every_column_type_of_polars_is_read(column):
    assert codes_of(column) == WANTED


def test_nullable_booleans_are_read():
    wanted = [0, 1, -1, 0]
    assert codes_of(pd.Series([True, False, None, True], dtype="boolean")) == wanted
    assert codes_of(pl.Series([True, False, None, True])) == wanted


def test_a_frame_gives_the_names_of_partitions_and_samples():
    frame = pd.DataFrame({"a": [0, 1], 7: ["x", "x"]}, index=["s", "t"])
    read = read_label_matrix(frame)
    assert read.partition_names == ("a", "7")
    assert list(read.sample_names) == ["s", "t"]
    assert read_label_matrix(pl.DataFrame({"a": [0, 1]})).sample_names is None


def test_masked_entries_are_missing():
    masked = np.ma.masked_array(
        [[7, 0], [3, 0], [7, 0], [3, 0], [9, 0]], mask=[[0, 0]] * 3 + [[1, 0], [0, 0]]
    )
    assert read_label_matrix(masked).codes[:, 0].tolist() == WANTED


def test_the_old_matrix_class_is_read_as_an_array():
    codes = read_label_matrix(np.array([[5, 1], [2, 1], [-1, 3]]).view(np.matrix)).codes
    assert type(codes) is np.ndarray
    assert codes.tolist() == [[0, 0], [1, 0], [-1, 1]]


# Refusals


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([0, 0, 1], r"Got an array of shape \(3,\); a single partition is one column"),
        (["a", "b"], r"Got an array of shape \(2,\)"),
        (np.zeros((2, 2, 2), int), r"Got an array of shape \(2, 2, 2\)"),
        (pd.Series([0, 1]), r"Got an array of shape \(2,\)"),
        ([], r"Got an array of shape \(0,\)"),
        (5, "object of type int"),
        (None, "object of type NoneType"),
        ("labels.csv", "object of type str"),
        ({"a": [0, 1]}, "object of type dict"),
        (sparse.eye_array(3, format="csr"), "object of type csr_array"),
        (pl.LazyFrame({"a": [0, 1]}), "object of type LazyFrame"),
        ([[0, 1], [0]], "rows of equal length"),
        ([["a", "b"], ["c"]], "rows of equal length"),
        ([[], []], "at least one partition"),
        (pd.DataFrame(index=[0, 1]), "at least one partition"),
        (np.empty((0, 3)), r"at least 2 samples \(rows\). Got 0"),
        ([[0, 1, 2]], r"at least 2 samples \(rows\). Got 1"),
        ([[-1, -1], [0, 0]], "Row 0 is missing in all 2 partitions"),
        ([[0, None], [1, None]], "Partition 1 labels none"),
        (pd.DataFrame({"a": [0, 1], "b": [None, None]}), "Partition 'b' labels none"),
        ([[0], [0.5]], "integers, strings or categories. Row 1 has 0.5"),
        (np.array([[0], [0.5]]), "integers, strings or categories. Row 1 has 0.5"),
        (np.array([[0], [np.inf]]), "Row 1 has inf. If these are features"),
        (np.array([[0], [-np.inf]]), "Row 1 has -inf. If these are features"),
        ([["a"], [float("inf")]], "Row 1 has inf"),
        ([["a"], [np.float32(0.5)]], "Row 1 has 0.5"),
        ([["a"], [Decimal("0.5")]], "Row 1 has 0.5"),
        ([["a"], [Fraction(10**400, 3)]], "Row 1 has 1000000"),
        (pl.DataFrame({"a": [0.5, None]}), "partition 'a' must be integers.* Row 0 has 0.5"),
        (np.array([[0], [-2]]), "not be negative, except -1 for a missing label. Row 1 has -2"),
        (np.array([[0], [-2.0]]), "not be negative, except -1 for a missing label. Row 1 has -2"),
        ([["a"], [-2]], "not be negative, except -1 for a missing label. Row 1 has -2"),
        ([[2**70], [-(2**70)]], "must not be negative"),
        (pl.DataFrame({"a": [0, -2]}), "partition 'a' must not be negative"),
        (np.array([[{}], [0]], dtype=object), "Row 0 has an object of type dict"),
        (pl.DataFrame({"a": [[1], [2]]}), "Row 0 has an object of type list"),
        (np.array([[1j], [0]]), "Got dtype complex128"),
        ([[1j], ["a"]], "Row 0 has an object of type complex"),
        (pd.DataFrame({"a": [1j, 0j]}), "Row 0 has an object of type complex"),
        (np.array([["2026-11-15"]] * 2, "M8[D]"), r"Got dtype datetime64\[D\]"),
        (np.array([[1], [2]], "m8[s]"), r"Got dtype timedelta64\[s\]"),
        (pd.DataFrame({"a": pd.to_datetime(["2026-11-15"] * 2)}), "object of type Timestamp"),
        (pl.DataFrame({"a": [datetime.date(2026, 11, 15)] * 2}), "object of type date"),
        ([[datetime.timedelta(1)], ["a"]], "object of type timedelta"),
        (np.zeros((2, 1), "V4"), r"Got dtype \|V4"),
    ],
    ids=lambda value: re.sub(r"\s+", " ", str(value))[:40],
)
def test_what_cannot_be_a_label_matrix_is_refused_in_words(labels, said):
    with pytest.raises(InvalidInputError, match=said):
        Ensemble.from_labels(labels)


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([[0, 1], [1, 1]], columns=["a", "a"])
    with pytest.raises(InvalidInputError, match="distinct column names"):
        Ensemble.from_labels(frame)


# One partition of complete labels


@pytest.mark.parametrize(
    "labels",
    [
        [7, -1, 7, -5],
        (7, -1, 7, -5),
        np.array([7, -1, 7, -5], np.int8),
        np.array([7.5, -1, 7.5, -5]),
        [7.0, -1.0, 7.0, -5.0],
        ["x", -1, "x", -5],
        [2**70, -1, 2**70, 0.5],
        [1j, 2j, 1j, 3j],
        np.array(["2026-11-15", "2026-11-16", "2026-11-15", "2026-11-17"], "M8[D]"),
        pd.Series(["x", "y", "x", "z"], dtype="category"),
        pd.Series([7, -1, 7, -5], dtype="Int64"),
        pd.Series([7, -1, 7, -5], index=[3, 2, 1, 0]),
        pd.to_datetime(pd.Series(["2026-11-15", "2026-11-16", "2026-11-15", "2026-11-17"])),
        pl.Series(["x", "y", "x", "z"], dtype=pl.Categorical),
        pl.Series([7, -1, 7, -5], dtype=pl.Int128),
        strict.asarray([7, -1, 7, -5]),
    ],
    ids=lambda labels: f"{type(labels).__name__}-{getattr(labels, 'dtype', '')}",
)
def test_one_partition_may_be_of_any_type_and_minus_one_is_a_label(labels):
    assert read_labels(labels, "y_true").tolist() == [0, 1, 0, 2]


def test_one_partition_of_booleans_is_read():
    assert read_labels([True, False, True], "y_true").tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([0.0, np.nan], "y_true must label every sample. Sample 1 has nan"),
        (["a", None], "y_true must label every sample. Sample 1 has None"),
        (pd.Series([0, None], dtype="Int64"), "y_true must label every sample. Sample 1 has"),
        (pl.Series([0, None]), "y_true must label every sample. Sample 1 has"),
        (np.array(["2026-11-15", "NaT"], "M8[D]"), "y_true must label every sample. Sample 1"),
        (
            [[0], [1]],
            r"y_true must have one label for each sample. Got an array of shape \(2, 1\)",
        ),
        (3, "y_true must have one label for each sample. Got an object of type int"),
        ([[0, 1], [0]], "y_true must have rows of equal length"),
        (np.array([{}, {}], dtype=object), "labels of y_true must be .* object of type dict"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_incomplete_partition_is_refused_in_words(labels, said):
    with pytest.raises(InvalidInputError, match=said):
        read_labels(labels, "y_true")
