"""Workbooks: XLSX, XLS, XLSB and ODS, one sheet of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd

from consensa._machine.suggest import listed, suggestion
from consensa._optional import require
from consensa.exceptions import InvalidInputError
from consensa.tables._code import own_code
from consensa.tables._content import Content
from consensa.tables.table import Request, Table

__all__ = ["read_workbook"]

_Row = list[Any]


def read_workbook(content: Content, request: Request) -> Table:
    """Read a sheet: its first row with more than one entry holds the names of the columns."""
    calamine = require("python_calamine", extra="excel", purpose="Reading a workbook")
    # An open file, or else the ending of its name would decide.
    with (
        _without_panic(),
        content.path.open("rb") as file,
        calamine.CalamineWorkbook.from_filelike(file) as book,
    ):
        name = _choose_sheet(content.name, book, request)
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    first, titles = _first_row(rows)
    if first is None:
        message = f"{content.name} must contain a table. Sheet {name!r} is empty."
        raise InvalidInputError(message)
    kept = [place for place in range(first, len(rows)) if not _is_empty(rows[place])]
    columns = [c for c in range(len(rows[first])) if any(not _blank(rows[p][c]) for p in kept)]
    cells = [[rows[place][c] for c in columns] for place in kept]
    has_header = _has_header(content.name, cells[0], request.header)
    names = _names(cells[0]) if has_header else [str(c) for c in range(len(columns))]
    body = cells[1:] if has_header else cells
    frame = pd.DataFrame(
        {name: _column([row[c] for row in body]) for c, name in enumerate(names)},
        index=range(len(body)),
    )
    found = ["workbook", f"sheet {name!r}"]
    if titles:
        found.append(f"{titles} rows of titles skipped" if titles > 1 else "1 title row skipped")
    places = [place + 1 for place in (kept[1:] if has_header else kept)]
    code, row_names = own_code(content, request), None
    if has_header and _blank(cells[0][0]) and frame.shape[1] > 1:  # as in text files
        row_names, frame = frame.iloc[:, 0].to_numpy(), frame.iloc[:, 1:]
    return Table(
        content.source,
        frame,
        row_names,
        code=code,
        frame_code=code,
        found=tuple(found),
        unit_of_places="row",
        count_places=lambda: places,
    )


@contextmanager
def _without_panic() -> Iterator[None]:
    """A failed assertion of the library, which is written in Rust, is an error like any other."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise ValueError(str(error)) from error
        raise


def _choose_sheet(source: str, book: Any, request: Request) -> str:
    names: list[str] = list(book.sheet_names)
    asked = request.sheet
    if asked is not None:
        if asked in names:
            return asked
        if asked.isdecimal() and 1 <= int(asked) <= len(names):
            return names[int(asked) - 1]
        message = (
            f"--sheet must name a sheet of {source}, or give its number from 1. "
            f"Got {asked!r}.{suggestion(asked, names)} Sheets: {listed(names)}."
        )
        raise InvalidInputError(message)
    filled = [name for name in names if book.get_sheet_by_name(name).total_height > 0]
    if len(filled) == 1 or len(names) == 1:
        return (filled or names)[0]
    message = (
        f"{source} must contain one table, or use --sheet to choose. It has the sheets "
        f"{listed(filled or names)}."
    )
    raise InvalidInputError(message)


def _blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _is_empty(row: _Row) -> bool:
    return all(_blank(cell) for cell in row)


def _first_row(rows: Sequence[_Row]) -> tuple[int | None, int]:
    """Where the table begins, and how many rows of titles are above it.

    A title is a single entry above rows with more of them.
    """
    filled = [sum(not _blank(cell) for cell in row) for row in rows]
    places = [place for place, count in enumerate(filled) if count]
    if not places:
        return None, 0
    wide = [place for place in places if filled[place] > 1]
    if not wide or max(filled) < 3:
        return places[0], 0
    return wide[0], sum(place < wide[0] for place in places)


def _has_header(source: str, first: _Row, said: bool | None) -> bool:
    if said is not None:
        return said
    if any(isinstance(cell, str) and cell.strip() for cell in first):
        return True
    message = (
        f"The first row of {source} contains only numbers. Use --no-header if it is data, or "
        f"--header if these are column names."
    )
    raise InvalidInputError(message)


def _names(cells: _Row) -> list[str]:
    """Names of the columns; as pandas does, a second one of the same name gets a number."""
    names: list[str] = []
    for place, cell in enumerate(cells):
        whole = isinstance(cell, float) and cell.is_integer()
        plain = f"Unnamed: {place}" if _blank(cell) else str(int(cell) if whole else cell).strip()
        name, count = plain, 0
        while name in names:
            count += 1
            name = f"{plain}.{count}"
        names.append(name)
    return names


def _column(cells: _Row) -> Any:
    """Values of one type: numbers, booleans, dates, or text with None for empty cells."""
    filled = [cell for cell in cells if not _blank(cell)]
    kinds = {type(cell) for cell in filled}
    if kinds <= {int, float}:
        values = np.array([np.nan if _blank(cell) else float(cell) for cell in cells])
        whole = len(filled) == len(cells) and bool((values == np.floor(values)).all())
        return (
            values.astype(np.int64) if whole and np.abs(values).max(initial=0) < 2**53 else values
        )
    if kinds == {bool} and len(filled) == len(cells):
        return np.array(cells, dtype=bool)
    if kinds <= {date, datetime}:
        return pd.to_datetime(pd.Series([None if _blank(cell) else cell for cell in cells]))
    return pd.Series([None if _blank(cell) else _text(cell) for cell in cells], dtype=object)


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, (date, datetime, time)):
        return cell.isoformat()
    return str(cell.total_seconds()) if isinstance(cell, timedelta) else str(cell)
