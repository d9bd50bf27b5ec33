"""Read labels of any kind into integers: numbered by first appearance, -1 for missing."""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Collection, Hashable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from consensa._array import Array, is_array, to_numpy
from consensa.exceptions import InvalidInputError

__all__ = [
    "MISSING",
    "LabelMatrix",
    "as_objects",
    "first_places",
    "label_objects",
    "number_by_appearance",
    "read_label_matrix",
    "read_labels",
    "translate_codes",
    "whole_labels",
]

MISSING = -1
_NEVER_LABELS = (
    numbers.Complex,  # the real ones are looked at before
    datetime.date,
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
)


class LabelMatrix(NamedTuple):
    """Codes of shape (n_samples, n_partitions), what they were read from, a frame's names."""

    codes: Array
    label_names: tuple[Array, ...]  # of each partition, the label that became code 0, 1, …
    partition_names: tuple[str, ...] | None = None
    sample_names: Any = None


def read_label_matrix(labels: Any) -> LabelMatrix:
    """Read a list of rows, an array of any library or a frame; rows are samples."""
    try:
        frame = nw.from_native(labels, eager_only=True, pass_through=True)
    except ValueError as error:  # two columns of one name
        message = f"labels must be a frame whose columns have different names. {error}"
        raise InvalidInputError(message) from error
    if isinstance(frame, nw.DataFrame):
        return _read_frame(frame)
    matrix = _as_matrix(labels)
    columns = [_read_column(matrix[:, j], f"partition {j}") for j in range(matrix.shape[1])]
    pairs = zip(matrix.T, columns, strict=True)
    names = tuple(values[_first_rows(codes)] for values, codes in pairs)
    return LabelMatrix(_stack(columns, n_samples=matrix.shape[0]), names)


def read_labels(labels: Any, name: str) -> Array:
    """Read one partition of complete labels, of any type; -1 is a label like the others."""
    series = nw.from_native(labels, series_only=True, pass_through=True)
    values = series.to_numpy() if isinstance(series, nw.Series) else _to_host(labels, name)
    if values.ndim != 1:
        message = f"{name} must hold one label for each sample. Got {_came(labels, values)}."
        raise InvalidInputError(message)
    if values.dtype.kind in "OUST":
        codes = _number_objects(values.tolist(), name)
    else:
        codes = _number_present(values, missing=values != values)  # NaN and NaT
    if (codes == MISSING).any():
        row = int(np.argmax(codes == MISSING))
        message = f"{name} must label every sample. Sample {row} has {values[row]!r}."
        raise InvalidInputError(message)
    return codes


def number_by_appearance(values: Array) -> Array:
    """Number the distinct values 0, 1, … in the order in which they first appear."""
    if values.size == 0:
        return np.empty(0, np.int32)
    if values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low <= 4 * values.size + 64:
            wide = values.astype(np.int64, copy=False) if values.dtype.kind == "i" else values
            return _number_in_range((wide - low).astype(np.intp, copy=False), high - low + 1)
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return _rank(first)[inverse]


def _number_in_range(values: Array, size: int) -> Array:
    """Number integers in [0, size) by a table of first places: no sort of the samples."""
    return _rank(first_places(values, size))[values]


def first_places(values: Array, size: int) -> Array:
    """First place of each integer in [0, size); the number of places where it does not occur."""
    n = len(values)
    first = np.full(size, n)
    first[values[::-1]] = np.arange(n - 1, -1, -1)  # the last write is the first place
    return first


def _rank(first: Array) -> Array:
    """Position of each entry of `first` in increasing order."""
    rank = np.empty(first.size, np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size, dtype=np.int32)
    return rank


def _read_frame(frame: nw.DataFrame[Any]) -> LabelMatrix:
    names = tuple(str(name) for name in frame.columns)
    columns = [
        _read_series(frame.get_column(column), f"partition {name!r}")
        for column, name in zip(frame.columns, names, strict=True)
    ]
    firsts = [_first_rows(codes) for codes in columns]
    label_names = tuple(
        as_objects(frame.get_column(column)[rows.tolist()].to_list())
        for column, rows in zip(frame.columns, firsts, strict=True)
    )
    codes = _stack(columns, n_samples=frame.shape[0])
    return LabelMatrix(codes, label_names, names, nw.maybe_get_index(frame))


