"""Parquet files that are not read at once: one, or a folder of them in the order of names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from consensa._array import Array
from consensa._machine.reading import reading
from consensa._optional import require
from consensa.exceptions import InvalidInputError

__all__ = ["ParquetFiles", "as_values"]

Converted = TypeVar("Converted")
_AGAIN = "Write the file again, or remove it."
_NO_NAME = re.compile(r"__index_level_[0-9]+__")  # pandas's title of an index without a name


class ParquetFiles:
    """A Parquet file, or a folder of Parquet files in the order of their names.

    Attributes
    ----------
    name : str
        File or folder.
    files : list of str
        The files.
    columns : tuple of str
        Names of the columns, without the index of a frame.
    kinds : list of dict
        Type of each column in each file, by name.
    ends : list of int
        First rows of the row groups, and the end.
    groups : list of (str, int)
        File of each row group, and its number there.
    indices : list
        Index of the frame that each file was, as a column or as a range; None if there is none.
    """

    def __init__(self, path: str) -> None:
        require("pyarrow", extra="cli", purpose="Reading Parquet")
        self.name = path
        self.files = _parquet_files(path)
        described = [_describe(file) for file in self.files]
        self.columns = described[0].columns
        self.ends, self.groups = [0], []
        for file, found in zip(self.files, described, strict=True):
            if found.columns != self.columns:
                raise InvalidInputError(self._other_columns(file, found.columns))
            for group, n_rows in enumerate(found.group_rows):
                self.ends.append(self.ends[-1] + n_rows)
                self.groups.append((file, group))
        self.indices = [found.row_names for found in described]
        self.kinds = [found.kinds for found in described]

    def _other_columns(self, file: str, columns: Sequence[str]) -> str:
        """Message on a file whose columns are not those of the first."""
        absent = [name for name in self.columns if name not in columns]
        without = f" It has no column {absent[0]!r}: add it, or remove the file." if absent else ""
        return (
            f"The files of {self.name} must have the same columns. {file} has "
            f"{', '.join(columns)}; {self.files[0]} has {', '.join(self.columns)}.{without}"
        )

    def read(
        self, names: Sequence[str], convert: Callable[[Any], Converted], start: int, stop: int
    ) -> list[Converted]:
        """Rows of some columns, a table for each row group, converted."""
        parts = []
        for (low, high), (file, group) in zip(pairwise(self.ends), self.groups, strict=True):
            if high <= start or low >= stop or low == high:
                continue
            rows = f"{file}, rows {low} to {high - 1} of all,"
            with reading(rows, "cannot be read:", _AGAIN), _open(file) as opened:
                table = opened.read_row_group(group, columns=list(names))
                if len(table) != high - low:
                    message = f"there are {len(table)} rows instead of {high - low}"
                    raise ValueError(message)
                table = table.slice(max(start - low, 0), min(stop, high) - max(start, low))
                parts.append(convert(table))
        return parts

    def arrays(
        self, names: Sequence[str], convert: Callable[[Any], Array], start: int, stop: int
    ) -> list[Array]:
        """Rows of some columns, each converted to one array."""

        def converted(table: Any) -> list[Array]:
            return [convert(table.column(name)) for name in names]

        parts = self.read(names, converted, start, stop)
        if not parts:
            return [np.empty(0, np.int64) for _ in names]
        return [_joined(column) for column in zip(*parts, strict=True)]

    @property
    def index_name(self) -> str | None:
        """Name of the column that was the index of all files, if there is one."""
        index = self.indices[0]
        same = isinstance(index, str) and all(other == index for other in self.indices)
        return str(index) if same else None

    @property
    def index_title(self) -> str:
        """The name that the user gave this column; empty if there is none."""
        name = self.index_name or ""
        return "" if _NO_NAME.fullmatch(name) else name

    @property
    def has_row_names(self) -> bool:
        """Whether the rows have names: an index of one level, in all files."""
        ranges = [own for own in self.indices if isinstance(own, range)]
        # Files that were written one by one count their rows from 0 each: this names no row.
        goes_on = all(a.stop == b.start for a, b in pairwise(ranges))
        return self.index_name is not None or (len(ranges) == len(self.indices) and goes_on)

    @property
    def names_are_numbers(self) -> bool:
        """Whether the index of the files just counts the rows."""
        ranges = [own for own in self.indices if isinstance(own, range)]
        counts = all(own.step == 1 for own in ranges) and ranges[:1] and ranges[0].start == 0
        return self.index_name is None and bool(counts)

    def row_names(self) -> Array | None:
        """Index of the frame that was written, if all files have one of one level."""
        return self.names_of_rows(0, self.ends[-1]) if self.has_row_names else None

    def names_of_rows(self, start: int, stop: int) -> Array:
        """The same for a range of rows."""
        if self.index_name is not None:
            return self.arrays([self.index_name], as_values, start, stop)[0]
        parts, first = [np.empty(0, np.int64)], 0
        for own in self.indices:
            assert isinstance(own, range)
            parts.append(np.asarray(own[max(start - first, 0) : max(stop - first, 0)]))
            first += len(own)
        return np.concatenate(parts).astype(np.int64)

    def stream(self, names: Sequence[str], part: tuple[int, int], height: int) -> Iterator[Any]:
        """Rows of one row group, in tables of at most `height` rows."""
        group = self.ends.index(part[1]) - 1  # the first that ends there is not empty
        file, number = self.groups[group]
        rows = f"{file}, rows {part[0]} to {part[1] - 1} of all,"
        left = part[1] - part[0]
        with reading(rows, "cannot be read:", _AGAIN):
            opened = _open(file)
        with opened:
            batches = opened.iter_batches(height, row_groups=[number], columns=list(names))
            while left:
                with reading(rows, "cannot be read:", _AGAIN):
                    table = next(batches, ())
                    if not 0 < len(table) <= left:
                        message = f"{left} of {part[1] - part[0]} rows are missing"
                        raise ValueError(message)
                left -= len(table)
                yield table


class _Description(NamedTuple):
    """What a file says about itself."""

    group_rows: list[int]  # number of rows of each row group
    columns: tuple[str, ...]
    kinds: dict[str, Any]  # type of each column
    row_names: str | range | None  # column or numbers that were the index of a frame


def _describe(file: str) -> _Description:
    with reading(file, "must be a Parquet file.", _AGAIN), _open(file) as opened:
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
        kinds = {name: schema.field(name).type for name in schema.names if name not in names}
        return _Description(rows, tuple(kinds), kinds, index)


def _open(file: str) -> Any:
    parquet = require("pyarrow.parquet", extra="cli", purpose="Reading Parquet")
    if "://" not in file:
        return parquet.ParquetFile(file, page_checksum_verification=True)
    fsspec = require("fsspec", extra="dask", purpose="Reading from a URL")
    opened = fsspec.open(file).open()
    return parquet.ParquetFile(opened, page_checksum_verification=True)


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
        message = f"{path} is a folder without files with the suffix .parquet. Add some."
        raise InvalidInputError(message)
    return sorted(found, key=_natural)


def _natural(name: str) -> list[Any]:
    """Sort key that puts part.10 after part.9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def as_values(column: Any) -> Array:
    """A column of a table: numbers, or objects with None."""
    types = require("pyarrow", extra="cli", purpose="Reading Parquet").types
    kind = column.type
    complete = not column.null_count and (types.is_integer(kind) or types.is_boolean(kind))
    if complete or types.is_floating(kind):
        return column.to_numpy()
    return _as_objects(column.to_pylist())


def _joined(parts: Sequence[Array]) -> Array:
    """Parts of one column; a common type that would merge large integers is not used."""
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) > 1 and np.result_type(*parts).kind == "f":
        return _as_objects(list(chain.from_iterable(part.tolist() for part in parts)))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _as_objects(entries: list[Any]) -> Array:
    objects = np.empty(len(entries), object)
    objects[:] = entries
    return objects
