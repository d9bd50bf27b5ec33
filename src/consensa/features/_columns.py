"""One column of a frame: whether it is text, and its values, none of them missing."""

from __future__ import annotations

from datetime import datetime
from decimal import InvalidOperation
from typing import Any

import narwhals as nw
import numpy as np

from consensa._array import Array
from consensa.exceptions import InvalidInputError

__all__ = ["complete_entries", "finite_numbers", "is_number", "is_text", "text_columns"]

_NOT_DATES = (
    "Convert the whole column to numbers (for example, dates to days since the first date) or to "
    "text, or drop it."
)


def text_columns(frame: nw.DataFrame[Any]) -> list[str]:
    """Names of the text columns; a column of neither numbers nor text raises an error."""
    return [
        name
        for name, kind in frame.schema.items()
        if not kind.is_numeric() and is_text(frame.get_column(name), name)
    ]


def is_text(column: nw.Series[Any], name: str) -> bool:
    """Whether a column is text or categories; numbers written as text are numbers.

    Any other column raises an error.
    """
    if column.dtype in (nw.Categorical, nw.Enum):
        return True
    if column.dtype == nw.String:
        return _is_text_of_strings(column, name)
    if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
        finite_numbers(column, name)  # objects that are numbers pass
    return False


def _is_text_of_strings(column: nw.Series[Any], name: str) -> bool:
    """Whether strings are text; numbers with a few exceptions, such as ``?``, raise an error."""
    values = column.to_list()
    known = {value: is_number(value) for value in set(values)}
    numbers = np.array([known[value] for value in values])
    text = ~numbers & ~column.is_null().to_numpy()
    if not text.any():
        return False
    if all(known[value] or _is_date(value) for value in known if isinstance(value, str)):
        message = (
            f"Column {name!r} of X must contain numbers or text. It contains dates: row "
            f"{_first(text)} (counted from 0) has {values[_first(text)]!r}. {_NOT_DATES}"
        )
        raise InvalidInputError(message)
    if 2 * numbers.sum() >= len(values):
        message = (
            f"Column {name!r} of X must contain numbers or text. {int(numbers.sum())} of its "
            f"{len(values)} entries are numbers, but row {_first(text)} (counted from 0) has "
            f"{values[_first(text)]!r}. Correct it, convert the column to a category if its "
            f"numbers are names, or drop it."
        )
        raise InvalidInputError(message)
    return True


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_number(value: Any) -> bool:
    """Whether an entry is a number, possibly written as text."""
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, complex)  # NumPy would drop the imaginary part


def finite_numbers(column: nw.Series[Any], name: str) -> Array:
    """Values of a column of numbers, possibly written as text."""
    entries = complete_entries(column, name)
    numbers = np.array([is_number(entry) for entry in entries])
    if not numbers.all():
        message = (
            f"Column {name!r} of X must contain numbers or text. Row {_first(~numbers)} (counted "
            f"from 0) has {entries[_first(~numbers)]!r}. {_NOT_DATES}"
        )
        raise InvalidInputError(message)
    values = np.array([float(entry) for entry in entries])
    if not np.isfinite(values).all():
        row = _first(~np.isfinite(values))
        message = (
            f"Column {name!r} of X must be finite. Row {row} (counted from 0) has {values[row]}. "
            f"Correct it, or drop these rows or the column."
        )
        raise InvalidInputError(message)
    return values


def complete_entries(column: nw.Series[Any], name: str) -> list[Any]:
    """Entries of a column; raise an error if one is missing."""
    missing = _missing(column)
    if missing.any():
        message = (
            f"Column {name!r} of X has no value in row {_first(missing)} (counted from 0) and "
            f"{int(missing.sum()) - 1} others. Fill them, or drop these rows or the column."
        )
        raise InvalidInputError(message)
    return column.to_list()


def _missing(column: nw.Series[Any]) -> Array:
    try:
        return column.is_null().to_numpy()
    except InvalidOperation:  # a signaling NaN is not compared with anything
        nothing = [entry is None or str(entry) in ("NaN", "sNaN") for entry in column.to_list()]
        return np.array(nothing)


def _first(mask: Array) -> int:
    return int(np.argmax(mask))
