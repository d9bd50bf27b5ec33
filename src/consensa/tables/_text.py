"""Text files → tables: CSV, TSV and other text, without loss of digits or names."""

from __future__ import annotations

import csv
import mmap
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from consensa._array import Array
from consensa._machine.suggest import listed
from consensa.exceptions import InvalidInputError
from consensa.tables._code import own_code
from consensa.tables._content import Content, to_utf8
from consensa.tables._lines import first_lines, row_lines
from consensa.tables._separator import find_separator, is_number
from consensa.tables._typed import Raw, with_missing, with_numbers
from consensa.tables.table import Request, Table

__all__ = ["read_text"]

_SAMPLE = 50  # lines from which the separator is told
_SAID = re.compile(r'"?sep=(.)"?')  # the first line of some files of spreadsheets
_CHUNK = 2**18  # bytes that pandas reads at once
_MANY = 1000  # empty columns that are looked for before pandas reads the file, which is slow
_EXACT = 2.0**53  # floats are exact integers below
_LONG_EXPONENT = re.compile(rb"[eE][+-]?\d{4}")
_LONG = 19  # digits of the first integer that needs more than 63 bits


def read_text(content: Content, request: Request, *, separator: str | None) -> Table:
    """Read a text file.

    The columns of names are read as they are written: 007 stays 007, and NA is a name. Large
    integers of the columns of labels are read as text if pandas would make floats of them.
    Features may be written with decimal commas, thousands, percent signs and currencies.
    """
    content = to_utf8(content, request.encoding)
    path = content.path
    with path.open("rb") as file:
        if b"\0" in file.read(2**16):
            message = (
                f"{content.name} must be text in UTF-8. It contains zero bytes, like a binary "
                f"file."
            )
            raise InvalidInputError(message)
    beginning = first_lines(path, _SAMPLE)
    said = _SAID.fullmatch(beginning[0]) if beginning else None
    options: dict[str, Any] = {
        "sep": request.separator or (said[1] if said else separator) or "",
        "encoding": "utf-8-sig",  # with or without a byte order mark
        "skipinitialspace": True,
    }
    options |= {"skiprows": 1} if said else {}
    options["sep"] = options["sep"] or find_separator(beginning, spaces=content.ending == ".txt")
    _check_empty_columns(content, options["sep"])
    first = pd.read_csv(
        path, header=None, nrows=1, dtype=str, keep_default_na=False, **options
    ).iloc[0]
    has_header = _has_header(content.name, [str(entry) for entry in first], request.header)
    options |= {"header": 0 if has_header else None}
    if _has_long_exponent(path):
        options |= {"float_precision": "round_trip"}
    table = _read(content, request, options, unnamed=has_header and not str(first.iloc[0]).strip())
    mark = options["sep"]
    table = replace(
        table,
        found=(*_words(mark), *content.found),
        count_places=lambda: row_lines(content.path, mark, int(has_header) + bool(said)),
    )
    read = table
    if not request.reads_labels:
        read = with_missing(table, request.missing)
        read = with_numbers(read, request, separator=mark, raw=_raw(path, options))
    if read is table and not content.is_disguised:
        return table
    code = own_code(content, request)
    return replace(read, code=code, frame_code=code)


def _read(content: Content, request: Request, options: dict[str, Any], *, unnamed: bool) -> Table:
    """Read by pandas; a first column without a name holds the names of the rows."""
    path, has_header = content.path, options["header"] is not None
    verbatim = dict.fromkeys(_places(request.names, has_header), str)
    verbatim |= {0: str} if unnamed else {}  # pandas and R write row names so
    reading = options | {"low_memory": False, "converters": verbatim}  # one type a column
    frame = pd.read_csv(path, **reading)
    converted = frame.columns[1:] if unnamed else frame.columns
    exact = request.labels
    text = [name for name in converted if exact is None or str(name) in exact]
    text = [name for name in text if name not in verbatim and _is_misread(frame[name])]
    if text:
        frame = pd.read_csv(path, **reading, dtype=dict.fromkeys(text, str))
    frame.columns = frame.columns.map(str)
    code = _text_code(content, options, text)
    if unnamed:
        code = f"{code}.iloc[:, 1:]"
        rows = _as_written(frame.iloc[:, 0])
        return Table(content.source, frame.iloc[:, 1:], rows, code=code, frame_code=code)
    if frame.index.nlevels > 1:
        message = f"{content.name} must be a table. Its rows have more fields than its first line."
        raise InvalidInputError(message)
    if isinstance(frame.index, pd.RangeIndex):
        return Table(content.source, frame, None, code=code, frame_code=code)
    # Or so: a first line without a place for them, which makes them pandas' index.
    columns = {"names": range(frame.shape[1] + 1), "usecols": [0], "converters": {0: str}}
    own = pd.read_csv(path, **options, **columns)
    plain = frame.reset_index(drop=True)
    return Table(content.source, plain, _as_written(own[0]), code=code, frame_code=code)


