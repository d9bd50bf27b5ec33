"""Label matrices in Parquet files."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._machine.reading import reading
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
        described = [_describe(file) for file in self.files]
        names = described[0].columns
        ends, groups = [0], []
        for file, found in zip(self.files, described, strict=True):
            if found.columns != names:
                message = (
                    f"The files of {path} must have the same columns. {file} has "
                    f"{', '.join(found.columns)}; {self.files[0]} has {', '.join(names)}."
                )
                raise InvalidInputError(message)
            for group, n_rows in enumerate(found.group_rows):
                ends.append(ends[-1] + n_rows)
                groups.append((file, group))
        self.partition_names = names
        self.columns = list(names)
        self.shape = (ends[-1], len(self.columns))
        self.ends, self.groups = ends, groups
        self.indices = [found.row_names for found in described]

    def _read(self, start: int, stop: int) -> Block:
        """Rows, as a list of columns."""
        return self._columns(self.columns, _as_labels, start, stop)

    def column(self, place: int) -> Array:
        """Values of one column as they are, not as labels."""
        return self._columns([self.columns[place]], _as_values, 0, self.shape[0])[0]

    def row_names(self) -> Array | None:
        """Index of the frame that was written, if all files have one of one level."""
        index = self.indices[0]
        if isinstance(index, str) and all(other == index for other in self.indices):
            return self._columns([index], _as_values, 0, self.shape[0])[0]
        ranges = [own for own in self.indices if isinstance(own, range)]
        if len(ranges) < len(self.indices):
            return None
        # Files that were written one by one count their rows from 0 each: this names no row.
        goes_on = all(a.stop == b.start for a, b in pairwise(ranges))
        return np.array([row for own in ranges for row in own]) if goes_on else None

    def _columns(
        self, names: Sequence[str], convert: Callable[[Any], Array], start: int, stop: int
    ) -> list[Array]:
        """Rows of some columns, converted to NumPy."""
        parts = []
        for (low, high), (file, group) in zip(pairwise(self.ends), self.groups, strict=True):
            if high <= start or low >= stop or low == high:
                continue
            rows = f"{file}, rows {low} to {high - 1} of all,"
            with reading(rows, "cannot be read:"), _open(file) as opened:
                table = opened.read_row_group(group, columns=list(names))
                if len(table) != high - low:
                    message = f"there are {len(table)} rows instead of {high - low}"
                    raise ValueError(message)
                table = table.slice(max(start - low, 0), min(stop, high) - max(start, low))
                parts.append([convert(table.column(name)) for name in names])
        if not parts:
            return [np.empty(0, np.int64) for _ in names]
        return [_joined(column) for column in zip(*parts, strict=True)]

    def _select(self, columns: Sequence[int]) -> ParquetLabels:
        chosen = copy.copy(self)
        chosen.columns = [self.columns[j] for j in columns]
        chosen.partition_names = tuple(chosen.columns)
        chosen.shape = (self.shape[0], len(chosen.columns))
        return chosen


class _Description(NamedTuple):
    """What a file says about itself."""

    group_rows: list[int]  # number of rows of each row group
    columns: tuple[str, ...]
    row_names: str | range | None  # column or numbers that were the index of a frame


def _describe(file: str) -> _Description:
    with reading(file, "must be a Parquet file."), _open(file) as opened:
        metadata, schema = opened.metadata, opened.schema_arrow
        rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        if min(rows, default=0) < 0:
            message = f"A part of it has {min(rows)} rows"
            raise ValueError(message)
        levels = (schema.pandas_metadata or {}).get("index_columns", [])
        names = [level for level in levels if isinstance(level, str) and level in schema.names]
        index: str | range | None = names[0] if len(names) == len(levels) == 1 else None
        if len(levels) == 1 and isinstance(levels[0], dict) and levels[0].get("kind") == "range":
            index = range(*(int(levels[0][key]) for key in ("start", "stop", "step")))
        if isinstance(index, range) and len(index) != sum(rows):
            index = None
        return _Description(rows, tuple(n for n in schema.names if n not in names), index)


def _open(file: str) -> Any:
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
