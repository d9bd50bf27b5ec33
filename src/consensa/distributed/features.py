"""Features on a Dask cluster: blocks of rows of an array, of a frame, or of a file.

A block is a task whose result is a `StoredFeatures`, and the rows of it that are meant. So what
workers read, check and encode is what one machine does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array, unmasked
from consensa._machine.memory import require_bytes
from consensa._machine.row_sample import RowSample
from consensa.distributed._cluster import Computes, dask_array, delay, reduce_as_tree, share
from consensa.distributed._feature_passes import Block, DaskPasses
from consensa.exceptions import InvalidInputError
from consensa.features import Features, read_features
from consensa.features.stored_features import StoredFeatures
from consensa.features.table_features import NUMBERS, TEXT, Learned, TableFeatures, merge_entries

__all__ = ["DaskFeatures", "read_dask_features", "rows_of_task"]

_LEAST_ROWS = 2**16  # of a task
_MOST_TASKS = 2**12  # of a pass


def rows_of_task(n_rows: int) -> int:
    """Number of rows of a file that one task reads."""
    return max(_LEAST_ROWS, -(-n_rows // _MOST_TASKS))


class DaskFeatures(StoredFeatures):
    """Features in blocks on a Dask cluster.

    Parameters
    ----------
    blocks : sequence of Block
        The rows.
    like : StoredFeatures
        The columns: their names, type and encoding.
    compute : Computes
        Computes on the cluster.
    """

    def __init__(self, blocks: Sequence[Block], like: StoredFeatures, compute: Computes) -> None:
        self.like, self.parts = like, [(block.start, block.stop) for block in blocks]
        self.name, self.resume = like.name, like.resume
        self.n_samples = blocks[-1].stop
        self.n_columns, self.dtype = like.n_columns, like.dtype
        self.column_names = like.column_names
        self.passes = DaskPasses(blocks, like.none, compute)

    @property
    def encoding(self) -> Any:
        """Encoding of the text columns; None if there are none."""
        return self.like.encoding

    def _blocks(self, part: tuple[int, int]) -> Iterator[tuple[int, Array]]:
        raise NotImplementedError  # the workers read them

    def _drawn(self, limit: int) -> RowSample:
        like = self.like
        if isinstance(like, TableFeatures) and not like.is_numeric:
            return _draw_from(self.passes.blocks, self.passes.compute)
        return super()._drawn(limit)

    def _drawn_numbers(self, limit: int) -> RowSample:
        return self.passes.draw(limit, 0)

    def frame_of(self, rows: Array) -> Any:
        """Drawn rows as a pandas frame."""
        return self.like.frame_of(rows)

    def load(self) -> Features:
        """All features in the memory of this process, if they fit."""
        require_bytes(
            2.0 * self.n_samples * self.width * np.dtype(self.dtype).itemsize,
            step="Bringing X to this process",
            why=f"{self.n_samples} rows of {self.n_columns} features",
            remedy="Use a generator that reads blocks of rows, such as DiverseKinds.",
        )
        return self._features(self.passes.take())


def read_dask_features(X: Any) -> DaskFeatures:
    """Features from a Dask array or frame, features on disk, or anything that is in memory."""
    if isinstance(X, DaskFeatures):
        return X
    da = dask_array()
    compute = Computes()
    if isinstance(X, StoredFeatures):
        return _of_stored(X, compute)
    if hasattr(X, "to_dask_array") and hasattr(X, "partitions"):
        return _of_frame(X, compute)
    if isinstance(X, da.Array):
        return _of_array(X, compute)
    return _of_memory(read_features(X, accept_sparse=False), compute)


def _of_stored(stored: StoredFeatures, compute: Computes) -> DaskFeatures:
    """Files that every worker can read: a few parts are read by one task."""
    if isinstance(stored, TableFeatures) and not stored.is_numeric:
        _learn(stored, _blocks_of(stored), compute)
    return _checked(_blocks_of(stored), stored, compute)


def _blocks_of(stored: StoredFeatures) -> list[Block]:
    source, groups = share(stored), [[stored.parts[0]]] if stored.parts else []
    for part in stored.parts[1:]:
        if part[1] - groups[-1][0][0] > rows_of_task(stored.n_samples):
            groups.append([])
        groups[-1].append(part)
    return [Block(source, tuple(group)) for group in groups]


def _of_array(array: Any, compute: Computes) -> DaskFeatures:
    if array.ndim != 2 or np.isnan(array.shape[1]) or array.dtype.kind not in "biuf":
        message = (
            f"X must be a Dask array of numbers with one row per sample and one column per "
            f"feature. Got shape {array.shape} and type {array.dtype}."
        )
        raise InvalidInputError(message)
    array = array.rechunk({1: -1}) if array.numblocks[1] > 1 else array
    tasks = list(array.to_delayed().ravel())
    known = not np.isnan(array.shape[0])
    lengths = [int(n) for n in array.chunks[0]] if known else _lengths(tasks, compute)
    like = _ArrayRows(np.empty((0, int(array.shape[1])), array.dtype), _NOTHING)
    blocks = [
        Block(delay(_ArrayRows, task, place), (place.part,))
        for task, place in zip(tasks, _places(lengths), strict=True)
        if place.n_rows
    ]
    return _checked(blocks, like, compute)


def _of_frame(frame: Any, compute: Computes) -> DaskFeatures:
    tasks = list(frame.to_delayed())
    lengths = _lengths(tasks, compute)
    like = _FrameRows(frame._meta, _NOTHING, None)
    parts = [
        (task, place) for task, place in zip(tasks, _places(lengths), strict=True) if place.n_rows
    ]
    if not like.is_numeric:
        raw = [Block(delay(_FrameRows, task, place, None), (place.part,)) for task, place in parts]
        _learn(like, raw, compute)
    learned = share(like.learned)
    blocks = [
        Block(delay(_FrameRows, task, place, learned), (place.part,)) for task, place in parts
    ]
    return _checked(blocks, like, compute)


def _of_memory(features: Features, compute: Computes) -> DaskFeatures:
    """Features that are in this process, in one block."""
    place = Place(0, 0, features.n_samples)
    rows = _ArrayRows(features.points, place)
    rows.column_names, rows.text = features.column_names, features.encoding
    rows.n_columns = features.n_columns
    return _checked([Block(share(rows), (place.part,))], rows, compute)


def _lengths(tasks: Sequence[Any], compute: Computes) -> list[int]:
    """Number of rows of each block, if Dask does not know it."""
    found: list[int] = compute("rows of blocks", delay(list, [delay(len, task) for task in tasks]))
    return found


def _places(lengths: Sequence[int]) -> list[Place]:
    ends = pairwise(accumulate(lengths, initial=0))
    return [Place(number, start, stop - start) for number, (start, stop) in enumerate(ends)]


def _learn(table: TableFeatures, blocks: Sequence[Block], compute: Computes) -> None:
    """Learn the text columns of a table from rows that workers draw."""
    if blocks:
        vars(table)["learned"] = table.learn(_draw_from(blocks, compute))


def _draw_from(blocks: Sequence[Block], compute: Computes) -> RowSample:
    """Rows of all blocks, drawn by a hash of their entries."""
    drawn = [delay(_draw_entries, source, parts) for source, parts in blocks]
    found: RowSample = compute("text columns", reduce_as_tree(merge_entries, drawn))
    return found


def _draw_entries(source: TableFeatures, parts: Sequence[tuple[int, int]]) -> Any:
    return source.draw_entries(parts)


def _checked(blocks: Sequence[Block], like: StoredFeatures, compute: Computes) -> DaskFeatures:
    n_rows = blocks[-1].stop if blocks else 0
    if n_rows < 2:
        message = f"X must have at least 2 rows. Got {n_rows} in all blocks."
        raise InvalidInputError(message)
    return DaskFeatures(blocks, like, compute)


# ---- what workers read -------------------------------------------------------------------------


class Place(NamedTuple):
    """Number of a block, of its first row, and of its rows."""

    number: int
    start: int
    n_rows: int

    @property
    def part(self) -> tuple[int, int]:
        """First row, and the end."""
        return self.start, self.start + self.n_rows

    def named(self, row: int) -> str:
        """Block and row, for messages."""
        return f"Block {self.number} of X, row {row} of all (both counted from 0),"

    def check(self, found: int) -> None:
        """Raise an error unless the block has this number of rows."""
        if self is not _NOTHING and found != self.n_rows:
            message = (
                f"Block {self.number} of X (counted from 0) must have {self.n_rows} rows. It has "
                f"{found}: its source has changed, or the chunks were given wrongly."
            )
            raise InvalidInputError(message)


_NOTHING = Place(0, 0, 0)


class _ArrayRows(StoredFeatures):
    """A block of numbers."""

    name = "X"
    text: Any = None

    def __init__(self, block: Any, place: Place) -> None:
        if sparse.issparse(block):
            message = "Blocks of X must be dense. Got a sparse matrix; use block.toarray()."
            raise InvalidInputError(message)
        self.matrix, self.place = np.asarray(unmasked(block, np.nan)), place
        place.check(len(self.matrix))
        self.n_samples, self.n_columns = self.matrix.shape
        self.dtype = np.dtype(np.float32 if self.matrix.dtype == np.float32 else np.float64)
        self.parts = [place.part]

    @property
    def encoding(self) -> Any:
        """Encoding of the text columns; None if there are none."""
        return self.text

    def _place(self, row: int) -> str:
        return self.place.named(row)

    def _blocks(self, part: tuple[int, int]) -> Iterator[tuple[int, Array]]:
        for start in range(0, self.n_samples, self.height):
            yield self.place.start + start, self.matrix[start : start + self.height]


class _FrameRows(TableFeatures):
    """A block of a frame; `learned` is what is known of its text columns."""

    name = "X"

    def __init__(self, frame: Any, place: Place, learned: Learned | None) -> None:
        self.frame, self.place = frame, place
        place.check(len(frame))
        self.n_samples, self.n_columns = frame.shape
        names = tuple(frame.columns)
        self.column_names = names if all(isinstance(name, str) for name in names) else None
        self.kinds = {name: _kind_of(name, kind) for name, kind in frame.dtypes.items()}
        self.categories = frozenset(
            name for name, kind in frame.dtypes.items() if str(kind) == "category"
        )
        self.dtype, self.parts = _common_type(frame.dtypes), [place.part]
        if learned is not None:
            vars(self)["learned"] = learned

    def _place(self, row: int) -> str:
        return self.place.named(row)

    def _tables(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        for start in range(0, self.n_samples, self.height):
            rows = self.frame.iloc[start : start + self.height]
            columns = []
            for name, kind in self.kinds.items():
                column = rows[name]
                if column.isna().any():
                    row = self.place.start + start + int(np.argmax(column.isna().to_numpy()))
                    raise self._bad_entry(row, repr(name), "no value")
                number = kind == NUMBERS
                columns.append(column.to_numpy(dtype=self.dtype) if number else column.tolist())
            yield self.place.start + start, columns


def _kind_of(name: Any, kind: Any) -> str:
    """Whether a column of a frame holds numbers or text."""
    if getattr(kind, "kind", "O") in "biuf":
        return NUMBERS
    if getattr(kind, "kind", "O") in "OUT" and not hasattr(kind, "unit"):
        return TEXT
    message = (
        f"Column {name!r} of X must contain numbers or text. It has the type {kind}. Convert the "
        f"column, or leave it out."
    )
    raise InvalidInputError(message)


def _common_type(kinds: Any) -> Any:
    """Type of the features: float32 if one machine would read these columns as such."""
    plain = [kind for kind in kinds if isinstance(kind, np.dtype) and kind.kind in "iuf"]
    whole = len(plain) == len(kinds) and np.result_type(*plain) == np.float32
    return np.dtype(np.float32 if whole else np.float64)
