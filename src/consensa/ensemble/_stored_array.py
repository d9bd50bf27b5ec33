"""Label matrices in one array on disk: NPY, memory maps, and arrays of Zarr and HDF5."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from consensa._machine.array_files import open_npy_array, open_zarr_array, unstored_chunks
from consensa._machine.numpy_files import check_characters
from consensa.ensemble.missing import is_missing, is_nothing
from consensa.ensemble.numbering import Block, Numbering
from consensa.ensemble.stored_labels import StoredCodes, StoredLabels
from consensa.exceptions import InvalidInputError, UnstoredChunksWarning

__all__ = ["StoredArray", "from_zarr", "open_npy", "open_zarr"]

_ROWS = 2**16  # of a block, if the file has no chunks


class StoredArray(StoredLabels):
    """A matrix in one array: memory-mapped, or of a library that can read slices of rows."""

    def __init__(self, array: Any, name: str, columns: Sequence[int] | None = None) -> None:
        if len(array.shape) != 2:
            message = (
                "labels must be a matrix with one row per sample and one column per "
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
        check_characters(rows)
        return rows if self.columns is None else rows[:, self.columns]

    def _select(self, columns: Sequence[int]) -> StoredArray:
        return StoredArray(self.array, self.name, list(columns))

    def coded(self, numbering: Numbering) -> Any:
        """The codes; the memory map itself if its labels are codes already."""
        whole = isinstance(self.array, np.memmap) and self.array.dtype.kind in "iu"
        if whole and numbering.is_identity and self.columns is None:
            return self.array
        return StoredCodes(self, numbering)

    def __reduce__(self) -> Any:
        # A memory map is opened again by the receiver, not sent as a copy.
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


def _open_memmap(
    name: str, dtype: str, offset: int, shape: tuple[int, int], order: Any, columns: Any
) -> StoredArray:
    return StoredArray(np.memmap(name, dtype, "r", offset, shape, order), name, columns)


def open_npy(path: str) -> StoredArray:
    """Open an NPY file as a memory map."""
    return StoredArray(open_npy_array(path), path)


def open_zarr(path: str) -> StoredArray:
    """Open a Zarr array, in a folder or at a URL."""
    return from_zarr(open_zarr_array(path), path)


def from_zarr(array: Any, name: str) -> StoredArray:
    """An array of Zarr; warn if its metadata and not its chunks say some of the labels."""
    labels = StoredArray(array, name)
    absent, all_of_them = unstored_chunks(array, name)
    fill = array.fill_value
    if not absent or fill is None or is_nothing(fill) or is_missing(fill):
        return labels
    message = (
        f"{absent} of the {all_of_them} chunks of {name} are not stored: all their "
        f"labels are read as {fill!s}. Zarr omits a chunk that has no other label; but if chunks "
        f"were lost, these labels are wrong. Write labels with fill_value=-1, so that lost chunks "
        f"are missing labels."
    )
    warnings.warn(message, UnstoredChunksWarning, stacklevel=4)
    return labels
