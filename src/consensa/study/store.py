"""One file that keeps every finished cell of a study, whatever happens to the process.

A row of the file is written in one transaction that reaches the disk before the next
cell begins, and carries a checksum: what a `kill -9` leaves is whole, and what a disk or a
person damages is noticed when it is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from consensa.exceptions import InvalidInputError
from consensa.study.cells import STATES, Cell, Record, canonical

__all__ = ["Gathered", "Store"]

_BUSY_SECONDS = 60  # how long a write waits for another process that writes
_TABLE = """
create table if not exists cells (
    key text primary key, state text not null, payload text not null, reason text not null,
    notes text not null, seconds real not null, versions text not null, checksum text not null
)
"""
_COLUMNS = ("key", "state", "payload", "reason", "notes", "seconds", "versions")


class Gathered(NamedTuple):
    """What came in from another store."""

    added: int
    known: int
    damaged: int


class Store:
    """The cells of a study in one SQLite file.

    Parameters
    ----------
    path : path
        The file; it is made if need be, with its folder.

    Attributes
    ----------
    damaged : set of str
        Keys, as they are read, of rows that were found damaged and are treated as absent.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.damaged: set[str] = set()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        # A byte that is no UTF-8 spoils its own row, by its checksum, and not the whole query.
        self._connection.text_factory = lambda raw: raw.decode(errors="replace")
        try:
            self._connection.execute("pragma synchronous = full")
            self._connection.execute(_TABLE)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise self._unreadable(error) from error

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; every row is in it already."""
        self._connection.close()

    def put(self, record: Record) -> None:
        """Write what became of a cell, in place of what was there; it is on disk on return."""
        row = _row(record)
        marks = ", ".join("?" * (len(_COLUMNS) + 1))
        self._connection.execute(
            f"insert or replace into cells ({', '.join(_COLUMNS)}, checksum) values ({marks})",
            (*row, _checksum(row)),
        )
        self.damaged.discard(row[0])

    def get(self, cell: Cell) -> Record | None:
        """What became of a cell; None where nothing is known, or what was kept is damaged."""
        return next(iter(self._select("where key = ?", (cell.key,))), None)

    def records(self) -> dict[str, Record]:
        """Every undamaged record by the key of its cell, in the order of the keys."""
        # Sorted here: for "order by" the keys would be read from the index and not from the rows.
        found = {record.cell.key: record for record in self._select("", ())}
        return dict(sorted(found.items()))

    def remove_damaged(self) -> int:
        """Remove the rows that were found damaged; gives how many they were."""
        if not self.damaged:
            return 0
        self._connection.execute("begin immediate")
        with self._connection:
            whole = self.records().values()
            count = len(self.damaged)
            # All rows, since a damaged key is not the one that the file's index has of its row.
            self._connection.execute("delete from cells")
            for record in whole:
                self.put(record)
        self.damaged.clear()
        return count

    def gather(self, other: str | os.PathLike[str]) -> Gathered:
        """Take in what another store has: results always, failures where nothing is known."""
        if not Path(other).is_file():
            message = f"There is no store {os.fspath(other)} to gather from."
            raise InvalidInputError(message)
        added = known = 0
        mine = self.records()
        with Store(other) as source:
            for key, record in source.records().items():
                here = mine.get(key)
                if here is None or (here.state != "done" and record.state == "done"):
                    self.put(record)
                    added += 1
                else:
                    known += 1
            return Gathered(added, known, len(source.damaged))

    def _select(self, condition: str, values: Iterable[Any]) -> Iterator[Record]:
        query = f"select {', '.join(_COLUMNS)}, checksum from cells {condition}"
        try:
            rows = self._connection.execute(query, tuple(values)).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._unreadable(error) from error
        for *row, checksum in rows:
            record = _record(row) if _checksum(row) == checksum else None
            if record is None:
                self.damaged.add(str(row[0]))
            else:
                yield record

    def _unreadable(self, error: Exception) -> InvalidInputError:
        message = (
            f"{self.path} cannot be read as a store of a study ({error}). Move it away to start "
            f"afresh, or put back a copy of it."
        )
        return InvalidInputError(message)


def _row(record: Record) -> tuple[Any, ...]:
    """The record as the columns of its row."""
    return (
        record.cell.key,
        record.state,
        canonical(dict(record.payload)),
        record.reason,
        canonical(list(record.notes)),
        float(record.seconds),
        canonical(dict(record.versions)),
    )


def _record(row: Iterable[Any]) -> Record | None:
    """The record of a row; None where it does not say what a row must say."""
    try:
        key, state, payload, reason, notes, seconds, versions = row
        record = Record(
            Cell.from_key(key), state, json.loads(payload), reason, tuple(json.loads(notes)),
            seconds, json.loads(versions),
        )  # fmt: skip
    except (TypeError, ValueError):
        return None
    return record if record.cell.key == key and state in STATES else None


def _checksum(row: Iterable[Any]) -> str:
    return hashlib.sha256("\0".join(map(str, row)).encode()).hexdigest()
