"""From the columns of a table to features: missing values, dates, ids; all complaints at once."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from consensa._array import Array
from consensa._machine.suggest import listed
from consensa._result.wording import counted
from consensa.exceptions import InvalidInputError
from consensa.features import Features, read_features
from consensa.features.column_plan import ColumnPlan
from consensa.features.identifiers import identifier_columns
from consensa.tables._dates import date_values, days, first_date
from consensa.tables.table import BadCells, Table

__all__ = [
    "HALF",
    "MISSING",
    "Prepared",
    "empty_columns_sentence",
    "filled_sentence",
    "ids_sentence",
    "plain_numbers",
    "prepare",
    "prepare_new",
]

_MOST_CELLS = 3  # bad cells of a column that are named
_MOST_NAMED = 8  # columns
_NEAR_THE_TOP = 20  # rows
HALF = 0.5  # what misses more is left out


@dataclass
class Prepared:
    """Features as they are clustered, and what was done to the columns.

    Attributes
    ----------
    frame : pandas.DataFrame
        The columns that are used, complete.
    rows : array of int
        Their rows in the table.
    features : Features or None
        The frame, read as features; None if there are complaints.
    first_dates : mapping of str to str or None
        The first date of each column of dates, from which its days are counted.
    notes : list of str
        What was done, such as the number of missing values that were filled.
    warnings : list of str
        What was left out.
    complaints : list of str
        Why the columns cannot be used as they are.
    """

    frame: pd.DataFrame
    rows: Array
    features: Features | None = None
    first_dates: dict[str, str | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def refuse(self, name: Any, complaint: str) -> None:
        """Leave a column out of the further checks, and say why it cannot be used."""
        self.frame = self.frame.drop(columns=name)
        self.complaints.append(complaint)

    def keep_rows(self, kept: Array) -> None:
        """Leave all other rows out."""
        self.frame, self.rows = self.frame[kept], self.rows[kept]


def prepare(
    frame: pd.DataFrame,
    *,
    missing: str = "impute",
    dates: bool = False,
    keep: Collection[str] = (),
    table: Table | None = None,
) -> Prepared:
    """Make features of the columns of a table.

    Parameters
    ----------
    frame : pandas.DataFrame
        The columns.
    missing : {"impute", "drop", "error"}, default="impute"
        What to do with missing values: fill them with the median of the column or its most
        frequent entry, leave out their rows, or complain. Columns and rows of which more than
        half is missing are left out, unless it is "error".
    dates : bool, default=False
        Whether columns of dates become days since the first date; else they are complained of.
    keep : collection of str, default=()
        Columns that are used even if they look like ids.
    table : Table or None, default=None
        The table of the columns, which knows their lines.

    Returns
    -------
    Prepared
        The frame, and what was done to it.

    See Also
    --------
    consensa.tables.read_frame : Reads the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from consensa.tables import prepare
    >>> frame = pd.DataFrame({"age": [31.0, None, 45.0, 60.0], "height": [1.7, 1.8, 1.6, 1.9]})
    >>> prepared = prepare(frame)
    >>> prepared.frame["age"].tolist()
    [31.0, 45.0, 45.0, 60.0]
    >>> print(prepared.notes[0])
    1 missing value was filled with the median or the most frequent entry of its column: 'age' 1.
    """
    made = Prepared(frame, np.arange(len(frame)))
    table = Table(Path(), frame) if table is None else table
    _refuse_bad_cells(made, table)
    _convert_dates(made, dates)
    _refuse_infinities(made, table)
    _MISSING[missing](made, table)
    if made.frame.shape[1] and len(made.frame) >= 2:
        _read(made, keep)
    elif not made.complaints:
        made.complaints.append("No column is left. Fill missing values, or use --missing error.")
    return made


def prepare_new(table: Table, plan: ColumnPlan) -> Prepared:
    """Columns of new rows, as those of the fit: complete, and dates counted from the same day."""
    made = Prepared(table.frame, np.arange(len(table.frame)))
    dates = plan.first_dates or {}
    for name, fill in zip(plan.names, plan.fills, strict=True):
        if name in dates and name in made.frame:
            _count_days_again(made, name, dates[name])
        elif name in table.bad and isinstance(fill, float):
            made.complaints.append(_bad_sentence(name, table.bad[name], table))
        elif name in table.unclear:
            made.complaints.append(_unclear_sentence(name, table.unclear[name]))
    if not made.complaints:
        made.frame = plan.apply(made.frame, table.name)
    return made


def _count_days_again(made: Prepared, name: str, first: str | None) -> None:
    dates = date_values(made.frame[name])
    if dates is None or isinstance(dates, str):
        made.complaints.append(
            f"Column {name!r} must hold dates, as in the fit. Write them as 2026-12-31."
        )
    else:
        made.frame = made.frame.assign(**{name: days(dates, first)})


# ---- complaints about entries -----------------------------------------------------------------


def _refuse_names_below(made: Prepared, table: Table) -> None:
    """Complain of one row near the top that holds no number in several columns: their names."""
    bad = {name: table.bad[name] for name in made.frame.columns.intersection([*table.bad])}
    rows = {own.rows for own in bad.values()}
    if len(bad) < 2 or len(rows) > 1 or len(min(rows)) > 1 or min(rows)[0] >= _NEAR_THE_TOP:
        return
    made.frame = made.frame.drop(columns=[*bad])
    place, entries = table.place(min(rows)[0]), [own.entries[0] for own in bad.values()]
    made.complaints.append(
        f"{place[0].upper()}{place[1:]} holds {listed(entries)} where all other rows hold "
        f"numbers. Remove the lines above it if these are the names of the columns, or correct "
        f"them."
    )


def _refuse_bad_cells(made: Prepared, table: Table) -> None:
    _refuse_names_below(made, table)
    for name in made.frame.columns.intersection([*table.bad]):
        instead = f"--drop {shlex.quote(name)}"
        made.refuse(name, _bad_sentence(name, table.bad[name], table, instead))
    for name in made.frame.columns.intersection([*table.unclear]):
        made.refuse(name, _unclear_sentence(name, table.unclear[name]))


def _unclear_sentence(name: str, entry: str) -> str:
    return (
        f"Column {name!r} has {entry!r}, which may have a decimal comma or a comma between "
        f"thousands. Use --decimal , or --decimal . to tell."
    )


def _bad_sentence(name: str, bad: BadCells, table: Table, instead: str | None = None) -> str:
    cells = [
        f"{entry!r} in {table.place(row)}"
        for row, entry in zip(bad.rows[:_MOST_CELLS], bad.entries, strict=False)
    ]
    more = len(bad.rows) - len(cells)
    if more:
        cells.append(f"{more} more")
    them = "it" if len(bad.rows) == 1 else "them"
    na = f"use --na {shlex.quote(bad.entries[0])} for missing values"
    return (
        f"Column {name!r} has {counted(bad.n_numbers, 'number')}, but also {', '.join(cells)}. "
        f"Correct {them}, {f'or {na}' if instead is None else f'{na}, or {instead}'}."
    )


def _refuse_infinities(made: Prepared, table: Table) -> None:
    for name in [n for n, kind in made.frame.dtypes.items() if kind.kind == "f"]:
        values = made.frame[name].to_numpy(dtype=float, na_value=np.nan)
        rows = np.flatnonzero(np.isinf(values))
        if len(rows):
            more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
            na = " ".join(f"--na {value}" for value in np.unique(values[rows])[::-1])
            made.refuse(
                name,
                f"Column {name!r} has infinity in {table.place(int(rows[0]))}{more}. Correct it, "
                f"or use {na} for a missing value.",
            )


def _convert_dates(made: Prepared, asked: bool) -> None:
    """Dates to days if that was asked for."""
    for name in list(made.frame.columns):
        dates = date_values(made.frame[name])
        if dates is None:
            continue
        drop = f"--drop {shlex.quote(str(name))}"
        if not asked:
            made.refuse(
                name, f"Column {name!r} holds dates. Use --dates to count their days, or {drop}."
            )
        elif isinstance(dates, str):
            made.refuse(
                name,
                f"Column {name!r} holds dates whose day and month cannot be told apart. Write "
                f"them as 2026-12-31, or use {drop}.",
            )
        else:
            first = first_date(dates)
            made.frame = made.frame.assign(**{name: days(dates, first)})
            made.first_dates[str(name)] = first
    if made.first_dates:
        names = listed([*made.first_dates])
        made.notes.append(f"Dates are counted in days since the first one: {names}.")


# ---- missing values ---------------------------------------------------------------------------


def _refuse_gaps(made: Prepared, table: Table) -> None:
    for name in made.frame.columns[made.frame.isna().any()]:
        rows = np.flatnonzero(made.frame[name].isna())
        more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        made.refuse(
            name,
            f"Column {name!r} has no value in {table.place(int(rows[0]))}{more}. Use --missing "
            f"impute or --missing drop, or --drop {shlex.quote(str(name))}.",
        )


def _leave_out_empty(made: Prepared) -> None:
    """Leave out columns, and then rows, of which more than half is missing."""
    share = made.frame.isna().mean()
    empty = [str(name) for name in share.index[share > HALF]]
    if empty:
        made.warnings.append(empty_columns_sentence(empty))
        made.frame = made.frame.drop(columns=empty)
    if not made.frame.shape[1]:
        return
    sparse = made.frame.isna().mean(axis=1).to_numpy() > HALF
    if sparse.any():
        made.warnings.append(
            f"More than half is missing in {counted(int(sparse.sum()), 'row')}, left out."
        )
        made.keep_rows(~sparse)


def _impute(made: Prepared, table: Table) -> None:
    """Fill missing values with the median, or with the most frequent entry."""
    _leave_out_empty(made)
    counts = made.frame.isna().sum()
    filled = {name: int(count) for name, count in counts.items() if count}
    if not filled:
        return
    made.frame = made.frame.assign(**{str(name): _filled(made.frame[name]) for name in filled})
    made.notes.append(filled_sentence(filled))


def empty_columns_sentence(names: Sequence[str]) -> str:
    """What is said of columns that are left out because most is missing."""
    return f"More than half is missing in columns that are left out: {listed(names)}."


def filled_sentence(filled: Mapping[Any, int]) -> str:
    """What is said of missing values that were filled: their number in each column."""
    total = sum(filled.values())
    each = ", ".join(f"{name!r} {count}" for name, count in list(filled.items())[:_MOST_NAMED])
    more = f" and {len(filled) - _MOST_NAMED} more columns" if len(filled) > _MOST_NAMED else ""
    were = "was" if total == 1 else "were"
    its = "its column" if total == 1 else "their columns"
    return (
        f"{counted(total, 'missing value')} {were} filled with the median or the most frequent "
        f"entry of {its}: {each}{more}."
    )


def _filled(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind != "b":
        return (
            column.fillna(_median(column))
            if column.dtype.kind == "f"
            else (column.astype("Float64").fillna(_median(column)).astype(float))
        )
    counts = column.value_counts()
    most = counts.index[counts == counts.max()]
    return column.fillna(min(most, key=str))


def _median(column: pd.Series) -> float:
    return float(np.nanmedian(column.to_numpy(dtype=float, na_value=np.nan)))


def _drop_rows(made: Prepared, table: Table) -> None:
    """Leave out the rows with a missing value."""
    _leave_out_empty(made)
    gaps = made.frame.isna().any(axis=1).to_numpy()
    if not gaps.any():
        return
    made.keep_rows(~gaps)
    made.notes.append(f"{counted(int(gaps.sum()), 'row')} with missing values left out.")
    if len(made.frame) < 2:
        made.complaints.append(
            f"--missing drop leaves {counted(len(made.frame), 'row')}. Use --missing impute."
        )


_MISSING: dict[str, Callable[[Prepared, Table], None]] = {
    "impute": _impute,
    "drop": _drop_rows,
    "error": _refuse_gaps,
}
MISSING = tuple(_MISSING)


# ---- ids --------------------------------------------------------------------------------------


def _read(made: Prepared, keep: Collection[str]) -> None:
    """Read the frame as features, without the columns that look like ids."""
    try:
        features = read_features(plain_numbers(made.frame))
        ids = [str(name) for name in identifier_columns(features) if name not in keep]
        if ids:
            made.frame = made.frame.drop(columns=ids)
            made.warnings.append(ids_sentence(ids))
            features = read_features(plain_numbers(made.frame))
        made.features = features
    except InvalidInputError as error:
        made.complaints.append(str(error))


def ids_sentence(names: Sequence[str]) -> str:
    """What is said of columns that are left out because they look like ids."""
    shown = " ".join(f"--keep {shlex.quote(name)}" for name in names[:_MOST_CELLS])
    return (
        f"Columns that look like row numbers or names of the samples are left out: "
        f"{listed(names)}. Use {shown} to use them, or --id for the names in the output."
    )


def plain_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame of one type of numbers, whatever types its columns have; or any other frame."""
    kinds = frame.dtypes
    if not all(pd.api.types.is_numeric_dtype(kind) and kind.kind != "c" for kind in kinds):
        return frame
    matrix = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.DataFrame(matrix, columns=frame.columns, index=frame.index)
