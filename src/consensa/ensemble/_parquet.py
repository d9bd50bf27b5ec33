"""Label matrices in Parquet files."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.parquet_files import ParquetFiles
from consensa._optional import require
from consensa.ensemble.label_values import as_objects
from consensa.ensemble.missing import MISSING
from consensa.ensemble.numbering import Block
from consensa.ensemble.stored_labels import StoredLabels

__all__ = ["ParquetLabels"]


class ParquetLabels(StoredLabels):
    """A Parquet file, or a folder of Parquet files in the order of their names."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.files = ParquetFiles(path)
        self.columns = list(self.files.columns)
        self.partition_names = self.files.columns
        self.shape = (self.files.ends[-1], len(self.columns))
        self.ends = self.files.ends

    def _read(self, start: int, stop: int) -> Block:
        """Rows, as a list of columns."""
        return self._columns(self.columns, _as_labels, start, stop)

    def column(self, place: int) -> Array:
        """Values of one column as they are, not as labels."""
        return self._columns([self.columns[place]], _as_values, 0, self.shape[0])[0]

    def row_names(self) -> Array | None:
        """Index of the frame that was written, if all files have one of one level."""
        index = self.files.indices[0]
        if isinstance(index, str) and all(other == index for other in self.files.indices):
            return self._columns([index], _as_values, 0, self.shape[0])[0]
        ranges = [own for own in self.files.indices if isinstance(own, range)]
        if len(ranges) < len(self.files.indices):
            return None
        # Files that were written one by one count their rows from 0 each: this names no row.
        goes_on = all(a.stop == b.start for a, b in pairwise(ranges))
        return np.array([row for own in ranges for row in own]) if goes_on else None

    def _columns(
        self, names: Sequence[str], convert: Callable[[Any], Array], start: int, stop: int
    ) -> list[Array]:
        """Rows of some columns, converted to NumPy."""

        def converted(table: Any) -> list[Array]:
            return [convert(table.column(name)) for name in names]

        parts = self.files.read(names, converted, start, stop)
        if not parts:
            return [np.empty(0, np.int64) for _ in names]
        return [_joined(column) for column in zip(*parts, strict=True)]

    def _select(self, columns: Sequence[int]) -> ParquetLabels:
        chosen = copy.copy(self)
        chosen.columns = [self.columns[j] for j in columns]
        chosen.partition_names = tuple(chosen.columns)
        chosen.shape = (self.shape[0], len(chosen.columns))
        return chosen


def _as_labels(column: Any) -> Array:
    """A column of a table: integers with -1 if missing, floats, or objects with None."""
    pyarrow = require("pyarrow", extra="cli", purpose="Reading Parquet")
    kind = column.type
    if column.null_count and pyarrow.types.is_integer(kind) and kind != pyarrow.uint64():
        return column.cast(pyarrow.int64()).fill_null(MISSING).to_numpy()
    return _as_values(column)


def _joined(parts: Sequence[Array]) -> Array:
    """Parts of one column; a common type that would merge large integers is not used."""
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) > 1 and np.result_type(*parts).kind == "f":
        return as_objects(list(chain.from_iterable(part.tolist() for part in parts)))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _as_values(column: Any) -> Array:
    """A column of a table: numbers, or objects with None."""
    types = require("pyarrow", extra="cli", purpose="Reading Parquet").types
    kind = column.type
    complete = not column.null_count and (types.is_integer(kind) or types.is_boolean(kind))
    if complete or types.is_floating(kind):
        return column.to_numpy()
    return as_objects(column.to_pylist())
