"""Features on disk: rows are read, checked and encoded in blocks when they are needed."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import psutil

from consensa._array import Array
from consensa._machine.hashing import hash_features
from consensa._machine.memory import available_bytes, require_bytes
from consensa._machine.progress import track
from consensa._machine.reading import reading
from consensa._machine.row_sample import RowSample, sample_rows, spread_rows
from consensa._optional import require
from consensa.exceptions import InvalidInputError
from consensa.features._drawn_frame import SAMPLED_ROWS
from consensa.features._encoding import Encoding
from consensa.features._features import Features, read_features
from consensa.features._matrix import check_matrix

__all__ = ["ArrayFeatures", "StoredColumn", "StoredFeatures", "features_of"]

_BLOCK_BYTES = 2**24
_MOST_ROWS = 2**14  # of a block
_MULTIPLE = 512
_AGAIN = "Write the file again."
_FILLED = " On one machine missing='impute', or --missing impute, fills it."


class StoredFeatures(ABC):
    """Features whose rows are read when they are needed.

    Created by `open_features`.

    Attributes
    ----------
    name : str
        File or folder, for messages.
    n_samples : int
        Number of rows.
    column_names : tuple of str or None
        Names of the columns, if they have any.
    parts : list of (int, int)
        First and last row of the parts that are read one by one.
    memory : float or None
        Bytes that the process may use; None is half of the free memory.
    resume : path or None
        Folder of the state of a run, which goes on where it was interrupted.
    deferred : bool
        Whether labels and confidence of the rows are computed when they are read, and not kept.
    fills : mapping of int
        What a missing value of a column, by its place, is replaced by; without it, it is an error.
    """

    name: str
    n_samples: int
    n_columns: int
    dtype: Any
    column_names: tuple[str, ...] | None = None
    sample_names: Any = None
    parts: list[tuple[int, int]]
    memory: float | None = None
    resume: Any = None
    deferred: bool = False
    fills: Mapping[int, Any] = MappingProxyType({})
    state: Any = None  # of the run that reads these features
    passes: Any = None  # by which a generator reads them, if it is not on this machine alone

    @property
    def encoding(self) -> Encoding | None:
        """Encoding of the text columns; None if there are none."""
        return None

    @property
    def is_scaled(self) -> bool:
        """Whether the columns are scaled already, so that generators do not scale them."""
        return self.encoding is not None and self.encoding.is_scaled

    def most_memory(self) -> float:
        """Bytes that the process may use."""
        if self.memory is not None:
            return self.memory
        return int(psutil.Process().memory_info().rss) + available_bytes() / 2

    @property
    def height(self) -> int:
        """Number of rows of a block."""
        rows = _BLOCK_BYTES // max(8 * self.n_columns, 1)
        return min(_MOST_ROWS, max(rows // _MULTIPLE, 1) * _MULTIPLE)

    @abstractmethod
    def _blocks(self, part: tuple[int, int]) -> Iterator[tuple[int, Array]]:
        """Blocks of rows of a part as they are stored, with the number of the first row."""

    def entries(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        """Columns of the blocks of a part as they are stored.

        Arrays of numbers, with NaN where one is missing, or lists of text with None.
        """
        raise NotImplementedError

    def columns_of(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        """The same, checked and complete, with numbers for text that is numbers."""
        for start, matrix in self.stream(part):
            yield start, list(matrix.T)

    def is_text(self, place: int) -> bool:
        """Whether a column holds text, and not numbers."""
        return False

    def is_truth(self, place: int) -> bool:
        """Whether a column holds truth values."""
        return False

    def filled(self, fills: Mapping[int, Any]) -> Self:
        """The same features with missing values replaced, by the place of their column."""
        other = copy.copy(self)
        vars(other).pop("learned", None)  # from rows with missing values
        other.fills = fills
        if fills:
            other.dtype = np.dtype(np.float64)  # medians of numbers in single precision
        return other

    def place_of(self, row: int) -> str:
        """File and row, for messages."""
        return self._place(row)

    def _place(self, row: int) -> str:
        return f"{self.name}, row {row} (counted from 0),"

    def stream(self, part: tuple[int, int]) -> Iterator[tuple[int, Array]]:
        """Rows of a part, checked, each block with the number of its first row."""
        for start, block in self._blocks(part):
            matrix = np.ascontiguousarray(block, dtype=self.dtype)
            self._check(start, matrix)
            yield start, matrix

    def _check(self, start: int, matrix: Array) -> None:
        """Raise an error if a value is not finite; the message names its place."""
        if np.isfinite(matrix.sum(dtype=np.float64)) or np.isfinite(matrix).all():
            return
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(matrix)))
        which = column if self.column_names is None else repr(self.column_names[column])
        what = "no value (NaN)" if np.isnan(matrix[row, column]) else "an infinite value"
        raise self._bad_entry(start + row, which, what)

    def _bad_entry(self, row: int, column: Any, what: str) -> InvalidInputError:
        return InvalidInputError(
            f"{self._place(row)} has {what} in column {column}. Fill or correct it, or drop these "
            f"rows or the column.{_FILLED if 'no value' in what else ''}"
        )

    def check_columns(self) -> None:  # noqa: B027
        """Raise an error for columns that cannot be features, before any row is read."""

    def select(self, columns: Sequence[int]) -> StoredFeatures:
        """Features of some of the columns of a file."""
        raise NotImplementedError

    def column(self, place: int) -> StoredColumn:
        """Values of one of the columns as they are in the file."""
        raise NotImplementedError

    def row_names(self) -> StoredColumn | None:
        """Names of the rows, if the file has them."""
        return None

    def tables(self) -> Iterator[tuple[int, Any]]:
        """All columns of the file as they are, in pandas frames of blocks of rows."""
        raise NotImplementedError

    def some_rows(self) -> Array:
        """Rows of a few blocks: the first, one in the middle and the last."""
        middle, last = len(self.parts) // 2, len(self.parts) - 1
        begins = [next(self.stream(self.parts[place]))[1] for place in sorted({0, middle})]
        ((start, end),) = deque(self.stream(self.parts[last]), maxlen=1)
        return np.concatenate([*begins, end] if start else begins)

    def sampled(self, limit: int = SAMPLED_ROWS) -> Features:
        """At most `limit` rows, drawn by a hash of their values; all if there are no more."""
        if self.n_samples <= limit:
            return self.load()
        sample = self._drawn_numbers(limit)
        return self._features(np.asarray(sample.rows)[spread_rows(sample.counts, limit)])

    def drawn_features(self, limit: int) -> tuple[Array, Features]:
        """Numbers of up to `limit` samples with different rows, drawn by a hash, and the rows."""
        sample = self._drawn_numbers(limit)
        return sample.first, self._features(np.asarray(sample.rows))

    def shown_rows(self, limit: int) -> tuple[Array, Any]:
        """Numbers of up to `limit` samples, drawn by a hash of their rows, and a frame of them."""
        sample = self._drawn(limit)
        first, rows = sample.first[:limit], np.asarray(sample.rows[:limit])
        return first, self.frame_of(rows)

    def _drawn(self, limit: int) -> RowSample:
        return self._drawn_numbers(limit)

    def _drawn_numbers(self, limit: int) -> RowSample:
        """Drawn rows as numbers, with the text columns encoded."""
        blocks = (block for part in self.parts for block in self.stream(part))
        return sample_rows(blocks, hash_features, limit, self.none)

    def frame_of(self, rows: Array) -> Any:
        """Drawn rows as a pandas frame."""
        pandas = require("pandas", extra="cli", purpose="A frame of features")
        return pandas.DataFrame(rows, columns=self.column_names)

    @property
    def width(self) -> int:
        """Number of features, after text columns are encoded."""
        return self.n_columns if self.encoding is None else sum(self.encoding.widths.values())

    @property
    def none(self) -> Array:
        """No rows, of the type of all."""
        return np.empty((0, self.width), self.dtype)

    def load(self) -> Features:
        """All features in memory, if they fit."""
        itemsize = np.dtype(self.dtype).itemsize
        require_bytes(
            2.0 * self.n_samples * self.width * itemsize,
            step=f"Reading {self.name} at once",
            why=f"{self.n_samples} rows of {self.n_columns} features",
            remedy="Use a generator that reads blocks of rows, such as DiverseKinds.",
        )
        whole = np.empty((self.n_samples, self.width), self.dtype)
        with track("reading features", len(self.parts)) as advance:
            for part in self.parts:
                for start, matrix in self.stream(part):
                    whole[start : start + len(matrix)] = matrix
                advance()
        return self._features(whole)

    def _features(self, matrix: Array) -> Features:
        """Rows in memory."""
        return Features(
            check_matrix(matrix),
            column_names=self.column_names,
            is_scaled=self.is_scaled,
            encoding=self.encoding,
        )


class StoredColumn:
    """A column of a file, read when it is needed: a range of rows, or all by ``np.asarray``.

    Parameters
    ----------
    read : callable
        ``read(start, stop)``: values of a range of rows.
    parts : list of (int, int)
        Parts of the rows that are read at once; the last one is kept.
    title : str, default=""
        Name of the column, if it names the rows.
    """

    def __init__(
        self, read: Callable[[int, int], Array], parts: list[tuple[int, int]], title: str = ""
    ) -> None:
        self.read, self.parts, self.title = read, parts, title
        self.starts = [start for start, _ in parts]
        self._last: tuple[int, Array] | None = None

    def __len__(self) -> int:
        return self.parts[-1][1] if self.parts else 0

    def __getitem__(self, where: Any) -> Any:
        if not isinstance(where, slice):
            place = self._place(int(where))
            return self._part(place)[int(where) - self.starts[place]]
        start, stop, _ = where.indices(len(self))
        places = range(self._place(start), self._place(max(stop - 1, start)) + 1)
        found = [
            self._part(place)[max(start - self.starts[place], 0) : stop - self.starts[place]]
            for place in places
        ]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found = np.asarray(self.read(0, len(self)))
        return found if dtype is None else found.astype(dtype)

    def blocks(self) -> Iterator[Array]:
        """The values, part by part."""
        return (self._part(place) for place in range(len(self.parts)))

    def _place(self, row: int) -> int:
        return bisect_right(self.starts, row) - 1

    def _part(self, place: int) -> Array:
        if self._last is None or self._last[0] != place:
            self._last = place, self.read(*self.parts[place])
        return self._last[1]


def features_of(X: Any) -> Any:
    """Features on disk as they are, and anything else as `read_features` reads it."""
    return X if isinstance(X, StoredFeatures) else read_features(X)


class ArrayFeatures(StoredFeatures):
    """Features in one array on disk: a memory map, or an array of Zarr."""

    def __init__(self, array: Any, name: str, columns: Sequence[int] | None = None) -> None:
        if len(array.shape) != 2 or array.shape[1] < 1 or np.dtype(array.dtype).kind not in "biuf":
            message = (
                f"Features must be a matrix of numbers with one row per sample. {name} has shape "
                f"{tuple(array.shape)} and type {array.dtype}."
            )
            raise InvalidInputError(message)
        self.array, self.name, self.columns = array, name, columns
        self.n_samples = int(array.shape[0])
        self.n_columns = int(array.shape[1]) if columns is None else len(columns)
        self.dtype = np.dtype(np.float32 if array.dtype == np.float32 else np.float64)
        chunks = getattr(array, "chunks", None)
        step = self.height if not chunks else int(chunks[0]) * max(1, self.height // chunks[0])
        n = self.n_samples
        self.parts = [(start, min(start + step, n)) for start in range(0, n, step)]

    def _blocks(self, part: tuple[int, int]) -> Iterator[tuple[int, Array]]:
        for start in range(*part, self.height):
            stop = min(start + self.height, part[1])
            with reading(f"{self.name}, rows {start} to {stop - 1},", "cannot be read:", _AGAIN):
                block = self._rows(start, stop)
            block = block if self.columns is None else block[:, self.columns]
            for place, fill in self.fills.items():
                block[:, place] = np.where(np.isnan(block[:, place]), fill, block[:, place])
            yield start, block

    def entries(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        """Columns of the blocks of a part, with NaN where a number is missing."""
        for start, block in self.filled({})._blocks(part):
            yield start, list(block.T)

    def select(self, columns: Sequence[int]) -> ArrayFeatures:
        """Features of some of the columns."""
        chosen = ArrayFeatures(self.array, self.name, list(columns))
        chosen.memory, chosen.resume, chosen.deferred = self.memory, self.resume, self.deferred
        return chosen

    def column(self, place: int) -> StoredColumn:
        """Values of one column as they are."""
        stored = place if self.columns is None else self.columns[place]

        def read(start: int, stop: int) -> Array:
            with reading(f"{self.name}, rows {start} to {stop - 1},", "cannot be read:", _AGAIN):
                return self._rows(start, stop)[:, stored]

        return StoredColumn(read, self.parts)

    def tables(self) -> Iterator[tuple[int, Any]]:
        """All columns, named by their numbers, in frames of blocks of rows."""
        pandas = require("pandas", extra="cli", purpose="A frame of features")
        whole = ArrayFeatures(self.array, self.name)
        for part in whole.parts:
            for start, block in whole._blocks(part):
                yield start, pandas.DataFrame(block).rename(columns=str)

    def __reduce__(self) -> Any:
        # A memory map is opened again by the receiver, not sent as a copy.
        array = self.array
        if not isinstance(array, np.memmap):
            return ArrayFeatures, (array, self.name, self.columns)
        order = "C" if array.flags.c_contiguous else "F"
        where = (str(array.dtype), array.offset, array.shape, order)
        return _mapped_again, (self.name, where, self.columns)

    def _rows(self, start: int, stop: int) -> Array:
        array = self.array
        if not isinstance(array, np.memmap) or not array.flags.c_contiguous:
            return np.asarray(array[start:stop])
        # Not through the map, whose pages would fill the memory of the process.
        width = array.shape[1]
        place = array.offset + start * width * array.dtype.itemsize
        count = (stop - start) * width
        found = np.fromfile(self.name, array.dtype, count, offset=place)
        if len(found) < count:
            message = f"the file ends after {len(found) // width} of {stop - start} rows"
            raise ValueError(message)
        return found.reshape(-1, width)


def _mapped_again(name: str, where: Any, columns: Sequence[int] | None) -> ArrayFeatures:
    dtype, offset, shape, order = where
    with reading(name, "cannot be read:", _AGAIN):
        array = np.memmap(name, dtype, "r", offset, shape, order)
    return ArrayFeatures(array, name, columns)
