"""Label matrices that stay where they are: NPY, Zarr and Parquet, larger than memory."""

from __future__ import annotations

import copy
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from consensa._array import Array, is_array
from consensa._machine.progress import track
from consensa._optional import require
from consensa.ensemble.labels import as_objects
from consensa.ensemble.numbering import Block, Numbering, Scan, merge_scans, scan_block
from consensa.exceptions import ConsensaError, InvalidInputError

__all__ = ["StoredCodes", "StoredLabels", "as_stored", "open_labels", "read_rows", "scan_stored"]

_ROWS = 2**16  # of a block, where the file does not suggest a number
_LAZY = ("zarr", "h5py")


class StoredLabels(ABC):
    """A label matrix from which ranges of rows are read when they are needed.

    Made by `open_labels`.

    Attributes
    ----------
    name : str
        File or folder, for messages.
    shape : (int, int)
        Number of samples and of partitions.
    partition_names : tuple of str or None
        Names of the columns.
    ends : sequence of int
        Rows at which a block that is read at once best begins, and the end.
    """

    name: str
    shape: tuple[int, int]
    partition_names: tuple[str, ...] | None = None
    ends: Sequence[int]

    @abstractmethod
    def _read(self, start: int, stop: int) -> Block:
        """Rows of the matrix: an array, or a list of columns."""

    @abstractmethod
    def _select(self, columns: Sequence[int]) -> StoredLabels:
        """The same rows with some of the columns."""

    def coded(self, numbering: Numbering) -> Any:
        """The codes that `numbering` gives to the labels, made when they are read."""
        return StoredCodes(self, numbering)


def open_labels(path: str | os.PathLike[str]) -> StoredLabels:
    """Open a label matrix on disk without reading it.

    Parameters
    ----------
    path : path or URL
        A file ``.npy``, a Parquet file or a folder of Parquet files, whose rows follow each
        other in the order of the file names, or a folder ``.zarr``. URLs of object stores go
        through fsspec.

    Returns
    -------
    StoredLabels
        What `Ensemble.from_labels` and the ``fit`` of every estimator take as a label matrix.
        Rows are read in blocks, when they are needed.

    Raises
    ------
    InvalidInputError
        If there is no such file, or it holds something else.

    See Also
    --------
    Ensemble.from_labels : Takes it, and memory-mapped arrays too.

    Notes
    -----
    Nothing is copied: methods that work by blocks of rows (``consensa methods`` names them) take
    labels that are larger than memory. Zarr needs ``pip install 'consensa[dask]'``, Parquet
    ``pip install 'consensa[cli]'``.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np
    >>> from consensa import Ensemble, open_labels
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.npy"
    >>> np.save(path, np.array([[0, 0], [0, 1], [1, 1]], np.int16))
    >>> Ensemble.from_labels(open_labels(path))
    Ensemble(n_samples=3, n_partitions=2, n_clusters=4)
    """
    text = os.fspath(path)
    ending = text.rstrip("/").rpartition(".")[2].lower()
    if "://" not in text and not Path(text).exists():
        message = f"There is no {text}."
        raise InvalidInputError(message)
    if ending == "npy":
        return _open_npy(Path(text))
    if ending == "zarr":
        zarr = require("zarr", extra="dask", purpose="Reading Zarr")
        try:
            return StoredArray(zarr.open_array(text, mode="r"), text)
        except (ValueError, OSError, KeyError, TypeError) as error:
            message = f"{text} must be an array written by Zarr. {error}"
            raise InvalidInputError(message) from error
    return ParquetLabels(text)


def as_stored(labels: Any) -> StoredLabels | None:
    """`labels` as a stored matrix, if they are memory-mapped, or an array of Zarr or HDF5."""
    if isinstance(labels, StoredLabels):
        return labels
    if isinstance(labels, np.memmap) and labels.ndim == 2 and labels.dtype.kind in "biuf":
        return StoredArray(labels, str(labels.filename))
    looks_stored = all(hasattr(labels, name) for name in ("shape", "dtype", "chunks"))
    if looks_stored and not is_array(labels) and type(labels).__module__.startswith(_LAZY):
        return StoredArray(labels, str(getattr(labels, "name", type(labels).__name__)))
    return None


def read_rows(source: StoredLabels, start: int, stop: int) -> Block:
    """Rows of a stored matrix; if they cannot be read, an error that says which."""
    try:
        return source._read(start, stop)
    except ConsensaError:
        raise
    except Exception as error:  # each format has errors of its own
        message = f"{source.name}, rows {start} to {stop - 1} cannot be read: {error}"
        raise InvalidInputError(message) from error


