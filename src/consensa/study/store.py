"""One file with every computed cell of a study, safe against crashes.

A row of the file is written in one transaction that reaches the disk before the next cell starts,
and has a checksum: after a `kill -9` the file is consistent, and damage to the file is detected
when it is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from consensa.exceptions import InvalidInputError
from consensa.study.cells import STATES, Cell, Record, canonical

__all__ = ["Gathered", "Store"]

_BUSY_SECONDS = 60  # maximum time to wait for another process that writes
_TABLE = """
create table if not exists cells (
    key text primary key, state text not null, payload text not null, reason text not null,
    notes text not null, seconds real not null, versions text not null, checksum text not null
)
"""
_GOES_ON = "The cells that are stored are safe, and the same command goes on."
_DAMAGED = (
    "{path} cannot be read as a store of a study ({error}). Restore a copy, or move it away to "
    "start again."
)
_OTHER_ERROR = (
    "{path} could not be opened, read or written ({error}). Check its folder and its permissions. "
    + _GOES_ON
)
_IN_USE = "{path} is in use by another process ({error}). Wait until that has ended. " + _GOES_ON
_ERRORS = {  # by the first word of SQLite's name of the error
    "CORRUPT": _DAMAGED,
    "NOTADB": _DAMAGED,
    "FULL": "{path} could not be written: the disk is full. Make room on it. " + _GOES_ON,
    "BUSY": _IN_USE,
    "LOCKED": _IN_USE,
}
_COLUMNS = ("key", "state", "payload", "reason", "notes", "seconds", "versions")


class Gathered(NamedTuple):
    """Numbers of cells imported from another store."""

    added: int
    known: int
    damaged: int


class Store:
    """The cells of a study in one SQLite file.

    Parameters
    ----------
    path : path
        The file; it is created if necessary, with its folder.
    read_only : bool, default=False
        Whether the file must be there and is left as it is.

    Attributes
    ----------
    damaged : set of str
        Keys of damaged rows, which are treated as absent.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.damaged: set[str] = set()
        if not read_only:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._errors_as_messages():
            self._connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}", uri=True,
                timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False,
            )  # fmt: skip
        # A byte that is not UTF-8 damages only its own row, by the checksum, not the whole query.
        self._connection.text_factory = lambda raw: raw.decode(errors="replace")
        try:
            with self._errors_as_messages():
                self._open(read_only)
        except InvalidInputError:
            self._connection.close()
            raise

    def _open(self, read_only: bool) -> None:
        """Check that the file is a store, or still empty and to become one."""
        tables = self._connection.execute("select count(*) from sqlite_master").fetchone()[0]
        columns = [row[1] for row in self._connection.execute("pragma table_info(cells)")]
        if (tables or read_only) and columns != [*_COLUMNS, "checksum"]:
            message = (
                f"{self.path} is not a store of a study. Pass the study.sqlite of a study, or "
                f"another folder."
            )
            raise InvalidInputError(message)
        if not read_only:
            self._connection.execute("pragma synchronous = full")
            self._connection.execute(_TABLE)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; all rows are written already."""
        self._connection.close()

    def put(self, record: Record) -> None:
        """Write the record of a cell, replacing an earlier one; it is on disk on return."""
        row = _row(record)
        marks = ", ".join("?" * (len(_COLUMNS) + 1))
        with self._errors_as_messages():
            self._connection.execute(
                f"insert or replace into cells ({', '.join(_COLUMNS)}, checksum) values ({marks})",
                (*row, _checksum(row)),
            )
        self.damaged.discard(row[0])

    def get(self, cell: Cell) -> Record | None:
        """The record of a cell; None if there is none or it is damaged."""
        return next(iter(self._select("where key = ?", (cell.key,))), None)

    def records(self) -> dict[str, Record]:
        """Every undamaged record by the key of its cell, in the order of the keys."""
        # Sorted here, because "order by" would read the keys from the index instead of the rows.
        found = {record.cell.key: record for record in self._select("", ())}
        return dict(sorted(found.items()))

    def remove_damaged(self) -> int:
        """Remove the damaged rows and return their number."""
        if not self.damaged:
            return 0
        with self._errors_as_messages():
            self._connection.execute("begin immediate")
        with self._errors_as_messages(), self._connection:
            whole = self.records().values()
            count = len(self.damaged)
            # All rows, because a damaged key differs from the one in the index.
            self._connection.execute("delete from cells")
            for record in whole:
                self.put(record)
        self.damaged.clear()
        return count

    def gather(self, other: str | os.PathLike[str]) -> Gathered:
        """Import the cells of another store: results always, failures only if nothing is known."""
        if not Path(other).is_file():
            message = (
                f"There is no store {os.fspath(other)}. Pass the study.sqlite of another folder."
            )
            raise InvalidInputError(message)
        added = known = 0
        mine = self.records()
        with Store(other, read_only=True) as source:
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
        with self._errors_as_messages():
            rows = self._connection.execute(query, tuple(values)).fetchall()
        for *row, checksum in rows:
            record = _record(row) if _checksum(row) == checksum else None
            if record is None:
                self.damaged.add(str(row[0]))
            else:
                yield record

    @contextmanager
    def _errors_as_messages(self) -> Iterator[None]:
        """Raise errors of SQLite as a message that tells a damaged file from a healthy one."""
        try:
            yield
        except sqlite3.Error as error:
            known = getattr(error, "sqlite_errorname", "").split("_")[1:2]
            said = _ERRORS.get(known[0] if known else "", _OTHER_ERROR)
            raise InvalidInputError(said.format(path=self.path, error=error)) from error


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
    """The record of a row; None if the row is damaged."""
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
