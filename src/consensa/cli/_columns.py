"""Roles of the columns of a table: data, truth, sample names, or ignored."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from consensa._array import Array
from consensa._machine.suggest import listed, suggestion
from consensa._result.wording import counted
from consensa.cli._screen import messages, warn
from consensa.exceptions import InvalidInputError
from consensa.features import Features
from consensa.features.partitions import like_partitions
from consensa.features.stored_features import StoredColumn
from consensa.tables.preparation import Prepared, prepare
from consensa.tables.table import Table

__all__ = [
    "Chosen",
    "NamesOnDisk",
    "Roles",
    "check_data_columns",
    "choose_columns",
    "choose_truth",
    "columns_aside",
    "prepared_features",
    "refuse_complaints",
    "sample_names",
    "warn_of_names",
    "warn_of_text",
]

_MOST_COMPLAINTS = 12
_FEWEST_NAMES = 20  # rows; the labels of fewer may differ by chance


@dataclass(frozen=True)
class Chosen:
    """A table split by the roles of its columns.

    Attributes
    ----------
    data : pandas.DataFrame or None
        The columns to work on; None where they stay on disk.
    truth : array or None
        Known classes.
    row_names : array, range or NamesOnDisk
        Names of the rows in the output.
    names_title : str
        What the output calls these names.
    code : str
        Python that reads the table in the same way.
    aside : tuple of str
        Columns of that table that are not data.
    source : str
        Where the table came from.
    preparation : str or None
        Arguments with which the columns were prepared; None if they are used as they are.
    notes : tuple of str
        What was done to them.
    rows : array of int or None
        Rows of the table that are left; None if all are.
    first_dates : mapping of str to str or None
        The first date of each column of dates.
    index_names : StoredColumn or None
        Names of the rows of a file that stays on disk, if it has any.
    """

    data: Any
    truth: Any
    row_names: Any
    names_title: str
    code: str = ""
    aside: tuple[str, ...] = ()
    source: str = ""
    preparation: str | None = None
    notes: tuple[str, ...] = ()
    rows: Any = None
    first_dates: Mapping[str, str | None] = field(default_factory=dict)
    index_names: StoredColumn | None = None

    def frame(self, results: Mapping[str, Any], names: Any = None) -> pd.DataFrame:
        """A row for each sample: its name, and these results; of some samples if named.

        The names are called "sample" if a result has the name of their column.
        """
        title = "sample" if self.names_title in results else self.names_title
        return pd.DataFrame(
            {title: np.asarray(self.row_names if names is None else names), **results}
        )

    def names(self, rows: slice | Array) -> Array:
        """Names of a range of rows, or of rows by their numbers."""
        if isinstance(rows, slice) or isinstance(self.row_names, np.ndarray):
            return np.asarray(self.row_names[rows])
        return np.asarray([self.row_names[row] for row in rows.tolist()])


class Roles(NamedTuple):
    """The columns that the command line names; the others are data.

    Attributes
    ----------
    truth : str or None
        Known classes.
    row_id : str or None
        Sample names.
    drop : sequence of str
        Columns to ignore, or patterns.
    only : sequence of str
        The only columns to use, or patterns; empty uses all.
    """

    truth: str | None = None
    row_id: str | None = None
    drop: Sequence[str] = ()
    only: Sequence[str] = ()


def choose_columns(table: Table, roles: Roles) -> Chosen:
    """Set the named columns aside; what is left is the data."""
    truth, row_id = roles.truth, roles.row_id
    frame_columns = list(table.frame.columns)
    named = columns_aside([*frame_columns, *table.beside], table.name, roles)
    aside = [name for name in named if name in frame_columns]
    data = table.frame.drop(columns=aside)
    check_data_columns(data.shape[1], table.name)
    if len(data) < 2:
        message = f"{table.name} must hold at least 2 samples (rows). Got {len(data)}."
        raise InvalidInputError(message)
    names = table.row_names if row_id is None else _column(table, row_id)
    return Chosen(
        data,
        None if truth is None else choose_truth(_column(table, truth), truth, table.place),
        np.arange(len(data)) if names is None else sample_names(names),
        "sample" if row_id is None else str(row_id),
        table.frame_code if aside else table.code,
        tuple(aside),
        table.name,
    )


def columns_aside(known: Sequence[str], source: object, roles: Roles) -> list[str]:
    """Names of the columns that are not data; each must be one of the `known` columns."""

    def matching(option: str, pattern: str, exact: bool = False) -> list[str]:
        found = [] if exact else fnmatch.filter(known, pattern)
        found = [pattern] if pattern in known else found
        if not found:
            message = (
                f"{option} must name a column of {source}. Got {pattern!r}."
                f"{suggestion(pattern, known)} Columns: {listed(known)}."
            )
            raise InvalidInputError(message)
        return found

    aside: list[str] = []
    for option, name in (("--truth", roles.truth), ("--id", roles.row_id)):
        aside += [] if name is None else matching(option, name, exact=True)
    aside += [name for pattern in roles.drop for name in matching("--drop", pattern)]
    used = {name for pattern in roles.only for name in matching("--columns", pattern)}
    aside += [name for name in known if roles.only and name not in used]
    return list(dict.fromkeys(aside))


def check_data_columns(count: int, source: object) -> None:
    """Raise an error if no column is left."""
    if count == 0:
        message = f"{source} must have at least one data column besides --truth, --id and --drop."
        raise InvalidInputError(message)


class NamesOnDisk:
    """Sample names that stay on disk, as `sample_names` gives them, by ranges of rows."""

    def __init__(self, column: StoredColumn) -> None:
        self.column = column
        kinds = {
            part.dtype.kind if part.dtype.kind in "iuf" and not pd.isna(part).any() else "text"
            for part in column.blocks()
        }
        self.are_numbers = len(kinds) == 1 and "text" not in kinds

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, rows: Any) -> Any:
        if not isinstance(rows, slice):
            return self[rows : rows + 1][0]
        found = self.column[rows]
        return found if self.are_numbers else _as_texts(pd.Series(found))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found = self[: len(self)]
        return found if dtype is None else found.astype(dtype)


def sample_names(values: Any) -> Array:
    """Sample names for the output: numbers, or text in which a missing name is empty."""
    column = pd.Series(values)
    missing = column.isna().to_numpy()
    if not missing.any() and isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return column.to_numpy()
    return _as_texts(column)


def _as_texts(column: pd.Series) -> Array:
    missing = column.isna().to_numpy()
    texts = ["" if gone else _as_text(value) for value, gone in zip(column, missing, strict=True)]
    return np.array(texts, dtype=object)


def _as_text(name: Any) -> str:
    return name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else str(name)


def _column(table: Table, name: str) -> Any:
    return table.frame[name] if name in table.frame.columns else table.beside[name]


def choose_truth(
    column: Any, name: str, place: Callable[[int], str] = "row {} (counted from 0)".format
) -> Any:
    """Known classes; none may be missing."""
    classes = pd.Series(column)
    missing = classes.isna().to_numpy()
    if missing.any():
        others = int(missing.sum()) - 1
        more = f" and {counted(others, 'other')}" if others else ""
        message = (
            f"--truth must give the class of every sample. Column {name!r} has none in "
            f"{place(int(missing.argmax()))}{more}."
        )
        raise InvalidInputError(message)
    return classes.astype(str).to_numpy(dtype=object)


def prepared_features(
    table: Table, chosen: Chosen, given: dict[str, Any], *, partitions: str
) -> tuple[Features, Chosen]:
    """The data, prepared and read as features, and the rows that are left.

    `given` are arguments of `prepare`. All complaints are one error; `partitions` says what to do
    if the data are partitions.
    """
    made = prepare(chosen.data, **given, table=table)
    suspect = like_partitions(chosen.data)
    hint = f" If the columns are partitions, {partitions}." if suspect else ""
    refuse_complaints(table, made.complaints, hint)
    assert made.features is not None
    for note in made.notes:
        messages().print(note, soft_wrap=True, markup=False)
    for warning in made.warnings:
        warn(warning)
    encoding = made.features.encoding
    if encoding is not None:
        warn_of_text(table.name, encoding.text_columns, encoding.ignored_columns)
    if suspect:
        warn(
            f"Every column of {table.name} holds a few distinct integers or names, like a "
            f"partition. The columns are read as features.{hint}"
        )
    return made.features, _prepared(chosen, made, given)


def warn_of_text(source: object, names: Sequence[str], ignored: Sequence[str]) -> None:
    """Say which text columns are used as features, and which have no weight."""
    used = [name for name in names if name not in ignored]
    if used:
        warn(
            f"{source} has text columns, which are used as features: {listed(used)}. Use "
            f"--truth for known classes, --id for sample names, or --drop to ignore a column."
        )
    if ignored:
        warn(
            f"{source} has text columns that depend on no other column, and have no weight: "
            f"{listed(ignored)}."
        )


def warn_of_names(source: object, labels: pd.DataFrame) -> None:
    """Say which columns of a label matrix have another label in each row, as names have."""
    if len(labels) < _FEWEST_NAMES:
        return
    names = [str(name) for name in labels.columns if labels[name].is_unique]
    if names:
        warn(
            f"{source} has columns with another label in each row, which are used as partitions: "
            f"{listed(names)}. Use --id for sample names, or --drop to ignore a column."
        )


def _prepared(chosen: Chosen, made: Prepared, given: dict[str, Any]) -> Chosen:
    """The rows that are left, and Python that prepares the columns in the same way."""
    if made.frame is chosen.data:
        return chosen
    defaults = {"missing": "impute", "dates": False, "keep": ()}
    said = {name: value for name, value in given.items() if value != defaults[name]}
    return replace(
        chosen,
        data=made.frame,
        truth=None if chosen.truth is None else chosen.truth[made.rows],
        row_names=chosen.row_names[made.rows],
        preparation="".join(f", {name}={value!r}" for name, value in said.items()),
        notes=(*made.notes, *made.warnings),
        rows=made.rows,
        first_dates=made.first_dates,
    )


def refuse_complaints(table: Table, complaints: Sequence[str], hint: str = "") -> None:
    """Raise one error with all complaints, if there are any."""
    if not complaints:
        return
    if len(complaints) == 1:
        message = f"{table.name} is read as features X. {complaints[0]}{hint}"
        raise InvalidInputError(message)
    shown = [f"({place}) {text}" for place, text in enumerate(complaints[:_MOST_COMPLAINTS], 1)]
    more = len(complaints) - len(shown)
    rest = f" And {more} more." if more else ""
    many = f"with {len(complaints)} problems"
    message = f"{table.name} is read as features X, {many}. {' '.join(shown)}{rest}{hint}"
    raise InvalidInputError(message)
