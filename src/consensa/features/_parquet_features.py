"""Features in Parquet files: columns of numbers and of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from consensa._machine.parquet_files import ParquetFiles
from consensa._optional import require
from consensa.exceptions import InvalidInputError
from consensa.features.table_features import NUMBERS, TEXT, TableFeatures

__all__ = ["ParquetFeatures"]


class ParquetFeatures(TableFeatures):
    """A Parquet file, or a folder of Parquet files in the order of their names."""

    def __init__(self, path: str) -> None:
        self.name, self.files = path, ParquetFiles(path)
        self.column_names = self.files.columns
        self.n_samples, self.n_columns = self.files.ends[-1], len(self.files.columns)
        self.kinds = {name: self._kind(name) for name in self.files.columns}
        self.parts = [(low, high) for low, high in pairwise(self.files.ends) if high > low]
        self.dtype = np.dtype(np.float64)
        if all(kind == NUMBERS for kind in self.kinds.values()):
            types = [kind.to_pandas_dtype() for own in self.files.kinds for kind in own.values()]
            self.dtype = np.dtype(
                np.float32 if np.result_type(*types) == np.float32 else np.float64
            )

    def _kind(self, name: str) -> str:
        """Whether a column holds numbers or text; all files must have the same."""
        found = [_kind_of(own[name]) for own in self.files.kinds]
        for file, kind, types in zip(self.files.files, found, self.files.kinds, strict=True):
            if kind is None:
                message = (
                    f"{file}, column {name!r}, must contain numbers or text. It has the type "
                    f"{types[name]}. Convert the column, or leave it out."
                )
                raise InvalidInputError(message)
            if kind != found[0]:
                message = (
                    f"{file}, column {name!r}, contains {kind}. In {self.files.files[0]} it "
                    f"contains {found[0]}. Convert the column in one of the files."
                )
                raise InvalidInputError(message)
        return str(found[0])

    def _place(self, row: int) -> str:
        ends, groups = self.files.ends, self.files.groups
        file = groups[int(np.searchsorted(ends, row, side="right")) - 1][0]
        first = next(low for low, (own, _) in zip(ends, groups, strict=False) if own == file)
        return f"{file}, row {row - first} (counted from 0),"

    def _tables(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        """Columns of the blocks of a part: arrays of numbers, or lists of text; none missing."""
        start = part[0]
        for table in self.files.stream(self.files.columns, part, self.height):
            columns = []
            for (name, kind), column in zip(self.kinds.items(), table.columns, strict=True):
                if column.null_count:
                    row = start + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
                    raise self._bad_entry(row, repr(name), "no value")
                number = kind == NUMBERS
                columns.append(
                    column.to_numpy(zero_copy_only=False) if number else column.to_pylist()
                )
            yield start, columns
            start += len(table)


def _kind_of(kind: Any) -> str | None:
    """Whether a type of Arrow is numbers or text; None for any other."""
    types = require("pyarrow", extra="cli", purpose="Reading Parquet").types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return NUMBERS
    text = types.is_string(kind) or types.is_large_string(kind)
    return TEXT if text or types.is_dictionary(kind) else None
