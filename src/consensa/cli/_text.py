"""Text files → frames: CSV, TSV and other text, without loss of digits or names."""

from __future__ import annotations

import csv
import mmap
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from consensa._array import Array
from consensa.cli._suggest import listed
from consensa.exceptions import InvalidInputError

__all__ = ["Text", "read_text"]

_CHUNK = 2**18  # bytes that pandas reads at once
_MANY = 1000  # empty columns that are looked for before pandas reads the file, which is slow
_EXACT = 2.0**53  # floats are exact integers below
_LONG_EXPONENT = re.compile(rb"[eE][+-]?\d{4}")
_LONG = 19  # digits of the first integer that needs more than 63 bits


class Text(NamedTuple):
    """Columns of a text file, the names of its rows, and Python that reads the columns."""

    frame: pd.DataFrame
    row_names: Array | None
    code: str


def read_text(
    path: Path,
    *,
    separator: str | None,
    header: bool | None,
    names: Sequence[str],
    exact: Sequence[str] | None,
) -> Text:
    """Read a text file.

    The columns `names` are read as they are written: 007 stays 007, and NA is a name. Large
    integers of the columns `exact`, or of all columns if it is None, are read as text if pandas
    would make floats of them.
    """
    with path.open("rb") as file:
        if b"\0" in file.read(2**16):
            message = f"{path} must be text in UTF-8. It contains zero bytes, like a binary file."
            raise InvalidInputError(message)
    options: dict[str, Any] = {
        "sep": separator or _separator(path),
        "encoding": "utf-8-sig",  # with or without a byte order mark
        "skipinitialspace": True,
    }
    _check_empty_columns(path, options["sep"])
    first = pd.read_csv(
        path, header=None, nrows=1, dtype=str, keep_default_na=False, **options
    ).iloc[0]
    has_header = _has_header(path, [str(entry) for entry in first], header)
    options |= {"header": 0 if has_header else None}
    if _has_long_exponent(path):
        options |= {"float_precision": "round_trip"}
    unnamed = has_header and not str(first.iloc[0]).strip()  # pandas and R write row names so
    verbatim = dict.fromkeys(_places(names, has_header), str)
    verbatim |= {0: str} if unnamed else {}
    reading = options | {"low_memory": False, "converters": verbatim}  # one type a column
    frame = pd.read_csv(path, **reading)
    converted = frame.columns[1:] if unnamed else frame.columns
    text = [name for name in converted if exact is None or str(name) in exact]
    text = [name for name in text if name not in verbatim and _is_misread(frame[name])]
    if text:
        frame = pd.read_csv(path, **reading, dtype=dict.fromkeys(text, str))
    frame.columns = frame.columns.map(str)
    code = _text_code(path, options, text)
    if unnamed:
        return Text(frame.iloc[:, 1:], _as_written(frame.iloc[:, 0]), f"{code}.iloc[:, 1:]")
    if frame.index.nlevels > 1:
        message = f"{path} must be a table. Its rows have more fields than its first line."
        raise InvalidInputError(message)
    if isinstance(frame.index, pd.RangeIndex):
        return Text(frame, None, code)
    # Or so: a first line without a place for them, which makes them pandas' index.
    columns = {"names": range(frame.shape[1] + 1), "usecols": [0], "converters": {0: str}}
    own = pd.read_csv(path, **options, **columns)
    return Text(frame.reset_index(drop=True), _as_written(own[0]), code)


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


def _check_empty_columns(path: Path, separator: str) -> None:
    """Raise an error for a file with very many columns that have no value in any row."""
    if len(separator) > 1:  # white space: no entry is empty
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
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
            f"{path} has {len(empty)} columns without a value in any row, the first of them in "
            f"place {min(empty) + 1}. Remove these columns."
        )
        raise InvalidInputError(message)


def _has_long_exponent(path: Path) -> bool:
    """Whether there may be a number such as 1e3999999999, with which pandas' parser crashes."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return _LONG_EXPONENT.search(content) is not None


def _text_code(path: Path, read: dict[str, Any], text: Sequence[Any]) -> str:
    """Python that reads a text file as `read_text` does."""
    separator, header = read["sep"], read["header"] is not None
    options: dict[str, Any] = {} if separator == "," else {"sep": separator}
    options |= {} if header else {"header": None}
    options |= {"skipinitialspace": True}
    options |= {name: read[name] for name in ("float_precision",) if name in read}
    # Longer files are read by chunks, whose columns may come out with different types.
    options |= {"low_memory": False} if path.stat().st_size > _CHUNK else {}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    given += f", dtype={{{', '.join(f'{name!r}: str' for name in text)}}}" if text else ""
    return f"pd.read_csv({str(path)!r}{given})" + ("" if header else ".rename(columns=str)")


def _separator(path: Path) -> str:
    """The separator in the first line that is not empty."""
    with path.open(encoding="utf-8-sig") as file:
        line = next((line for line in file if line.strip()), "")
    counts = {mark: line.count(mark) for mark in ("\t", ";", ",")}
    mark = max(counts, key=lambda mark: counts[mark])
    spaces = path.suffix.lower() == ".txt"
    return mark if counts[mark] else (r"\s+" if spaces else ",")


def _has_header(path: Path, first: list[str], said: bool | None) -> bool:
    """Whether the first line holds names. For a line of numbers the user must decide."""
    if said is not None:
        return said
    if not all(_is_number(entry) for entry in first):
        return True
    message = (
        f"The first line of {path} contains only numbers ({listed(first)}). Use --no-header if "
        f"it is data, or --header if these are column names."
    )
    raise InvalidInputError(message)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
