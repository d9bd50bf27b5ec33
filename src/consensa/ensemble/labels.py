"""Convert a label matrix of any kind to integers: lists, arrays of any library, frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from consensa._array import Array, from_rows, is_array, to_numpy, unmasked
from consensa.ensemble.appearance import number_by_appearance
from consensa.ensemble.label_values import (
    as_objects,
    label_objects,
    number_objects,
    whole_labels,
)
from consensa.ensemble.missing import MISSING, has_signed_names, is_labeled, is_missing
from consensa.exceptions import InvalidInputError

__all__ = [
    "LabelMatrix",
    "as_frame",
    "frame_columns",
    "host_matrix",
    "read_label_matrix",
    "read_labels",
    "translate_codes",
]

# Integers that NumPy has.
_INTEGERS = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64)


class LabelMatrix(NamedTuple):
    """Codes of shape (n_samples, n_partitions), the input, and the names of a frame."""

    codes: Array
    label_names: tuple[Array, ...]  # for each partition, the labels of the codes 0, 1, …
    partition_names: tuple[str, ...] | None = None
    sample_names: Any = None


def read_label_matrix(labels: Any, known: Sequence[Array] | None = None) -> LabelMatrix:
    """Read a list of rows, an array of any library or a frame; rows are samples.

    If these are new rows of another matrix, `known` are its `label_names`.
    """
    signed = None if known is None else [has_signed_names(names.tolist()) for names in known]
    frame = as_frame(labels)
    if frame is not None:
        return _read_frame(frame, _each(signed, len(frame.columns)))
    matrix = host_matrix(labels)
    columns = [
        _read_column(matrix[:, j], f"partition {j}", own)
        for j, own in enumerate(_each(signed, matrix.shape[1]))
    ]
    pairs = zip(matrix.T, columns, strict=True)
    names = tuple(values[_first_rows(codes)] for values, codes in pairs)
    return LabelMatrix(_stack(columns, n_samples=matrix.shape[0]), names)


def read_labels(labels: Any, name: str) -> Array:
    """Read one partition of complete labels, of any type; -1 is a label like the others."""
    series = nw.from_native(labels, series_only=True, pass_through=True)
    values = _series_values(series) if isinstance(series, nw.Series) else _to_host(labels, name)
    if values.ndim != 1:
        message = f"{name} must have one label for each sample. Got {_came(labels, values)}."
        raise InvalidInputError(message)
    if values.dtype.kind in "OUST":
        codes = number_objects(values.tolist(), name)
    else:
        codes = _number_present(values, missing=values != values)  # NaN and NaT
    if (missing := is_missing(codes)).any():
        row = int(np.argmax(missing))
        came = values[row : row + 1].tolist()[0]  # of Python
        message = f"{name} must label every sample. Sample {row} has {came!r}."
        raise InvalidInputError(message)
    return codes


def translate_codes(read: LabelMatrix, known: Sequence[Array]) -> tuple[Array, int]:
    """Codes of a label matrix in the numbers of another one; the number of unknown labels.

    `known` are the `label_names` of the other; unknown labels become missing.
    """
    codes, unknown = read.codes.copy(), 0
    for column, own, others in zip(codes.T, read.label_names, known, strict=True):
        code_of = {name: code for code, name in enumerate(others.tolist())}
        translated = np.array([code_of.get(name, MISSING) for name in own.tolist()], np.int32)
        labeled = is_labeled(column)
        column[labeled] = translated[column[labeled]]
        unknown += int(is_missing(column[labeled]).sum())
    return codes, unknown


def frame_columns(frame: Any) -> list[Array]:
    """Columns of a frame of any library: numbers unchanged, others as objects with None."""
    columns = as_frame(frame)
    assert columns is not None
    return [
        _series_values(series)
        if series.dtype.is_float() or not series.null_count()
        else as_objects(series.to_list())
        for series in columns.iter_columns()
    ]


def as_frame(value: Any, name: str = "labels") -> nw.DataFrame[Any] | None:
    """A frame of any library; None if the value is no frame."""
    try:
        frame = nw.from_native(value, eager_only=True, pass_through=True)
    except ValueError as error:  # duplicate column names
        message = f"{name} must be a frame with distinct column names. {error}"
        raise InvalidInputError(message) from error
    return frame if isinstance(frame, nw.DataFrame) else None


def _each(signed: list[bool] | None, count: int) -> Sequence[bool | None]:
    """Whether each of the partitions has signed names; None if its own labels decide."""
    return signed if signed is not None and len(signed) == count else [None] * count


def _read_frame(frame: nw.DataFrame[Any], signed: Sequence[bool | None]) -> LabelMatrix:
    names = tuple(str(name) for name in frame.columns)
    columns = [
        _read_series(frame.get_column(column), f"partition {name!r}", own)
        for column, name, own in zip(frame.columns, names, signed, strict=True)
    ]
    firsts = [_first_rows(codes) for codes in columns]
    label_names = tuple(
        as_objects(frame.get_column(column)[rows.tolist()].to_list())
        for column, rows in zip(frame.columns, firsts, strict=True)
    )
    codes = _stack(columns, n_samples=frame.shape[0])
    return LabelMatrix(codes, label_names, names, nw.maybe_get_index(frame))


def _series_values(series: nw.Series[Any]) -> Array:
    """Values of a series as NumPy; as objects if NumPy has no such type."""
    if series.dtype.is_integer() and series.dtype not in _INTEGERS:
        return as_objects(series.to_list())
    return (series.fill_null(np.nan) if series.dtype.is_float() else series).to_numpy()


def _read_series(series: nw.Series[Any], where: str, signed: bool | None) -> Array:
    if series.dtype in _INTEGERS:
        nothing = series.is_null().to_numpy()
        whole, missing = whole_labels(series.fill_null(0).to_numpy(), where)
        return _number_present(whole, missing | nothing)
    if series.dtype.is_float():
        return _number_present(*whole_labels(series.fill_null(np.nan).to_numpy(), where))
    return _read_objects(series.to_list(), where, signed)


def _to_host(labels: Any, name: str) -> Array:
    """Convert a list or an array of any library to NumPy, keeping the types of its entries."""
    if isinstance(labels, np.ma.MaskedArray):
        return unmasked(labels, None)
    if isinstance(labels, (list, tuple)):
        labels = [unmasked(row, None) for row in labels]
    if is_array(labels):
        return to_numpy(labels)
    array = from_rows(labels, name)
    # NumPy converts ["a", nan] to strings and [2**62 + 1, nan] to floats: keep the entries.
    return np.asarray(labels, dtype=object) if array.dtype.kind in "USf" else array


def host_matrix(labels: Any) -> Array:
    """A list of rows or an array of any library as a matrix in NumPy, nothing of it lost."""
    matrix = _to_host(labels, "labels")
    if matrix.ndim != 2:
        message = (
            "labels must be a matrix with one row per sample and one column per partition. "
            f"Got {_came(labels, matrix)}"
            + ("; a single partition is one column." if matrix.ndim == 1 else ".")
        )
        raise InvalidInputError(message)
    return matrix


def _came(labels: Any, array: Array) -> str:
    """Description of the input: its shape, or its type if NumPy cannot convert it."""
    if array.ndim == 0:
        return f"an object of type {type(labels).__name__}"
    return f"an array of shape {array.shape}"


def _read_column(values: Array, where: str, signed: bool | None) -> Array:
    """Codes of one partition given as a NumPy column of any dtype."""
    if values.dtype.kind in "OUST":
        return _read_objects(values.tolist(), where, signed)
    return _number_present(*whole_labels(values, where))


def _number_present(values: Array, missing: Array) -> Array:
    if not missing.any():
        return number_by_appearance(values)
    codes = np.full(values.shape, MISSING, np.int32)
    codes[~missing] = number_by_appearance(values[~missing])
    return codes


def _read_objects(values: Sequence[Any], where: str, signed: bool | None) -> Array:
    """Codes of Python objects: None, NaN, NA and -1 are missing."""
    return number_objects(label_objects(values, where, signed=signed), where)


def _first_rows(codes: Array) -> Array:
    """Row in which each code first appears; codes are numbered in that order."""
    highest = np.maximum.accumulate(codes)
    return np.flatnonzero(np.diff(highest, prepend=MISSING) > 0)


def _stack(columns: list[Array], n_samples: int) -> Array:
    if not columns:
        message = f"labels must have at least one partition (column). Got {n_samples} rows only."
        raise InvalidInputError(message)
    return np.stack(columns, axis=1)
