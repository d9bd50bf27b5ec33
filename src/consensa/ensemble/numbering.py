"""Number the labels of a matrix by first appearance, by blocks of rows.

Each block is scanned for its labels; scans are merged in the order of the blocks, on one machine
or along a tree; the merged scan numbers every block. A block is a matrix, or a list of columns if
they have different types.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array, unmasked
from consensa.ensemble.appearance import first_places
from consensa.ensemble.label_values import as_objects, label_objects, whole_labels
from consensa.ensemble.missing import MISSING, has_signed_names, is_missing
from consensa.exceptions import InvalidInputError

__all__ = ["Numbering", "Scan", "merge_scans", "scan_block", "signed_partitions"]

_INTEGERS = tuple(np.dtype(kind) for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4"))
_UNKNOWN = -2  # entry of a table for an unknown label
_SMALL = 2**16  # larger labels are looked up by search
Block = Any  # (rows, partitions), or a list of columns


class Scan(NamedTuple):
    """Labels of a block of rows.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    distinct : tuple of ndarray
        Labels of each partition, in the order of first appearance.
    n_missing : int
        Number of missing labels.
    unlabeled : int or None
        First row that no partition labels, if there is one.
    """

    n_rows: int
    distinct: tuple[Array, ...]
    n_missing: int
    unlabeled: int | None


def scan_block(
    block: Block, names: Sequence[str], first_row: int = 0, signed: Collection[int] = ()
) -> Scan:
    """Scan a block that starts at `first_row`; `names` of the partitions are for messages.

    In the partitions with the numbers `signed`, the text -1 is a name and not missing.
    """
    columns = _columns(block)
    if len(columns) != len(names):
        message = f"labels must have {len(names)} partitions (columns) in every block of rows. "
        raise InvalidInputError(message + f"From row {first_row}, they have {len(columns)}.")
    distinct, nowhere, n_missing = [], None, 0
    for j, (column, name) in enumerate(zip(columns, names, strict=True)):
        values, missing = _read(column, f"partition {name}", first_row, j in signed)
        n_missing += int(missing.sum())
        distinct.append(_by_appearance(values if not missing.any() else values[~missing]))
        nowhere = missing if nowhere is None else nowhere & missing
    unlabeled = None
    if nowhere is not None and nowhere.any():
        unlabeled = first_row + int(np.argmax(nowhere))
    return Scan(len(columns[0]), tuple(distinct), n_missing, unlabeled)


def merge_scans(scans: Sequence[Scan]) -> Scan:
    """Merge the scans of consecutive blocks."""
    merged = scans[0]
    for scan in scans[1:]:
        known = scan.distinct is merged.distinct
        merged = Scan(
            merged.n_rows + scan.n_rows,
            merged.distinct if known else tuple(map(_append_new, merged.distinct, scan.distinct)),
            merged.n_missing + scan.n_missing,
            scan.unlabeled if merged.unlabeled is None else merged.unlabeled,
        )
    return merged


def signed_partitions(scan: Scan) -> list[int]:
    """Partitions with signed names. If there are any, the blocks are to be scanned again."""
    return [j for j, values in enumerate(scan.distinct) if _is_signed(values)]


def _is_signed(distinct: Array) -> bool:
    return distinct.dtype.kind == "O" and has_signed_names(distinct.tolist())


class Numbering:
    """Converts blocks of labels to codes: the position of each label in its partition."""

    def __init__(self, distinct: Sequence[Array]) -> None:
        self.distinct = tuple(distinct)
        self._lookups = [_lookup(values) for values in distinct]
        self._signed = [_is_signed(values) for values in distinct]
        self._table, self._offsets = _one_table(distinct)
        self.is_identity = all(
            values.dtype.kind in "iu" and np.array_equal(values, np.arange(len(values)))
            for values in distinct
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Numbering, (self.distinct,)

    def codes(self, block: Block) -> Array:
        """Codes of a block: int32 of shape (rows, partitions), -1 for a missing label."""
        if self._table is not None and _holds_integers(block):
            return self._table[block + self._offsets]
        columns = _columns(block)
        codes = np.empty((len(columns[0]), len(columns)), np.int32)
        rules = zip(columns, self._lookups, self._signed, strict=True)
        for j, (column, lookup, signed) in enumerate(rules):
            values, missing = _read(column, f"partition {j}", 0, signed)
            codes[:, j] = lookup(np.where(missing, MISSING, values) if missing.any() else values)
        return codes

    def scan_known(self, block: Block, first_row: int) -> Scan | None:
        """Scan a block without new labels, quickly; None if it may contain one."""
        if self._table is None or not _holds_integers(block) or len(block) == 0:
            return None
        if block.min() < MISSING or (block.max(axis=0) >= self._limits).any():
            return None
        codes = self._table[block + self._offsets]
        lowest = codes.min()
        if lowest == _UNKNOWN:
            return None
        if lowest >= 0:
            return Scan(len(block), self.distinct, 0, None)
        missing = is_missing(codes)
        nowhere = missing.all(axis=1)
        unlabeled = first_row + int(np.argmax(nowhere)) if nowhere.any() else None
        return Scan(len(block), self.distinct, int(missing.sum()), unlabeled)

    @property
    def _limits(self) -> Array:
        """First label of each partition that is outside its part of the table."""
        size = 0 if self._table is None else len(self._table)
        return np.append(self._offsets[1:], size + 1) - self._offsets - 1


def _holds_integers(block: Block) -> bool:
    plain = isinstance(block, np.ndarray) and not isinstance(block, np.ma.MaskedArray)
    return plain and block.dtype in _INTEGERS


def _one_table(distinct: Sequence[Array]) -> tuple[Array | None, Array]:
    """Codes of the labels of all partitions in one table, if they are small integers.

    The entries of partition j start at its offset - 1, which is for -1.
    """
    none = None, np.empty(0, np.int64)
    small = [v.dtype.kind in "iu" and len(v) > 0 and int(v.max()) <= _SMALL for v in distinct]
    if not all(small) or not small:
        return none
    parts = []
    for values in distinct:
        part = np.full(int(values.max()) + 2, _UNKNOWN, np.int32)
        part[0] = MISSING
        part[values.astype(np.intp) + 1] = np.arange(len(values))
        parts.append(part)
    sizes = np.array([len(part) for part in parts])
    return np.concatenate(parts), np.cumsum(sizes) - sizes + 1


def _columns(block: Block) -> list[Array]:
    return block if isinstance(block, list) else list(np.asarray(unmasked(block, None)).T)


def _read(column: Array, where: str, first_row: int, signed: bool) -> tuple[Array, Array]:
    """Labels of a column, integers or objects, and which are missing."""
    if column.dtype.kind in "OUST":
        labels = label_objects(column.tolist(), where, first_row, signed=signed)
        objects = as_objects(labels)
        return objects, np.array([label is None for label in objects], bool)
    return whole_labels(column, where, first_row)


def _by_appearance(values: Array) -> Array:
    """Distinct values in the order in which they first appear."""
    if values.dtype.kind == "O":
        return as_objects(dict.fromkeys(values.tolist()))
    if values.size == 0:
        return values.astype(np.int64)
    low, high = values.min(), values.max()
    if values.dtype in _INTEGERS and int(high) - int(low) <= 4 * values.size:
        first = first_places((values - low).astype(np.intp), int(high) - int(low) + 1)
        present = np.flatnonzero(first < values.size)
        return present[np.argsort(first[present])] + int(low)
    distinct, first = np.unique(values, return_index=True)
    return distinct[np.argsort(first)]


def _append_new(known: Array, others: Array) -> Array:
    if known.dtype != others.dtype and np.result_type(known, others).kind not in "iu":
        if known.size == 0:
            return others
        # Objects, or types whose common one is a float: it would merge large integers.
        return as_objects(dict.fromkeys([*known.tolist(), *others.tolist()]))
    if known.dtype.kind == "O":
        return as_objects(dict.fromkeys([*known.tolist(), *others.tolist()]))
    new = others[~np.isin(others, known)]
    return np.concatenate([known, new]) if new.size else known


def _lookup(distinct: Array) -> Callable[[Array], Array]:
    """Function from labels, -1 or None if missing, to their positions in `distinct`."""
    if distinct.dtype.kind == "O":
        places = {label: place for place, label in enumerate(distinct)} | {None: MISSING}
        return lambda labels: np.array([_place(places, x) for x in labels.tolist()], np.int32)
    rank = np.arange(len(distinct), dtype=np.int32)
    if len(distinct) and int(distinct.max()) <= 4 * len(distinct) + 2**16:
        table = np.full(int(distinct.max()) + 2, MISSING, np.int32)  # the last entry is for -1
        table[distinct.astype(np.intp)] = rank
        return lambda labels: table[labels]
    order = np.argsort(distinct)
    ordered, rank = distinct[order], rank[order]

    def search(labels: Array) -> Array:
        place = np.searchsorted(ordered, labels)
        found = rank[np.minimum(place, len(rank) - 1)]
        return np.where(is_missing(labels), MISSING, found)

    return search


def _place(places: dict[Any, int], label: Any) -> int:
    return places[None if not isinstance(label, str) and is_missing(label) else label]
