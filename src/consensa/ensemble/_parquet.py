"""Label matrices in Parquet files."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._optional import require
from consensa.ensemble.label_values import as_objects
from consensa.ensemble.missing import MISSING
from consensa.ensemble.numbering import Block
from consensa.ensemble.stored_labels import StoredLabels
from consensa.exceptions import InvalidInputError

__all__ = ["ParquetLabels"]


class ParquetLabels(StoredLabels):
    """A Parquet file, or a folder of Parquet files in the order of their names."""

    def __init__(self, path: str) -> None:
        require("pyarrow", extra="cli", purpose="Reading Parquet")
        self.name = path
        self.files = _parquet_files(path)
        names: tuple[str, ...] | None = None
        ends, groups = [0], []
        for file in self.files:
            metadata, columns = self._describe(file)
            if names is not None and columns != names:
                message = (
                    f"The files of {path} must have the same columns. {file} has "
                    f"{', '.join(columns)}; {self.files[0]} has {', '.join(names)}."
                )
                raise InvalidInputError(message)
            names = columns
            for group in range(metadata.num_row_groups):
                ends.append(ends[-1] + metadata.row_group(group).num_rows)
                groups.append((file, group))
        self.partition_names = names
        self.columns = list(names or ())
        self.shape = (ends[-1], len(self.columns))
        self.ends, self.groups = ends, groups

    def _read(self, start: int, stop: int) -> Block:
        """Rows, as a list of columns."""
        parts = []
        for (low, high), (file, group) in zip(pairwise(self.ends), self.groups, strict=True):
            if high <= start or low >= stop or low == high:
                continue
            try:
                table = self._open(file).read_row_group(group, columns=self.columns)
            except Exception as error:  # damaged pages raise various errors
                message = f"{file}, rows {low} to {high - 1} of all, cannot be read: {error}"
                raise InvalidInputError(message) from error
            parts.append(table.slice(max(start - low, 0), min(stop, high) - max(start, low)))
        if not parts:
            return [np.empty(0, np.int64) for _ in range(self.shape[1])]
        columns = zip(*([_to_numpy(c) for c in table.columns] for table in parts), strict=True)
        return [column[0] if len(parts) == 1 else np.concatenate(column) for column in columns]

    def _select(self, columns: Sequence[int]) -> ParquetLabels:
        chosen = copy.copy(self)
        chosen.columns = [self.columns[j] for j in columns]
        chosen.partition_names = tuple(chosen.columns)
        chosen.shape = (self.shape[0], len(chosen.columns))
        return chosen

    def _describe(self, file: str) -> tuple[Any, tuple[str, ...]]:
        try:
            opened = self._open(file)
            columns = tuple(n for n in opened.schema_arrow.names if not n.startswith("__index"))
            return opened.metadata, columns
        except Exception as error:
            message = f"{file} must be a Parquet file. {error}"
            raise InvalidInputError(message) from error

    def _open(self, file: str) -> Any:
        parquet = require("pyarrow.parquet", extra="cli", purpose="Reading Parquet")
        if "://" not in file:
            return parquet.ParquetFile(file)
        fsspec = require("fsspec", extra="dask", purpose="Reading from a URL")
        return parquet.ParquetFile(fsspec.open(file).open())


def _parquet_files(path: str) -> list[str]:
    if "://" in path:
        fsspec = require("fsspec", extra="dask", purpose="Reading from a URL")
        system, inside = fsspec.core.url_to_fs(path)
        if system.isdir(inside):
            found = [system.unstrip_protocol(f) for f in system.glob(f"{inside}/**.parquet")]
        else:
            found = [path]
    else:
        folder = Path(path)
        found = [str(file) for file in folder.rglob("*.parquet")] if folder.is_dir() else [path]
    if not found:
        message = f"{path} must contain files with the suffix .parquet. There are none."
        raise InvalidInputError(message)
    return sorted(found, key=_natural)


def _natural(name: str) -> list[Any]:
    """Sort key that puts part.10 after part.9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _to_numpy(column: Any) -> Array:
    """A column of a table: integers with -1 if missing, floats, or objects with None."""
    pyarrow = require("pyarrow", extra="cli", purpose="Reading Parquet")
    kind = column.type
    if pyarrow.types.is_integer(kind):
        nothing = column.null_count > 0
        return (column.cast(pyarrow.int64()).fill_null(MISSING) if nothing else column).to_numpy()
    if pyarrow.types.is_floating(kind):
        return column.to_numpy()
    if pyarrow.types.is_boolean(kind) and not column.null_count:
        return column.to_numpy()
    return as_objects(column.to_pylist())
