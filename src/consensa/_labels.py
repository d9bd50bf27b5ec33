"""Read labels of any kind into integers: numbered by first appearance, -1 for missing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from consensa._array import is_array, to_numpy
from consensa.exceptions import InvalidInputError

__all__ = ["LabelMatrix", "number_by_appearance", "read_label_matrix", "read_labels"]

MISSING = -1
_Array = np.ndarray[Any, Any]


class LabelMatrix(NamedTuple):
    """Codes of shape (n_samples, n_partitions) and the names a frame gave them."""

    codes: _Array
    partition_names: tuple[str, ...] | None = None
    sample_names: Any = None


def read_label_matrix(labels: Any) -> LabelMatrix:
    """Read a list of rows, an array of any library or a frame; rows are samples."""
    frame = nw.from_native(labels, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _read_frame(frame)
    if isinstance(frame, nw.Series) or isinstance(labels, str):
        message = (
            "labels must be a matrix with a row for each sample and a column for each partition. "
            f"Got {type(labels).__name__}; a single partition is one column."
        )
        raise InvalidInputError(message)
    matrix = _as_matrix(labels)
    columns = [_read_column(matrix[:, j], f"partition {j}") for j in range(matrix.shape[1])]
    return LabelMatrix(_stack(columns, n_samples=matrix.shape[0]))


def read_labels(labels: Any, name: str) -> _Array:
    """Read one partition of complete labels, of any type; -1 is a label like the others."""
    series = nw.from_native(labels, series_only=True, pass_through=True)
    values = series.to_numpy() if isinstance(series, nw.Series) else _to_host(labels)
    if values.ndim != 1:
        message = (
            f"{name} must hold one label for each sample. Got an array of shape {values.shape}."
        )
        raise InvalidInputError(message)
    if values.dtype.kind in "iub":
        return number_by_appearance(values)
    codes = _read_column(values, name)
    if (codes == MISSING).any():
        if values.dtype.kind == "f" and not np.isnan(values).any():
            return number_by_appearance(values)
        row = int(np.argmax(codes == MISSING))
        message = f"{name} must label every sample. Sample {row} has {values[row]!r}."
        raise InvalidInputError(message)
    return codes


def number_by_appearance(values: _Array) -> _Array:
    """Number the distinct values 0, 1, … in the order in which they first appear."""
    if values.size == 0:
        return np.empty(0, np.int32)
    if values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low <= 4 * values.size + 64:
            return _number_in_range((values - low).astype(np.intp, copy=False), high - low + 1)
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return _rank(first)[inverse]


def _number_in_range(values: _Array, size: int) -> _Array:
    """Number integers in [0, size) by a table of first places: no sort of the samples."""
    n = values.size
    first = np.full(size, n)
    first[values[::-1]] = np.arange(n - 1, -1, -1)  # the last write to a place is the first row
    return _rank(first)[values]


def _rank(first: _Array) -> _Array:
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
    return LabelMatrix(_stack(columns, n_samples=frame.shape[0]), names, nw.maybe_get_index(frame))


def _read_series(series: nw.Series[Any], where: str) -> _Array:
    if series.dtype.is_integer():
        return _read_column(series.fill_null(MISSING).to_numpy(), where)
    if series.dtype.is_float():
        return _read_column(series.fill_null(np.nan).to_numpy(), where)
    return _read_objects(series.to_list(), where)


def _to_host(labels: Any) -> _Array:
    """Turn a list or an array of any library into NumPy, keeping the types of its entries."""
    if is_array(labels):
        return to_numpy(labels)
    try:
        array = np.asarray(labels)
    except ValueError as error:  # rows of different lengths
        message = f"labels must be a matrix with rows of one length. {error}"
        raise InvalidInputError(message) from error
    # NumPy writes [1, None] as objects but [1, "a"] and ["a", nan] as strings: keep the entries.
    return np.asarray(labels, dtype=object) if array.dtype.kind in "US" else array


def _as_matrix(labels: Any) -> _Array:
    matrix = _to_host(labels)
    if matrix.ndim != 2:
        message = (
            "labels must be a matrix with a row for each sample and a column for each partition. "
            f"Got an array of shape {matrix.shape}"
            + (
                "; a single partition is one column: labels.reshape(-1, 1)."
                if matrix.ndim == 1
                else "."
            )
        )
        raise InvalidInputError(message)
    return matrix


def _read_column(values: _Array, where: str) -> _Array:
    """Codes of one partition given as a NumPy column of any dtype."""
    kind = values.dtype.kind
    if kind == "b":
        return number_by_appearance(values.astype(np.int8))
    if kind in "iu":
        return _read_integers(values, where)
    if kind == "f":
        return _read_floats(values, where)
    if kind in "OUST":
        return _read_objects(values.tolist(), where)
    message = (
        f"labels of {where} must be integers, strings or categories. Got dtype {values.dtype}."
    )
    raise InvalidInputError(message)


def _read_integers(values: _Array, where: str) -> _Array:
    if values.dtype.kind == "i" and values.size and values.min() < MISSING:
        row = int(np.argmin(values))
        message = (
            f"labels of {where} must not be negative, except -1 for missing. "
            f"Row {row} has {values[row]}; number the clusters from 0."
        )
        raise InvalidInputError(message)
    missing = values == MISSING if values.dtype.kind == "i" else np.zeros(values.shape, bool)
    return _number_present(values, missing)


def _read_floats(values: _Array, where: str) -> _Array:
    missing = np.isnan(values)
    bad = ~missing & ~(np.isfinite(values) & (np.floor(values) == values))
    if bad.any():
        row = int(np.argmax(bad))
        message = (
            f"labels of {where} must be whole numbers, strings or categories. "
            f"Row {row} has {values[row]}. Are these features? Then cluster them instead."
        )
        raise InvalidInputError(message)
    filled = np.where(missing, MISSING, values)
    if filled.size and np.abs(filled).max() < 2**62:
        return _read_integers(filled.astype(np.int64), where)
    return _number_present(values, missing)


def _number_present(values: _Array, missing: _Array) -> _Array:
    if not missing.any():
        return number_by_appearance(values)
    codes = np.full(values.shape, MISSING, np.int32)
    codes[~missing] = number_by_appearance(values[~missing])
    return codes


def _read_objects(values: Iterable[Any], where: str) -> _Array:
    """Codes of Python objects: None, NaN, NA and the number -1 are missing."""
    numbers: dict[Hashable, int] = {}
    codes: list[int] = []
    for row, value in enumerate(values):
        if _is_missing(value):
            codes.append(MISSING)
            continue
        if isinstance(value, float) and not value.is_integer():
            message = (
                f"labels of {where} must be whole numbers, strings or categories. "
                f"Row {row} has {value}. Are these features? Then cluster them instead."
            )
            raise InvalidInputError(message)
        try:
            codes.append(numbers.setdefault(value, len(numbers)))
        except TypeError as error:
            message = (
                f"labels of {where} must be integers, strings or categories. "
                f"Row {row} has an object of type {type(value).__name__}."
            )
            raise InvalidInputError(message) from error
    return np.asarray(codes, np.int32)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value)) or value == MISSING
    return isinstance(value, (int, np.integer)) and value == MISSING


def _stack(columns: list[_Array], n_samples: int) -> _Array:
    if not columns:
        message = f"labels must have at least one partition (column). Got {n_samples} rows only."
        raise InvalidInputError(message)
    return np.stack(columns, axis=1)
