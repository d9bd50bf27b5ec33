"""Roles of the columns of a table: data, truth, sample names, or ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from consensa._array import Array
from consensa.tables import Table
from consensa.cli._screen import messages
from consensa._machine.suggest import listed, suggestion
from consensa.exceptions import InvalidInputError
from consensa.features import Features, read_features

__all__ = ["Chosen", "choose_columns", "choose_truth", "features", "sample_names"]

_FROM_0 = "(rows are counted from 0)"


@dataclass(frozen=True)
class Chosen:
    """A table split by the roles of its columns.

    Attributes
    ----------
    data : pandas.DataFrame or None
        The columns to work on; None where they stay on disk.
    truth : array or None
        Known classes.
    row_names : array
        Names of the rows in the output.
    names_title : str
        What the output calls these names.
    code : str
        Python that reads the table in the same way.
    aside : tuple of str
        Columns of that table that are not data.
    source : str
        Where the table came from.
    """

    data: Any
    truth: Any
    row_names: Any
    names_title: str
    code: str = ""
    aside: tuple[str, ...] = ()
    source: str = ""

    def frame(self, results: Mapping[str, Any]) -> pd.DataFrame:
        """A row for each sample: its name, and these results.

        The names are called "sample" if a result has the name of their column.
        """
        title = "sample" if self.names_title in results else self.names_title
        return pd.DataFrame({title: np.asarray(self.row_names), **results})


def choose_columns(
    table: Table, *, truth: str | None, row_id: str | None, drop: Sequence[str]
) -> Chosen:
    """Set the named columns aside; what is left is the data."""
    known = [*table.frame.columns, *table.beside]
    named = [("--truth", truth), ("--id", row_id), *(("--drop", name) for name in drop)]
    for option, name in named:
        if name is not None and name not in known:
            message = (
                f"{option} must name a column of {table.source}. Got {name!r}."
                f"{suggestion(name, known)} Columns: {listed(known)}."
            )
            raise InvalidInputError(message)
    aside = [str(name) for _, name in named if name in table.frame.columns]
    data = table.frame.drop(columns=aside)
    if data.shape[1] == 0:
        message = (
            f"{table.source} must have at least one data column besides --truth, --id and --drop."
        )
        raise InvalidInputError(message)
    if len(data) < 2:
        message = f"{table.source} must hold at least 2 samples (rows). Got {len(data)}."
        raise InvalidInputError(message)
    names = table.row_names if row_id is None else _column(table, row_id)
    return Chosen(
        data,
        None if truth is None else choose_truth(_column(table, truth), truth),
        np.arange(len(data)) if names is None else sample_names(names),
        "sample" if row_id is None else str(row_id),
        table.frame_code if aside else table.code,
        tuple(aside),
        str(table.source),
    )


def sample_names(values: Any) -> Array:
    """Sample names for the output: numbers, or text in which a missing name is empty."""
    column = pd.Series(values)
    missing = column.isna().to_numpy()
    if not missing.any() and isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return column.to_numpy()
    texts = ["" if gone else _as_text(value) for value, gone in zip(column, missing, strict=True)]
    return np.array(texts, dtype=object)


def _as_text(name: Any) -> str:
    return name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else str(name)


def _column(table: Table, name: str) -> Any:
    return table.frame[name] if name in table.frame.columns else table.beside[name]


def choose_truth(column: Any, name: str) -> Any:
    """Known classes; none may be missing."""
    classes = pd.Series(column)
    missing = classes.isna().to_numpy()
    if missing.any():
        message = (
            f"--truth must give the class of every sample. Column {name!r} has none in row "
            f"{int(missing.argmax())} and {int(missing.sum()) - 1} others {_FROM_0}."
        )
        raise InvalidInputError(message)
    return classes.astype(str).to_numpy(dtype=object)


def features(table: Table, data: pd.DataFrame, *, partitions: str) -> Features:
    """The data, read as features; text columns are named in a warning.

    Errors name the column and the row; `partitions` says what to do if the data are partitions.
    """
    suspect = _like_partitions(data)
    hint = f" If the columns are partitions, {partitions}." if suspect else ""
    try:
        read = read_features(_floats(data) if _is_numeric(data) else data)
    except InvalidInputError as error:
        message = (
            f"{table.source} is read as features X. {error} Use --drop to ignore a column, "
            f"--truth for known classes, or --id for sample names.{hint}"
        )
        raise InvalidInputError(message) from error
    if read.encoding is not None:
        _warn(
            f"{table.source} has text columns, which are used as features: "
            f"{listed(read.encoding.text_columns)}. Use --truth for known classes, --id for "
            f"sample names, or --drop to ignore a column."
        )
    if suspect:
        _warn(
            f"Every column of {table.source} holds a few distinct integers or names, like a "
            f"partition. The columns are read as features.{hint}"
        )
    return read


def _warn(text: str) -> None:
    messages().print(f"Warning: {text}", style="yellow", markup=False)


def _is_numeric(data: pd.DataFrame) -> bool:
    return all(pd.api.types.is_numeric_dtype(kind) and kind.kind != "c" for kind in data.dtypes)


def _floats(data: pd.DataFrame) -> pd.DataFrame:
    """A frame of one type of numbers, whatever types the columns have in the file."""
    matrix = data.to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.DataFrame(matrix, columns=data.columns, index=data.index)


def _like_partitions(data: pd.DataFrame) -> bool:
    """Whether every column holds a few integers or names, and one of them more than two."""
    most = 0
    for _, column in data.items():
        try:
            groups = set(column.dropna().unique())
        except TypeError:  # lists and the like
            return False
        if 2 * len(groups) > len(data) or not _are_groups(groups):
            return False
        most = max(most, len(groups))
    return data.shape[1] > 1 and most > 2


def _are_groups(groups: set[Any]) -> bool:
    """Whether these are text, or consecutive integers from 0 or 1; -1 is missing."""
    if any(isinstance(group, str) for group in groups):
        return True
    numbers = groups - {-1}
    return numbers in (set(range(len(numbers))), set(range(1, len(numbers) + 1)))