def _raw(path: Path, options: dict[str, Any]) -> Raw:
    """Reads columns of the table again, as they are written."""

    def read(names: Collection[str]) -> pd.DataFrame:
        whole = pd.read_csv(path, **options, dtype=str)
        whole.columns = whole.columns.map(str)
        return whole.reset_index(drop=True)[list(names)]

    return read


def _words(separator: str) -> tuple[str, ...]:
    """What a text file is called."""
    known = {",": "CSV", "\t": "separated by tabs", "\\s+": "separated by spaces"}
    return (known.get(separator, f"separated by {separator!r}"),)


def _places(names: Sequence[str], has_header: bool) -> list[Any]:
    """Columns as pandas calls them: by number if there is no header."""
    return list(names) if has_header else [int(name) for name in names if name.isdecimal()]


def _as_written(column: pd.Series) -> Array:
    """Names of rows as text; as integers if that is how integers are written."""
    texts = column.to_numpy(dtype=object)
    try:
        numbers = texts.astype(np.int64)
    except (ValueError, OverflowError):
        return texts
    return numbers if (numbers.astype(str) == texts).all() else texts


def _is_misread(column: pd.Series) -> bool:
    """Whether integers were read as floats that cannot tell them apart.

    Or they are so long that pandas leaves them as text, and with them NA and empty entries.
    """
    if column.dtype.kind == "O":
        return any(isinstance(e, str) and len(e) >= _LONG and e.isdecimal() for e in column)
    if column.dtype.kind != "f":
        return False
    values = column.dropna().to_numpy()
    whole = np.isfinite(values).all() and (np.floor(values) == values).all()
    return bool(whole and values.max(initial=0) >= _EXACT and values.min(initial=0) >= -1)


def _check_empty_columns(content: Content, separator: str) -> None:
    """Raise an error for a file with very many columns that have no value in any row."""
    if len(separator) > 1:  # white space: no entry is empty
        return
    with content.path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=separator, skipinitialspace=True)
        try:
            next(rows, None)
            empty = {place for place, entry in enumerate(next(rows, [])) if not entry}
            while len(empty) > _MANY and (row := next(rows, None)) is not None:
                empty -= {place for place, entry in enumerate(row) if entry}
        except csv.Error:  # pandas says what is wrong
            return
    if len(empty) > _MANY:
        message = (
            f"{content.name} has {len(empty)} columns without a value in any row, the first of "
            f"them in place {min(empty) + 1}. Remove these columns."
        )
        raise InvalidInputError(message)


def _has_long_exponent(path: Path) -> bool:
    """Whether there may be a number such as 1e3999999999, with which pandas' parser crashes."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return _LONG_EXPONENT.search(content) is not None


def _text_code(content: Content, read: dict[str, Any], text: Sequence[Any]) -> str:
    """Python that reads a text file as `read_text` does."""
    path = content.path
    separator, header = read["sep"], read["header"] is not None
    options: dict[str, Any] = {} if separator == "," else {"sep": separator}
    options |= {} if header else {"header": None}
    options |= {"skipinitialspace": True}
    options |= {name: read[name] for name in ("float_precision", "skiprows") if name in read}
    options |= {"encoding": content.encoding} if content.encoding else {}
    # Longer files are read by chunks, whose columns may come out with different types.
    options |= {"low_memory": False} if path.stat().st_size > _CHUNK else {}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    given += f", dtype={{{', '.join(f'{name!r}: str' for name in text)}}}" if text else ""
    return f"pd.read_csv({str(content.source)!r}{given})" + (
        "" if header else ".rename(columns=str)"
    )


def _has_header(source: str, first: list[str], said: bool | None) -> bool:
    """Whether the first line holds names. For a line of numbers the user must decide."""
    if said is not None:
        return said
    if not all(is_number(entry) for entry in first):
        return True
    message = (
        f"The first line of {source} contains only numbers ({listed(first)}). Use --no-header if "
        f"it is data, or --header if these are column names."
    )
    raise InvalidInputError(message)
