"""Features in Parquet files: columns of numbers and of text."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np

from consensa._array import Array
from consensa._machine.parquet_files import ParquetFiles, as_values
from consensa._machine.progress import track
from consensa._machine.row_sample import RowSample, merge_row_samples, sample_rows
from consensa._machine.threads import share_among_threads
from consensa._optional import require
from consensa.exceptions import InvalidInputError
from consensa.features._columns import is_number, text_columns
from consensa.features._drawn_frame import SAMPLED_ROWS, hash_entries, spread_rows
from consensa.features._encoding import Encoding
from consensa.features.stored_features import StoredFeatures

__all__ = ["ParquetFeatures"]

_NUMBERS, _TEXT = "numbers", "text"


class ParquetFeatures(StoredFeatures):
    """A Parquet file, or a folder of Parquet files in the order of their names."""

    def __init__(self, path: str) -> None:
        self.name, self.files = path, ParquetFiles(path)
        self.n_samples = self.files.ends[-1]
        self._take(self.files.columns)
        self.parts = [(low, high) for low, high in pairwise(self.files.ends) if high > low]

    def _take(self, columns: Sequence[str]) -> None:
        """Use these columns."""
        self.column_names, self.n_columns = tuple(columns), len(columns)
        self.kinds = {name: self._kind(name) for name in columns}
        self.dtype = np.dtype(np.float64)
        if set(self.kinds.values()) == {_NUMBERS}:
            types = [own[name].to_pandas_dtype() for own in self.files.kinds for name in columns]
            if np.result_type(*types) == np.float32:
                self.dtype = np.dtype(np.float32)

    def select(self, columns: Sequence[int]) -> ParquetFeatures:
        """Features of some of the columns."""
        chosen = copy.copy(self)
        vars(chosen).pop("_scanned", None)
        chosen._take([self.files.columns[j] for j in columns])
        return chosen

    def column(self, place: int) -> Array:
        """Values of one column as they are."""
        name = self.files.columns[place]
        return self.files.arrays([name], as_values, 0, self.n_samples)[0]

    def row_names(self) -> Array | None:
        """Index of the frame that was written, if all files have one of one level."""
        return self.files.row_names()

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
        for table in self.files.stream(list(self.kinds), part, self.height):
            columns = []
            for (name, kind), column in zip(self.kinds.items(), table.columns, strict=True):
                if column.null_count:
                    row = start + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
                    raise self._bad_entry(row, repr(name), "no value")
                if kind != _NUMBERS:
                    columns.append(column.to_pylist())
                    continue
                columns.append(column.to_numpy(zero_copy_only=False))
                finite = np.isfinite(columns[-1])
                if not finite.all():
                    row = start + int(np.argmin(finite))
                    raise self._bad_entry(row, repr(name), "a value that is not finite")
            yield start, columns
            start += len(table)

    def _blocks(self, part: tuple[int, int]) -> Iterator[tuple[int, Array]]:
        numbers, encoding = self._scanned
        for start, columns in self._tables(part):
            for place, (name, kind) in enumerate(self.kinds.items()):
                if kind != _NUMBERS and name in numbers:
                    columns[place] = self._as_numbers(start, name, columns[place])
            if encoding is not None:
                yield start, encoding.features(self._frame(columns))
            else:
                yield start, np.stack(columns, axis=1)

    def _as_numbers(self, start: int, name: str, texts: list[str]) -> Array:
        """Numbers written as text."""
        wrong = [place for place, text in enumerate(texts) if not is_number(text)]
        if wrong:
            what = f"the text {texts[wrong[0]]!r} among numbers"
            raise self._bad_entry(start + wrong[0], repr(name), what)
        return np.array([float(text) for text in texts])

    def _frame(self, columns: Sequence[Any]) -> nw.DataFrame[Any]:
        """Columns as a frame."""
        pandas = require("pandas", extra="cli", purpose="Text columns in Parquet")
        data = dict(zip(self.kinds, columns, strict=True))
        return nw.from_native(pandas.DataFrame(data), eager_only=True)

    @property
    def encoding(self) -> Encoding | None:
        """Encoding of the text columns, learned from drawn rows; None if there are none."""
        return self._scanned[1]

    @cached_property
    def _scanned(self) -> tuple[set[str], Encoding | None]:
        """Names of the columns of numbers, possibly written as text, and the encoding of others.

        If some columns are not numbers, they are decided on and learned from drawn rows.
        """
        if set(self.kinds.values()) <= {_NUMBERS}:
            return set(self.kinds), None
        none = np.empty((0, self.n_columns), object)

        def draw(parts: Sequence[tuple[int, int]]) -> RowSample:
            return sample_rows(self._raw(parts, advance), _Raw.hashes, SAMPLED_ROWS, none)

        with track("text columns", len(self.parts)) as advance:
            sample = merge_row_samples(share_among_threads(draw, self.parts), SAMPLED_ROWS)
        rows = np.asarray(sample.rows)[spread_rows(sample, SAMPLED_ROWS)]
        columns = [
            own.astype(np.float64) if kind == _NUMBERS else own.tolist()
            for own, kind in zip(rows.T, self.kinds.values(), strict=True)
        ]
        frame = self._frame(columns)
        text = text_columns(frame)
        return set(self.kinds) - set(text), Encoding.of(frame, text) if text else None

    def _raw(
        self, parts: Sequence[tuple[int, int]], advance: Callable[[], None]
    ) -> Iterator[tuple[int, _Raw]]:
        for part in parts:
            for start, columns in self._tables(part):
                yield start, _Raw(columns)
            advance()


class _Raw:
    """Columns of a block, of which few rows become an array of objects."""

    def __init__(self, columns: Sequence[Any]) -> None:
        self.columns, self.shape = columns, (len(columns[0]), len(columns))

    def hashes(self) -> Array:
        """Hash of each row."""
        return hash_entries(self.columns)

    def __getitem__(self, rows: Array) -> Array:
        found = np.empty((len(rows), self.shape[1]), object)
        for place, own in enumerate(self.columns):
            found[:, place] = [own[row] for row in rows.tolist()]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self[np.arange(self.shape[0])]


def _kind_of(kind: Any) -> str | None:
    """Whether a type of Arrow is numbers or text; None for any other."""
    types = require("pyarrow", extra="cli", purpose="Reading Parquet").types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return _NUMBERS
    text = types.is_string(kind) or types.is_large_string(kind)
    return _TEXT if text or types.is_dictionary(kind) else None
