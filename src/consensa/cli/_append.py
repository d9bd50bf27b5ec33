"""``--append``: the user's table as it was written, with the columns of the result."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from consensa._machine.atomic import writing
from consensa.cli._formats import add_to_h5ad, free_name
from consensa.cli._write import rescuing
from consensa.tables.table import Table

__all__ = ["appended", "goes_into_h5ad", "joined", "write_into_h5ad"]

_SEPARATORS = (",", ";", "\t", "|", r"\s+")
_ENCODINGS = ("utf-8-sig", "utf-16", "cp1252")
_TEXTS = (".csv", ".tsv", ".tab", ".txt")


def appended(
    table: Table, results: Mapping[str, Any], rows: Any = None, names: Any = None
) -> pd.DataFrame:
    """The columns of a table, and those of the result.

    `rows` are the rows of the table that have results; the others have none. A column of the
    result whose name is taken gets a number.
    """
    return joined(_as_written(table), results, rows)


def goes_into_h5ad(path: Path | None, table: Table) -> TypeGuard[Path]:
    """Whether results are added to an AnnData object, which no frame can hold."""
    files = [Path(table.source), path]
    return all(file is not None and file.suffix.lower() == ".h5ad" for file in files)


def write_into_h5ad(table: Table, columns: pd.DataFrame, path: Path) -> None:
    """Write the AnnData object of a table again, with the columns of the result."""
    with rescuing([columns]), writing(path) as temporary:
        add_to_h5ad(table.source, columns, temporary)


def joined(own: pd.DataFrame, results: Mapping[str, Any], rows: Any = None) -> pd.DataFrame:
    """The columns of a frame, and those of the result of these rows; of all if that is None."""
    kept = np.arange(len(own)) if rows is None else rows
    made = own.copy()
    for name, values in results.items():
        title = free_name(name, made)
        column = pd.Series(values, index=kept)
        made[title] = column if len(kept) == len(own) else _with_gaps(column, len(own))
    return made


def _with_gaps(column: pd.Series, n_rows: int) -> pd.Series:
    """A column with missing values in all other rows; integers stay integers."""
    nullable = {"i": "Int64", "b": "boolean"}.get(column.dtype.kind)
    return (column if nullable is None else column.astype(nullable)).reindex(range(n_rows))


def _as_written(table: Table) -> pd.DataFrame:
    """The columns with their text unchanged: 007 stays 007, and 1.10 stays 1.10.

    The separator and the encoding are those with which the text has the shape of the table.
    """
    frame = table.frame.reset_index(drop=True)
    if table.row_names is not None:
        names = np.asarray(table.row_names)
        frame.insert(0, table.names_title, names, allow_duplicates=True)
    path = Path(table.source)
    if table.is_transposed or not any(suffix.lower() in _TEXTS for suffix in path.suffixes):
        return frame
    for encoding, separator in itertools.product(_ENCODINGS, _SEPARATORS):
        with suppress(ValueError, UnicodeError, pd.errors.ParserError, OSError):
            cells = pd.read_csv(
                path, sep=separator, encoding=encoding, header=None, dtype=str,
                keep_default_na=False, skipinitialspace=True,
            )  # fmt: skip
            if cells.shape == frame.shape:
                return cells.set_axis(frame.columns, axis=1)
            if cells.shape == (len(frame) + 1, frame.shape[1]):
                titles = pd.Index(cells.iloc[0].tolist())
                return cells.iloc[1:].reset_index(drop=True).set_axis(titles, axis=1)
    return frame
