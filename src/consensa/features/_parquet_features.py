"""Features in Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.parquet_files import ParquetFiles
from consensa._optional import require
from consensa.exceptions import InvalidInputError
from consensa.features.stored_features import StoredFeatures

__all__ = ["ParquetFeatures"]


class ParquetFeatures(StoredFeatures):
    """A Parquet file, or a folder of Parquet files in the order of their names."""

    def __init__(self, path: str) -> None:
        self.name, self.files = path, ParquetFiles(path)
        self.column_names = self.files.columns
        self.n_samples, self.n_columns = self.files.ends[-1], len(self.files.columns)
        kinds = [self._kind(name) for name in self.files.columns]
        common = np.result_type(*kinds) if kinds else np.dtype(np.float64)
        self.dtype = np.dtype(np.float32 if common == np.float32 else np.float64)
        self.parts = [(low, high) for low, high in pairwise(self.files.ends) if high > low]

    def _kind(self, name: str) -> Any:
        """Type of a column as NumPy has it; all files must have columns of numbers there."""
        types = require("pyarrow", extra="cli", purpose="Reading Parquet").types
        for file, kinds in zip(self.files.files, self.files.kinds, strict=True):
            kind = kinds[name]
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                message = (
                    f"{file}, column {name!r}, must contain numbers. It has the type {kind}. "
                    f"Convert the column, or leave it out."
                )
                raise InvalidInputError(message)
        return np.result_type(*(kinds[name].to_pandas_dtype() for kinds in self.files.kinds))

    def _place(self, row: int) -> str:
        group = int(np.searchsorted(self.files.ends, row, side="right")) - 1
        file = self.files.groups[group][0]
        first = next(
            low
            for low, (own, _) in zip(self.files.ends, self.files.groups, strict=False)
            if own == file
        )
        return f"{file}, row {row - first} (counted from 0),"

    def _blocks(self, part: tuple[int, int]) -> Iterator[tuple[int, Array]]:
        start = part[0]
        for table in self.files.stream(self.files.columns, part, self.height):
            block = np.empty((len(table), self.n_columns), self.dtype)
            for place, column in enumerate(table.columns):
                block[:, place] = column.to_numpy(zero_copy_only=False)
            yield start, block
            start += len(block)