def as_objects(values: Collection[Any]) -> Array:
    """An array of Python objects; sequences among them stay what they are."""
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array


def _first_rows(codes: Array) -> Array:
    """Row in which each code first appears; codes are numbered in that order."""
    highest = np.maximum.accumulate(codes)
    return np.flatnonzero(np.diff(highest, prepend=MISSING) > 0)


def translate_codes(read: LabelMatrix, known: Sequence[Array]) -> tuple[Array, int]:
    """Codes of a label matrix in the numbers of another one; how many labels that one lacks.

    `known` holds the `label_names` of the other; labels that are not among them become missing.
    """
    codes, unknown = read.codes.copy(), 0
    for column, own, others in zip(codes.T, read.label_names, known, strict=True):
        code_of = {name: code for code, name in enumerate(others.tolist())}
        translated = np.array([code_of.get(name, MISSING) for name in own.tolist()], np.int32)
        labeled = column != MISSING
        column[labeled] = translated[column[labeled]]
        unknown += int((column[labeled] == MISSING).sum())
    return codes, unknown


def _read_series(series: nw.Series[Any], where: str) -> Array:
    if series.dtype.is_integer():
        nothing = series.is_null().to_numpy()
        whole, missing = whole_labels(series.fill_null(0).to_numpy(), where)
        return _number_present(whole, missing | nothing)
    if series.dtype.is_float():
        return _number_present(*whole_labels(series.fill_null(np.nan).to_numpy(), where))
    return _read_objects(series.to_list(), where)


def _to_host(labels: Any, name: str) -> Array:
    """Turn a list or an array of any library into NumPy, keeping the types of its entries."""
    if isinstance(labels, np.ma.MaskedArray):
        entries = labels.data.astype(object)
        entries[np.ma.getmaskarray(labels)] = None
        return entries
    if is_array(labels):
        return to_numpy(labels)
    try:
        array = np.asarray(labels)
    except ValueError as error:  # rows of different lengths
        message = f"{name} must have rows of one length. {error}"
        raise InvalidInputError(message) from error
    # NumPy turns ["a", nan] into strings and [2**62 + 1, nan] into floats: keep the entries.
    return np.asarray(labels, dtype=object) if array.dtype.kind in "USf" else array


def _as_matrix(labels: Any) -> Array:
    matrix = _to_host(labels, "labels")
    if matrix.ndim != 2:
        message = (
            "labels must be a matrix with a row for each sample and a column for each partition. "
            f"Got {_came(labels, matrix)}"
            + ("; a single partition is one column." if matrix.ndim == 1 else ".")
        )
        raise InvalidInputError(message)
    return matrix


def _came(labels: Any, array: Array) -> str:
    """Say what came: a shape, or the type of what NumPy cannot look into."""
    if array.ndim == 0:
        return f"an object of type {type(labels).__name__}"
    return f"an array of shape {array.shape}"


def _read_column(values: Array, where: str) -> Array:
    """Codes of one partition given as a NumPy column of any dtype."""
    if values.dtype.kind in "OUST":
        return _read_objects(values.tolist(), where)
    return _number_present(*whole_labels(values, where))


def whole_labels(values: Array, where: str, first_row: int = 0) -> tuple[Array, Array]:
    """Labels that are numbers, as integers, and which of them are missing.

    `first_row` is the number of the row that the values begin at, for messages.
    """
    kind = values.dtype.kind
    if kind == "b":
        return values.astype(np.int8), np.zeros(values.shape, bool)
    if kind in "iu":
        return _whole_integers(values, where, first_row)
    if kind == "f":
        return _whole_floats(values, where, first_row)
    message = (
        f"labels of {where} must be integers, strings or categories. Got dtype {values.dtype}."
    )
    raise InvalidInputError(message)


