"""The table that a command works on: its file, and the options that say how to read it."""

from __future__ import annotations

from dataclasses import dataclass

from consensa.cli import _options as options
from consensa.cli._columns import Chosen, choose_columns
from consensa.cli._read import Request, Table, read_table

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """The options of every command that reads a table."""

    file: options.File
    truth: options.Truth = None
    drop: options.Drop = None
    row_id: options.Id = None
    header: options.Header = None
    array: options.ArrayName = None

    def read(self, *, labels: bool) -> tuple[Table, Chosen]:
        """The table, of labels or of features, and its columns by their roles."""
        request = Request.of(
            self.header, self.array, labels=labels, truth=self.truth, row_id=self.row_id
        )
        table = read_table(self.file, request)
        return table, choose_columns(
            table, truth=self.truth, row_id=self.row_id, drop=self.drop or ()
        )
