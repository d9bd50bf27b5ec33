"""A label matrix on disk: rows are read and numbered when they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa._machine.progress import track
from consensa.ensemble.checks import check_counts, check_scan
from consensa.ensemble.missing import is_missing
from consensa.ensemble.numbering import (
    Block,
    Numbering,
    Scan,
    merge_scans,
    scan_block,
    signed_partitions,
)
from consensa.exceptions import ConsensaError, InvalidInputError

__all__ = ["StoredCodes", "StoredLabels", "read_rows", "scan_stored"]


class StoredLabels(ABC):
    """A label matrix whose rows are read when they are needed.

    Created by `open_labels`.

    Attributes
    ----------
    name : str
        File or folder, for messages.
    shape : (int, int)
        Number of samples and of partitions.
    partition_names : tuple of str or None
        Names of the columns.
    ends : sequence of int
        First rows of the preferred blocks, and the end.
    """

    name: str
    shape: tuple[int, int]
    partition_names: tuple[str, ...] | None = None
    ends: Sequence[int]

    @abstractmethod
    def _read(self, start: int, stop: int) -> Block:
        """Rows of the matrix: an array, or a list of columns."""

    def column(self, place: int) -> Array:
        """Values of one column as they are, not as labels; None if one is missing."""
        one = self._select([place])
        parts = [read_rows(one, start, stop) for start, stop in pairwise(one.ends) if stop > start]
        return np.concatenate([part[:, 0] for part in parts])

    def row_names(self) -> Array | None:
        """Names of the rows, if the file has them."""
        return None

    @abstractmethod
    def _select(self, columns: Sequence[int]) -> StoredLabels:
        """Rows of some of the columns."""

    def coded(self, numbering: Numbering) -> Any:
        """Codes of the labels by `numbering`, computed when they are read."""
        return StoredCodes(self, numbering)


class StoredCodes:
    """Codes of a stored label matrix, computed when they are read: int32, -1 for a missing label.

    Supports ranges and lists of rows; ``np.asarray`` reads all of them.
    """

    dtype = np.dtype(np.int32)
    ndim = 2
    deferred = False  # whether the consensus labels of the rows are computed when they are read

    def __init__(self, source: StoredLabels, numbering: Numbering) -> None:
        self.source, self.numbering = source, numbering
        self.shape, self.ends = source.shape, source.ends

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def cluster_counts(self) -> Array:
        """Number of clusters of each partition."""
        return np.array([len(values) for values in self.numbering.distinct])

    def count_missing(self) -> int:
        """Number of missing labels."""
        blocks = (self.read(start, stop) for start, stop in pairwise(self.ends))
        return sum(int(is_missing(block).sum()) for block in blocks)

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
        require_bytes(
            4.0 * self.shape[0] * self.shape[1],
            step="Reading all labels at once",
            why=f"{self.shape[0]} samples, {self.shape[1]} partitions",
            remedy="Use a machine with more memory, or what works by blocks of rows.",
        )
        codes = np.empty(self.shape, np.int32)
        for start, stop in pairwise(self.ends):
            codes[start:stop] = self.read(start, stop)
        return codes if dtype is None else codes.astype(dtype)


def read_rows(source: StoredLabels, start: int, stop: int) -> Block:
    """Rows of a stored matrix; the error message names rows that cannot be read."""
    try:
        return source._read(start, stop)
    except ConsensaError:
        raise
    except Exception as error:  # each format has its own errors
        message = f"{source.name}, rows {start} to {stop - 1} cannot be read: {error}"
        raise InvalidInputError(message) from error


def scan_stored(source: StoredLabels) -> Scan:
    """Scan all blocks in order, and check that each sample and each partition has labels."""
    check_counts(source.shape, source.name)
    names = [repr(name) for name in source.partition_names or range(source.shape[1])]
    scan = _scan_blocks(source, names)
    if signed := signed_partitions(scan):
        scan = _scan_blocks(source, names, signed)
    check_scan(scan, names)
    return scan


def _scan_blocks(source: StoredLabels, names: Sequence[str], signed: Collection[int] = ()) -> Scan:
    blocks = [(a, b) for a, b in pairwise(source.ends) if b > a]
    scan = Scan(0, (np.empty(0, np.int64),) * len(names), 0, None)
    numbering = Numbering(scan.distinct)
    with track("reading labels", len(blocks)) as advance:
        for start, stop in blocks:
            block = read_rows(source, start, stop)
            found = numbering.scan_known(block, start)
            found = found or scan_block(block, names, start, signed)
            scan = merge_scans([scan, found])
            if scan.distinct is not numbering.distinct:
                numbering = Numbering(scan.distinct)
            advance()
    return scan