def _whole_integers(values: Array, where: str, first_row: int) -> tuple[Array, Array]:
    if values.dtype.kind == "u":
        return values, np.zeros(values.shape, bool)
    if values.size and values.min() < MISSING:
        row = int(np.argmin(values))
        raise _negative(where, first_row + row, values[row])
    return values, values == MISSING


def _whole_floats(values: Array, where: str, first_row: int) -> tuple[Array, Array]:
    missing = np.isnan(values)
    bad = ~missing & ~(np.isfinite(values) & (np.floor(values) == values))
    if bad.any():
        row = int(np.argmax(bad))
        raise _not_whole(where, first_row + row, values[row])
    if (values < MISSING).any():
        row = int(np.argmax(values < MISSING))
        raise _negative(where, first_row + row, values[row])
    missing |= values == MISSING
    whole = np.where(missing, 0, values)
    fits = float(whole.max(initial=0)) < 2**62
    return (whole.astype(np.int64) if fits else whole), missing


def _not_whole(where: str, row: int, value: Any) -> InvalidInputError:
    return InvalidInputError(
        f"labels of {where} must be whole numbers, strings or categories. "
        f"Row {row} has {value}. Are these features? Then cluster them instead."
    )


def _negative(where: str, row: int, value: Any) -> InvalidInputError:
    return InvalidInputError(
        f"labels of {where} must not be negative, except -1 for missing. "
        f"Row {row} has {value}; number the clusters from 0."
    )


def _no_label(where: str, row: int, value: Any) -> InvalidInputError:
    return InvalidInputError(
        f"labels of {where} must be integers, strings or categories. "
        f"Row {row} has an object of type {type(value).__name__}."
    )


def _number_present(values: Array, missing: Array) -> Array:
    if not missing.any():
        return number_by_appearance(values)
    codes = np.full(values.shape, MISSING, np.int32)
    codes[~missing] = number_by_appearance(values[~missing])
    return codes


def _read_objects(values: Sequence[Any], where: str) -> Array:
    """Codes of Python objects: None, NaN, NA and the number -1 are missing."""
    return _number_objects(label_objects(values, where), where)


def label_objects(values: Sequence[Any], where: str, first_row: int = 0) -> list[Any]:
    """Python objects that can name a cluster; None where they mean missing."""
    return [_as_label(value, row, where) for row, value in enumerate(values, first_row)]


def _as_label(value: Any, row: int, where: str) -> Any:
    """`value` if it can name a cluster, None if it means missing."""
    if isinstance(value, str):
        return value
    if _is_nothing(value):
        return None
    if isinstance(value, (numbers.Real, Decimal)):
        if value == MISSING:
            return None
        integral = isinstance(value, numbers.Integral)
        if not integral and not (math.isfinite(value) and math.floor(value) == value):
            raise _not_whole(where, row, value)
        if value < MISSING:
            raise _negative(where, row, value)
    elif isinstance(value, _NEVER_LABELS):
        raise _no_label(where, row, value)
    return value


def _is_nothing(value: Any) -> bool:
    """Say whether `value` is None, a NaN of any type, or the NA or NaT of pandas."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, (numbers.Number, np.generic)) and bool(value != value)


def _number_objects(values: Sequence[Any], where: str) -> Array:
    """Codes of objects of any type that can be hashed; None and its like are missing."""
    numbering: dict[Hashable, int] = {}
    codes = np.full(len(values), MISSING, np.int32)
    for row, value in enumerate(values):
        if _is_nothing(value):
            continue
        try:
            codes[row] = numbering.setdefault(value, len(numbering))
        except TypeError as error:
            raise _no_label(where, row, value) from error
    return codes


def _stack(columns: list[Array], n_samples: int) -> Array:
    if not columns:
        message = f"labels must have at least one partition (column). Got {n_samples} rows only."
        raise InvalidInputError(message)
    return np.stack(columns, axis=1)
