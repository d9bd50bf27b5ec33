"""Features in Parquet files: columns of numbers and of text."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.parquet_files import ParquetFiles, as_values
from consensa._optional import require
from consensa.exceptions import InvalidInputError
from consensa.features.stored_features import StoredColumn
from consensa.features.table_features import NUMBERS, TEXT, TableFeatures

__all__ = ["ParquetFeatures"]


class ParquetFeatures(TableFeatures):
    """A Parquet file, or a folder of Parquet files in the order of their names."""

    def __init__(self, path: str) -> None:
        self.name, self.files = path, ParquetFiles(path)
        self.n_samples = self.files.ends[-1]
        self._take(self.files.columns)
        self.parts = [(low, high) for low, high in pairwise(self.files.ends) if high > low]

    def _take(self, columns: Sequence[str]) -> None:
        """Use these columns."""
        self.column_names, self.n_columns = tuple(columns), len(columns)
        for known in ("learned", "kinds", "dtype"):
            vars(self).pop(known, None)

    @cached_property
    def kinds(self) -> dict[str, str]:  # type: ignore[override]
        """Whether each column, by its name, holds numbers or text."""
        return {name: self._kind(name) for name in self.column_names or ()}

    @cached_property
    def dtype(self) -> Any:
        """Type of the features: single precision if all columns have it."""
        if set(self.kinds.values()) == {NUMBERS}:
            types = [
                own[name].to_pandas_dtype()
                for _, own in self._typed_files()
                for name in self.kinds
            ]
            if np.result_type(*types) == np.float32:
                return np.dtype(np.float32)
        return np.dtype(np.float64)

    def check_columns(self) -> None:
        """Raise an error for columns that are neither numbers nor text."""
        _ = self.kinds

    def select(self, columns: Sequence[int]) -> ParquetFeatures:
        """Features of some of the columns."""
        chosen = copy.copy(self)
        chosen._take([self.files.columns[j] for j in columns])
        return chosen

    def column(self, place: int) -> StoredColumn:
        """Values of one column as they are."""
        name = (self.column_names or ())[place]

        def read(start: int, stop: int) -> Array:
            return self.files.arrays([name], as_values, start, stop)[0]

        return StoredColumn(read, self.parts)

    def row_names(self) -> StoredColumn | None:
        """Index of the frame that was written, if all files have one that does not just count."""
        if not self.files.has_row_names or self.files.names_are_numbers:
            return None
        return StoredColumn(self.files.names_of_rows, self.parts, self.files.index_title)

    def tables(self) -> Iterator[tuple[int, Any]]:
        """All columns in frames of blocks of rows, with the types of the file."""
        pandas = require("pandas", extra="cli", purpose="A frame of features")
        types = require("pyarrow", extra="cli", purpose="Reading Parquet").types

        def kept(kind: Any) -> Any:  # missing values change no type
            return None if types.is_floating(kind) else pandas.ArrowDtype(kind)

        for part in self.parts:
            start = part[0]
            for table in self.files.stream(self.files.columns, part, self.height):
                yield start, table.to_pandas(types_mapper=kept, ignore_metadata=True)
                start += len(table)

    def _kind(self, name: str) -> str:
        """Whether a column holds numbers or text; all files must have the same."""
        typed = self._typed_files()
        found = [_kind_of(types[name]) for _, types in typed]
        for (file, types), kind in zip(typed, found, strict=True):
            if kind is None:
                message = (
                    f"{file}, column {name!r}, must contain numbers or text. It has the type "
                    f"{types[name]}. Convert the column, or leave it out."
                )
                raise InvalidInputError(message)
            if kind != found[0]:
                message = (
                    f"{file}, column {name!r}, contains {kind}. In {typed[0][0]} it "
                    f"contains {found[0]}. Convert the column in one of the files."
                )
                raise InvalidInputError(message)
        return str(found[0])

    def _typed_files(self) -> list[tuple[str, dict[str, Any]]]:
        """Files with rows, and the types of their columns; those of no rows are not known."""
        files = list(zip(self.files.files, self.files.kinds, strict=True))
        sizes = zip(pairwise(self.files.ends), self.files.groups, strict=True)
        filled = {file for (low, high), (file, _) in sizes if high > low}
        return [one for one in files if one[0] in filled] or files

    def _place(self, row: int) -> str:
        ends, groups = self.files.ends, self.files.groups
        file = groups[int(np.searchsorted(ends, row, side="right")) - 1][0]
        first = next(low for low, (own, _) in zip(ends, groups, strict=False) if own == file)
        return f"{file}, row {row - first} (counted from 0),"

    def is_truth(self, place: int) -> bool:
        """Whether a column holds truth values."""
        types = require("pyarrow", extra="cli", purpose="Reading Parquet").types
        name = list(self.kinds)[place]
        return all(types.is_boolean(own[name]) for _, own in self._typed_files())

    def entries(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        """Columns of the blocks of a part as they are stored: NaN or None where one is missing."""
        start = part[0]
        for table in self.files.stream(list(self.kinds), part, self.height):
            yield (
                start,
                [
                    _as_floats(column) if kind == NUMBERS else column.to_pylist()
                    for kind, column in zip(self.kinds.values(), table.columns, strict=True)
                ],
            )
            start += len(table)

    def _tables(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        """Columns of the blocks of a part: arrays of numbers, or lists of text; none missing."""
        start = part[0]
        for table in self.files.stream(list(self.kinds), part, self.height):
            yield (
                start,
                [
                    self._numbers(start, place, column)
                    if kind == NUMBERS
                    else self._texts(start, place, column)
                    for place, (kind, column) in enumerate(
                        zip(self.kinds.values(), table.columns, strict=True)
                    )
                ],
            )
            start += len(table)

    def _numbers(self, start: int, place: int, column: Any) -> Array:
        found: Array = (
            _as_floats(column) if column.null_count else column.to_numpy(zero_copy_only=False)
        )
        finite = np.isfinite(found)
        if finite.all():
            return found
        if place in self.fills:
            found = np.where(np.isnan(found), self.fills[place], found)
            finite = np.isfinite(found)
            if finite.all():
                return found
        row = int(np.argmin(finite))
        what = "no value" if np.isnan(found[row]) else "an infinite value"
        raise self._bad_entry(start + row, repr(list(self.kinds)[place]), what)

    def _texts(self, start: int, place: int, column: Any) -> list[Any]:
        found: list[Any] = column.to_pylist()
        if not column.null_count:
            return found
        if place in self.fills:
            fill = self.fills[place]
            return [fill if entry is None else entry for entry in found]
        raise self._bad_entry(start + found.index(None), repr(list(self.kinds)[place]), "no value")


def _as_floats(column: Any) -> Array:
    """Numbers of a column, with NaN where one is missing."""
    found: Array = column.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    return found


def _kind_of(kind: Any) -> str | None:
    """Whether a type of Arrow is numbers or text; None for any other."""
    types = require("pyarrow", extra="cli", purpose="Reading Parquet").types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return NUMBERS
    text = types.is_string(kind) or types.is_large_string(kind)
    return TEXT if text or types.is_dictionary(kind) else None
