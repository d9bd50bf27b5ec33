"""The table that a command works on: its file, and the options that say how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consensa.cli import _options as options
from consensa.cli._columns import (
    Chosen,
    Roles,
    choose_columns,
    prepared_features,
    warn_of_names,
)
from consensa.cli._screen import messages, warn
from consensa.features import Features
from consensa.tables.inspection import question_shape
from consensa.tables.reading import read_table, recognized
from consensa.tables.table import Request, Table

__all__ = ["FeatureSource", "Reading", "Source"]


@dataclass(frozen=True)
class Reading:
    """The options that say how to read a file."""

    header: options.Header = None
    array: options.ArrayName = None
    sheet: options.Sheet = None
    encoding: options.Encoding = None
    separator: options.Separator = None
    transpose: options.Transpose = False

    def table(self, file: Path, **asked: Any) -> Table:
        """The table of a file; one line says what was recognized.

        `asked` are the other arguments of `Request.of`.
        """
        table = read_table(file, Request.of(**vars(self), **asked))
        messages().print(f"{table.name}: {recognized(table)}", soft_wrap=True, markup=False)
        return table


@dataclass(frozen=True)
class Source:
    """The options of every command that reads a table."""

    file: options.File
    truth: options.Truth = None
    columns: options.Columns = None
    drop: options.Drop = None
    row_id: options.Id = None
    reading: Reading = Reading()

    @property
    def roles(self) -> Roles:
        """The columns that have a role."""
        return Roles(self.truth, self.row_id, self.drop or (), self.columns or ())

    def read(self, *, labels: bool) -> tuple[Table, Chosen]:
        """The table, of labels or of features, and its columns by their roles."""
        asked = {"truth": self.truth, "row_id": self.row_id, **self._of_features()}
        table = self.reading.table(self.file, labels=labels, **asked)
        chosen = choose_columns(table, self.roles)
        doubt = question_shape(chosen.data, labels=labels)
        if doubt is not None and not self.reading.transpose:
            warn(f"{table.name} {doubt} Use --transpose if its columns are the samples.")
        if labels:
            warn_of_names(table.name, chosen.data)
        return table, chosen

    def _of_features(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class FeatureSource(Source):
    """The options of every command that may read features."""

    keep: options.Keep = None
    missing: options.Missing = "impute"
    na: options.NotAvailable = None
    dates: options.Dates = False
    decimal: options.Decimal = None

    def _of_features(self) -> dict[str, Any]:
        return {"missing": tuple(self.na or ()), "decimal": self.decimal}

    def features(
        self, table: Table, chosen: Chosen, *, partitions: str, distances: bool = False
    ) -> tuple[Features, Chosen]:
        """The data as features, and the rows that are left.

        `partitions` says what to do if the data are partitions; `distances` are used as they are.
        """
        given = {"missing": self.missing, "dates": self.dates, "keep": tuple(self.keep or ())}
        if distances:
            given |= {"missing": "error", "keep": tuple(chosen.data.columns)}
        return prepared_features(table, chosen, given, partitions=partitions)
