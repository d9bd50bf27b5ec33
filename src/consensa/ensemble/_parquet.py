"""Label matrices in Parquet files."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from consensa._array import Array
from consensa._machine.parquet_files import ParquetFiles, as_values
from consensa._optional import require
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
        return self.files.arrays(self.columns, _as_labels, start, stop)

    def column(self, place: int) -> Array:
        """Values of one column as they are, not as labels."""
        return self.files.arrays([self.columns[place]], as_values, 0, self.shape[0])[0]

    def row_names(self) -> Array | None:
        """Index of the frame that was written, if all files have one of one level."""
        return self.files.row_names()

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
    return as_values(column)
