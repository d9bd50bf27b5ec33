"""A label matrix that stays where it is: rows are read, and numbered, when they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.progress import track
from consensa.ensemble.numbering import Block, Numbering, Scan, merge_scans, scan_block
from consensa.exceptions import ConsensaError, InvalidInputError

__all__ = ["StoredCodes", "StoredLabels", "read_rows", "scan_stored"]


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