def scan_stored(source: StoredLabels, names: Sequence[str]) -> Scan:
    """Look at all blocks, one after the other; `names` are what messages call partitions."""
    blocks = [(a, b) for a, b in pairwise(source.ends) if b > a]
    scan = Scan(0, (np.empty(0, np.int64),) * len(names), 0, None)
    numbering = Numbering(scan.distinct)
    with track("reading labels", len(blocks)) as advance:
        for start, stop in blocks:
            block = read_rows(source, start, stop)
            found = numbering.scan_known(block, start) or scan_block(block, names, start)
            scan = merge_scans([scan, found])
            if scan.distinct is not numbering.distinct:
                numbering = Numbering(scan.distinct)
            advance()
    return scan


class StoredArray(StoredLabels):
    """A matrix in one array: memory-mapped, or of a library that reads slices of rows."""

    def __init__(self, array: Any, name: str, columns: Sequence[int] | None = None) -> None:
        if len(array.shape) != 2:
            message = (
                "labels must be a matrix with a row for each sample and a column for each "
                f"partition. {name} has shape {tuple(array.shape)}."
            )
            raise InvalidInputError(message)
        self.array, self.name, self.columns = array, name, columns
        width = array.shape[1] if columns is None else len(columns)
        self.shape = (int(array.shape[0]), int(width))
        chunks = getattr(array, "chunks", None)
        step = int(chunks[0]) if chunks else _ROWS
        step *= max(1, _ROWS // step)
        self.ends = [*range(0, self.shape[0], step), self.shape[0]]

    def _read(self, start: int, stop: int) -> Block:
        """Rows, as an array in memory or a view of the file."""
        rows = np.asarray(self.array[start:stop])
        return rows if self.columns is None else rows[:, self.columns]

    def _select(self, columns: Sequence[int]) -> StoredArray:
        return StoredArray(self.array, self.name, list(columns))

    def coded(self, numbering: Numbering) -> Any:
        """The codes; the memory map itself where its labels are codes already."""
        whole = isinstance(self.array, np.memmap) and self.array.dtype.kind in "iu"
        if whole and numbering.is_identity and self.columns is None:
            return self.array
        return StoredCodes(self, numbering)

    def __reduce__(self) -> Any:
        # A memory map is opened again where it arrives, not sent as a copy of the file.
        if isinstance(self.array, np.memmap):
            return _open_memmap, (
                self.name,
                str(self.array.dtype),
                self.array.offset,
                self.array.shape,
                "F" if self.array.flags.f_contiguous else "C",
                self.columns,
            )
        return StoredArray, (self.array, self.name, self.columns)


class StoredCodes:
    """Codes of a stored label matrix, made when they are read: int32, -1 for missing.

    Takes ranges and lists of rows; ``np.asarray`` reads all of them.
    """

    dtype = np.dtype(np.int32)
    ndim = 2

    def __init__(self, source: StoredLabels, numbering: Numbering) -> None:
        self.source, self.numbering = source, numbering
        self.shape, self.ends = source.shape, source.ends

    def __len__(self) -> int:
        return self.shape[0]

    def read(self, start: int, stop: int) -> Array:
        """Codes of a range of rows."""
        return self.numbering.codes(read_rows(self.source, start, stop))

    def __getitem__(self, rows: Any) -> Array:
        if isinstance(rows, slice):
            start, stop, step = rows.indices(self.shape[0])
            if step == 1:
                return self.read(start, max(start, stop))
        return self.__array__()[rows]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        codes = np.empty(self.shape, np.int32)
        for start, stop in pairwise(self.ends):
            codes[start:stop] = self.read(start, stop)
        return codes if dtype is None else codes.astype(dtype)


def _open_memmap(
    name: str, dtype: str, offset: int, shape: tuple[int, int], order: Any, columns: Any
) -> StoredArray:
    return StoredArray(np.memmap(name, dtype, "r", offset, shape, order), name, columns)


def _open_npy(path: Path) -> StoredArray:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        message = f"{path} must be a matrix of numbers written by NumPy. {error}"
        raise InvalidInputError(message) from error
    return StoredArray(array, str(path))


class ParquetLabels(StoredLabels):
    """A Parquet file, or a folder of them whose rows follow each other by file name."""

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
            except Exception as error:  # damaged pages raise many kinds
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
        message = f"{path} must hold files that end in .parquet. There are none in it."
        raise InvalidInputError(message)
    return sorted(found, key=_natural)


def _natural(name: str) -> list[Any]:
    """Key by which part.10 comes after part.9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _to_numpy(column: Any) -> Array:
    """A column of a table: integers with -1 for nothing, floats, or objects with None."""
    pyarrow = require("pyarrow", extra="cli", purpose="Reading Parquet")
    kind = column.type
    if pyarrow.types.is_integer(kind):
        nothing = column.null_count > 0
        return (column.cast(pyarrow.int64()).fill_null(-1) if nothing else column).to_numpy()
    if pyarrow.types.is_floating(kind):
        return column.to_numpy()
    if pyarrow.types.is_boolean(kind) and not column.null_count:
        return column.to_numpy()
    return as_objects(column.to_pylist())
