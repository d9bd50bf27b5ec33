"""A look at a table before it is clustered: columns, rows, and what to do about them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from consensa._machine.suggest import listed
from consensa._result.wording import counted
from consensa.ensemble.checks import looks_transposed
from consensa.exceptions import InvalidInputError
from consensa.features import read_features
from consensa.features.identifiers import identifier_columns
from consensa.features.partitions import like_partitions
from consensa.features.scaling import usual_range
from consensa.tables._dates import date_values
from consensa.tables._typed import text_columns
from consensa.tables.preparation import plain_numbers, prepare
from consensa.tables.table import Table

__all__ = ["ColumnFacts", "Inspection", "inspect_table", "question_shape"]

_WIDE = 5  # columns for each row in a table of features that may be transposed
_MANY_COLUMNS = 30
_MOST_NAMED = 8
_SHARE_OF_NAMES = 0.8
_SAMPLE_NAME = re.compile(
    r"(samples?|subj(ect)?|patient|pat|person|participant|individual|donor|mouse|cell|case"
    r"|gsm|srr|err|tcga|obs|row|s)[-_. ]?[0-9]\w*([-_.]\w+)*|tcga(-\w+)+",
    flags=re.IGNORECASE,
)
_SURE_NAME = re.compile(  # of a sample, in a table of any shape
    r"(samples?|subject|patient|participant|individual|donor|mouse|gsm|srr|tcga)[-_. ]?[0-9]+",
    flags=re.IGNORECASE,
)
_FEW_COLUMNS = 3
_SPREAD = 100.0  # ratio of the ranges of columns of different units


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        "number", "text", "date", "id", or "constant".
    missing : int
        Number of missing values.
    distinct : int
        Number of different values.
    values : str
        Its range and median, or its most frequent entries.
    outliers : int
        Number of values more than four standard deviations from the mean of the others.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    values: str
    outliers: int = 0


@dataclass(frozen=True)
class Inspection:
    """What was found in a table.

    Attributes
    ----------
    columns : tuple of ColumnFacts
        Its columns.
    findings : tuple of str
        What a reader should know, one sentence each.
    problems : tuple of str
        What must be corrected before the table can be clustered.
    options : tuple of str
        Options of the command that clusters it.
    """

    columns: tuple[ColumnFacts, ...]
    findings: tuple[str, ...]
    problems: tuple[str, ...]
    options: tuple[str, ...]


def inspect_table(table: Table, frame: pd.DataFrame | None = None) -> Inspection:
    """Look at the columns of a table.

    Parameters
    ----------
    table : Table
        A table that was read.
    frame : pandas.DataFrame or None, default=None
        Some of its columns; None is all of them.

    Returns
    -------
    Inspection
        Columns, findings, problems and options.

    See Also
    --------
    consensa.tables.prepare : Makes features of the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> from consensa.tables.table import Table
    >>> from consensa.tables.inspection import inspect_table
    >>> frame = pd.DataFrame({"age": [31.0, None, 45.0], "site": ["a", "a", "a"]})
    >>> found = inspect_table(Table(Path("people.csv"), frame))
    >>> [(column.name, column.kind, column.missing) for column in found.columns]
    [('age', 'number', 1), ('site', 'constant', 0)]
    """
    frame = table.frame if frame is None else frame
    dated = [name for name in frame.columns if date_values(frame[name]) is not None]
    made = prepare(frame, dates=bool(dated), table=table)
    ids = _ids(frame.drop(columns=frame.columns.intersection([*table.bad])))
    columns = tuple(_facts(frame[name], name, ids, dated, table) for name in frame.columns)
    options = [f"--id {shlex.quote(ids[0])}"] if ids and table.row_names is None else []
    options += [f"--drop {shlex.quote(name)}" for name in ids[len(options) :]]
    options += ["--dates"] if dated else []
    return Inspection(
        columns,
        tuple(_findings(frame, columns, made.warnings + made.notes, table)),
        tuple(made.complaints),
        tuple(options),
    )


def _ids(frame: pd.DataFrame) -> list[str]:
    """Columns that look like row numbers or names of the samples, missing values apart."""
    plain = frame.select_dtypes(exclude=["datetime", "datetimetz", "timedelta"])
    plain = plain[[name for name in plain.columns if date_values(plain[name]) is None]]
    complete = plain.loc[:, ~plain.isna().any()]
    try:
        return [str(name) for name in identifier_columns(read_features(plain_numbers(complete)))]
    except InvalidInputError:
        return []


def _facts(
    column: pd.Series, name: str, ids: list[str], dated: list[str], table: Table
) -> ColumnFacts:
    missing, known = int(column.isna().sum()), column.dropna()
    distinct = int(known.astype(str).nunique())
    kind = "text" if name in text_columns(column.to_frame()) else "number"
    kind = "text" if isinstance(column.dtype, pd.CategoricalDtype) else kind
    outliers = 0
    if kind == "number" and name not in dated and len(known):
        numbers = known.to_numpy(dtype=float) if known.dtype.kind != "O" else np.array([])
        low, high = usual_range(numbers) if len(numbers) else (0.0, 0.0)
        outliers = int(((numbers < low) | (numbers > high)).sum())
        values = _range(numbers)
    else:
        counts = known.astype(str).value_counts()
        values = ", ".join(f"{entry} ({count})" for entry, count in counts[:3].items())
        values += ", ..." if len(counts) > 3 else ""
    kind = "date" if name in dated else kind
    kind = "number with text" if name in table.bad else kind
    kind = "id" if name in ids else kind
    kind = "constant" if distinct == 1 else "empty" if distinct == 0 else kind
    return ColumnFacts(str(name), kind, missing, distinct, values, outliers)


def _range(numbers: np.ndarray) -> str:
    if not len(numbers):
        return ""
    return f"{numbers.min():.4g} to {numbers.max():.4g}, median {np.median(numbers):.4g}"


def _findings(
    frame: pd.DataFrame, columns: tuple[ColumnFacts, ...], said: list[str], table: Table
) -> Iterator[str]:
    yield from said
    constant = [column.name for column in columns if column.kind == "constant"]
    if constant:
        yield f"Constant columns change nothing: {listed(constant)}."
    duplicates = int(frame.astype(str).duplicated().sum())
    if duplicates:
        were = "equals" if duplicates == 1 else "equal"
        yield f"{counted(duplicates, 'row')} {were} an earlier one."
    outliers = [f"{column.name!r} {column.outliers}" for column in columns if column.outliers]
    if outliers:
        left = len(outliers) - _MOST_NAMED
        more = f" and in {counted(left, 'more column')}" if left > 0 else ""
        yield f"Outliers, which are clipped: {', '.join(outliers[:_MOST_NAMED])}{more}."
    ranges = _ranges(frame, columns)
    if len(ranges) > 1 and ranges.max() > _SPREAD * ranges.min():
        yield (
            f"The ranges of the columns differ by a factor of {ranges.max() / ranges.min():,.0f}: "
            f"they are scaled, unless --scale none is given."
        )
    if like_partitions(frame):
        yield (
            "Every column holds a few distinct integers or names, like a partition. If the "
            "columns are partitions, use `consensa combine`."
        )
    doubt = question_shape(frame, labels=False)
    if doubt is not None:
        yield f"{table.name} {doubt} Use --transpose if its columns are the samples."


def _ranges(frame: pd.DataFrame, columns: tuple[ColumnFacts, ...]) -> np.ndarray:
    names = [column.name for column in columns if column.kind == "number"]
    numbers = [frame[name].dropna().to_numpy(dtype=float) for name in names]
    widths = np.array([own.max() - own.min() for own in numbers if np.isfinite(own).all()])
    return widths[widths > 0]


def question_shape(frame: pd.DataFrame, *, labels: bool) -> str | None:
    """A sentence on a matrix that looks transposed, without its subject; None for any other."""
    rows, columns = frame.shape
    wide = columns >= max(_WIDE * rows, _MANY_COLUMNS)
    many = looks_transposed(rows, columns) if labels else wide
    sure = not labels and _are_named(frame, _SURE_NAME) and columns > _FEW_COLUMNS
    if not sure and not (many and (labels or _are_named(frame, _SAMPLE_NAME))):
        return None
    what = "partitions" if labels else "features"
    named = ", named like samples" if sure else ""
    return (
        f"has {counted(rows, 'row')} and {columns} columns{named}: are the samples in its "
        f"columns? Rows are read as samples, and columns as {what}."
    )


def _are_named(frame: pd.DataFrame, pattern: re.Pattern[str]) -> bool:
    named = sum(bool(pattern.fullmatch(str(name))) for name in frame.columns)
    return named >= _SHARE_OF_NAMES * frame.shape[1]
