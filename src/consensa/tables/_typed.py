"""Columns of text → numbers, where their entries are numbers as people write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from consensa._array import Array
from consensa.tables._numbers import Written, common_unit, has_thousands, kind_of_unit, written
from consensa.tables.table import BadCells, Request, Table

__all__ = ["text_columns", "with_missing", "with_numbers"]

Raw = Callable[[Collection[str]], pd.DataFrame]


class _Column(NamedTuple):
    """Entries of a column of text, read as numbers where they are some."""

    entries: list[Any]
    missing: Array
    numbers: list[Written | None]

    @classmethod
    def of(cls, column: pd.Series) -> _Column:
        entries = column.tolist()
        missing = column.isna().to_numpy()
        distinct = set(column.dropna())
        unit = common_unit(distinct)
        if unit is None:
            known = {entry: written(entry) for entry in distinct}
        else:
            plain = {entry: written(entry.strip().removesuffix(unit)) for entry in distinct}
            known = {entry: found and found._replace(unit=unit) for entry, found in plain.items()}
        return cls(entries, missing, [known.get(entry) for entry in entries])

    @property
    def found(self) -> list[Written]:
        return [number for number in self.numbers if number is not None]

    @property
    def is_numeric(self) -> bool:
        """Whether at least half of its entries are numbers."""
        return 0 < len(self.numbers) - int(self.missing.sum()) <= 2 * len(self.found)

    @property
    def marks(self) -> Counter[str]:
        return Counter(number.mark for number in self.found if number.mark is not None)

    def ambiguous(self) -> str | None:
        """An entry that is two different numbers, if nothing else tells which."""
        if self.marks:
            return None
        pairs = zip(self.entries, self.numbers, strict=True)
        return next((str(entry) for entry, n in pairs if n is not None and n.is_ambiguous), None)


@dataclass
class _Outcome:
    """What became of the columns."""

    numbers: dict[str, Array] = field(default_factory=dict)
    bad: dict[str, BadCells] = field(default_factory=dict)
    unclear: dict[str, str] = field(default_factory=dict)
    units: dict[str, list[str]] = field(default_factory=dict)
    comma: bool = False


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Names of the columns that hold text, or nothing, in every row."""
    return [
        str(name)
        for name, kind in frame.dtypes.items()
        if (kind.kind == "O" or pd.api.types.is_string_dtype(kind))
        and not isinstance(kind, pd.CategoricalDtype)
        and all(isinstance(entry, str) for entry in frame[name].dropna())
    ]


def with_missing(table: Table, missing: Collection[str]) -> Table:
    """The table without the entries that stand for a missing value."""
    if not missing:
        return table
    values = [value for value in map(_float, missing) if value is not None]
    frame, texts = table.frame.copy(), set(text_columns(table.frame))
    for name in frame.columns:
        if name in texts:
            frame[name] = frame[name].where(~frame[name].str.strip().isin(missing), None)
        elif frame[name].dtype.kind in "iuf" and frame[name].isin(values).any():
            frame[name] = frame[name].astype(float).where(~frame[name].isin(values))
    return replace(table, frame=frame)


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def with_numbers(
    table: Table, request: Request, *, separator: str | None = None, raw: Raw | None = None
) -> Table:
    """The table, with numbers for the columns of text that are numbers.

    `raw` reads columns as they are written: in a file with decimal commas, 1.234 is no fraction.
    """
    names = [name for name in text_columns(table.frame) if name not in request.verbatim]
    every = {name: _Column.of(table.frame[name]) for name in names}
    columns = {name: column for name, column in every.items() if column.is_numeric}
    marks = sum((column.marks for column in columns.values()), Counter[str]())
    if raw is not None and request.decimal != "." and (marks[","] or request.decimal == ","):
        kinds = table.frame.dtypes.items()
        floats = [str(n) for n, kind in kinds if kind.kind == "f" and n not in request.verbatim]
        more = {name: _Column.of(column) for name, column in raw(floats).items()}
        columns |= {str(name): own for name, own in more.items() if _needs_mark(own, request)}
        marks += sum((column.marks for column in more.values()), Counter[str]())
    outcome = _Outcome()
    for name, column in columns.items():
        _settle(name, column, _mark(column, request, marks, separator), outcome)
    if not (outcome.numbers or outcome.bad or outcome.unclear):
        return table
    frame = table.frame.assign(**outcome.numbers)
    found = (*table.found, *_words(outcome))
    return replace(table, frame=frame, found=found, bad=outcome.bad, unclear=outcome.unclear)


def _needs_mark(column: _Column, request: Request) -> bool:
    """Whether a column that pandas read with a decimal point may be meant otherwise."""
    return request.decimal == "," or not column.marks


def _mark(
    column: _Column, request: Request, marks: Mapping[str, int], separator: str | None
) -> str | None:
    """Decimal mark of a column: its own, that of the file, or None if nothing tells it."""
    if request.decimal is not None:
        return request.decimal
    if column.marks:
        return column.marks.most_common(1)[0][0]
    told = [mark for mark in marks if marks[mark]]
    if len(told) == 1:
        return told[0]
    # Whoever separates columns by commas does not write decimal commas.
    return "." if separator == "," or column.ambiguous() is None else None


def _settle(name: str, column: _Column, mark: str | None, outcome: _Outcome) -> None:
    """Add the numbers of a column to the outcome, or what is wrong with it."""
    if mark is None:
        outcome.unclear[name] = str(column.ambiguous())
        return
    values = [None if number is None else number.by(mark) for number in column.numbers]
    units = Counter(number.unit for number in column.found)
    unit = units.most_common(1)[0][0]
    good = [
        value is not None and number is not None and (number.unit == unit or value == 0)
        for value, number in zip(values, column.numbers, strict=True)
    ]
    bad = np.flatnonzero(~np.array(good) & ~column.missing)
    if len(bad):
        entries = tuple(str(column.entries[row]) for row in bad)
        outcome.bad[name] = BadCells(sum(good), tuple(int(row) for row in bad), entries)
        return
    outcome.numbers[name] = np.array([np.nan if v is None else v for v in values], dtype=float)
    outcome.comma |= mark == "," and any("," in str(entry) for entry in column.entries)
    if any(isinstance(entry, str) and has_thousands(entry, mark) for entry in column.entries):
        outcome.units.setdefault("thousands", []).append(name)
    if unit:
        outcome.units.setdefault(kind_of_unit(unit), []).append(name)


def _words(outcome: _Outcome) -> Iterable[str]:
    if outcome.comma:
        yield "decimal comma"
    for kind, names in outcome.units.items():
        yield f"{kind} in {', '.join(map(repr, names))}"
