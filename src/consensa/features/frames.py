"""Frames with columns of words → features.

Each column of words becomes one indicator column for each of its words. Two samples with
different words are then √2 apart in that column. The outliers of a column of numbers are
clipped, and it is divided by its standard deviation, so that two random samples are √2 apart in
it too, on quadratic average: every column of the frame counts about alike. This is final: a
generator that scales columns would blow the indicators up, and leaves such features as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from consensa._array import Array
from consensa.exceptions import InvalidInputError
from consensa.features._outliers import usual_ends

__all__ = ["Encoding", "check_columns", "column_names", "has_words", "is_number", "row_names"]

_NOT_DATES = (
    "Turn all of the column into numbers, dates for example into days since a first one, or into "
    "words; or leave it out."
)


def has_words(X: Any) -> bool:
    """Whether `X` is a frame with columns of words."""
    frame = _frame(X)
    return frame is not None and any(
        _holds_words(frame.get_column(name)) for name in frame.columns
    )


def check_columns(X: Any) -> None:
    """Refuse a frame with a column of neither numbers nor words."""
    frame = _frame(X)
    if frame is None:
        return
    for name, dtype in frame.schema.items():
        if dtype == nw.String:
            _check_text(frame.get_column(name), name)
        elif not (dtype.is_numeric() or dtype in (nw.Boolean, nw.Categorical, nw.Enum)):
            _numbers(frame.get_column(name), name)


def row_names(X: Any) -> Any:
    """Index of a frame that has one, else None."""
    frame = _frame(X)
    return None if frame is None else nw.maybe_get_index(frame)


def column_names(X: Any) -> list[str] | None:
    """Names of the columns of a frame, else None."""
    frame = _frame(X)
    return None if frame is None else frame.columns


def _frame(X: Any) -> nw.DataFrame[Any] | None:
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except ValueError:  # columns of one name: they cannot be told apart, and need not be
        return None
    return frame if isinstance(frame, nw.DataFrame) else None


def _holds_words(column: nw.Series[Any]) -> bool:
    """Whether a column is text or categories, and not numbers written as text."""
    if column.dtype in (nw.Categorical, nw.Enum):
        return True
    if column.dtype != nw.String:
        return False
    return not all(is_number(value) for value in column.drop_nulls().to_list())


def _check_text(column: nw.Series[Any], name: str) -> None:
    """Refuse numbers written as text among which a few are none, such as ``?``."""
    values = column.to_list()
    known = {value: is_number(value) for value in set(values)}
    numbers = np.array([known[value] for value in values])
    words = ~numbers & ~column.is_null().to_numpy()
    if words.any() and all(known[value] or _is_date(value) for value in known):
        message = (
            f"Column {name!r} of X must hold numbers or words. It holds dates: row "
            f"{_first(words)} (counted from 0) has {values[_first(words)]!r}. {_NOT_DATES}"
        )
        raise InvalidInputError(message)
    if words.any() and 2 * numbers.sum() >= len(values):
        message = (
            f"Column {name!r} of X must hold numbers or words. {int(numbers.sum())} of its "
            f"{len(values)} entries are numbers, but row {_first(words)} (counted from 0) has "
            f"{values[_first(words)]!r}. Put it right; or make the column a category, if its "
            f"numbers are names; or leave it out."
        )
        raise InvalidInputError(message)


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_number(value: Any) -> bool:
    """Whether an entry is a number, perhaps written as text."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, complex)  # NumPy's would be turned into real ones


@dataclass(frozen=True, eq=False)
class Encoding:
    """How the columns of a frame become features, learned from one frame, good for others."""

    columns: dict[str, _Numbers | _Words]

    @classmethod
    def of(cls, X: Any) -> Encoding:
        """Learn the words and the spread of each column of a frame."""
        check_columns(X)
        frame = nw.from_native(X, eager_only=True)
        return cls({name: _learned(frame.get_column(name), name) for name in frame.columns})

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns)

    def features(self, X: Any) -> Array:
        """Features of a frame with these columns; a new word is like none of the known ones."""
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            message = f"X must be a frame with the columns {self.names}, as in the fit."
            raise InvalidInputError(message)
        if frame.columns != self.names:
            message = f"X must have the columns {self.names}. Got {frame.columns}."
            raise InvalidInputError(message)
        blocks = [how.features(frame.get_column(name), name) for name, how in self.columns.items()]
        return np.concatenate(blocks, axis=1)


def _learned(column: nw.Series[Any], name: str) -> _Numbers | _Words:
    return (_Words if _holds_words(column) else _Numbers).of(column, name)


class _Numbers(NamedTuple):
    """A column that is clipped to [low, high] and divided by its scale."""

    low: float
    high: float
    scale: float

    @classmethod
    def of(cls, column: nw.Series[Any], name: str) -> _Numbers:
        values = np.sort(_numbers(column, name))  # no sum depends on the order of the rows
        low, high = (float(end[0]) for end in usual_ends(values[:, None]))
        return cls(low, high, float(np.std(np.clip(values, low, high))) or 1.0)

    def features(self, column: nw.Series[Any], name: str) -> Array:
        clipped = np.clip(_numbers(column, name), self.low, self.high)
        return (clipped / self.scale)[:, None]


class _Words(NamedTuple):
    """A column of which each of these words becomes an indicator."""

    words: tuple[Any, ...]

    @classmethod
    def of(cls, column: nw.Series[Any], name: str) -> _Words:
        words = sorted(set(_complete(column, name)), key=str)
        if len(words) == len(column) > 2:
            message = (
                f"Column {name!r} of X holds a different word in each of its {len(column)} rows, "
                f"as names of samples do. Leave it out, or make it the index."
            )
            raise InvalidInputError(message)
        return cls(tuple(words))

    def features(self, column: nw.Series[Any], name: str) -> Array:
        place = {word: number for number, word in enumerate(self.words)}
        found = np.array([place.get(word, -1) for word in _complete(column, name)])
        return (found[:, None] == np.arange(len(self.words))).astype(np.float64)


def _numbers(column: nw.Series[Any], name: str) -> Array:
    entries = _complete(column, name)
    numbers = np.array([is_number(entry) for entry in entries])
    if not numbers.all():
        message = (
            f"Column {name!r} of X must hold numbers or words. Row {_first(~numbers)} (counted "
            f"from 0) has {entries[_first(~numbers)]!r}. {_NOT_DATES}"
        )
        raise InvalidInputError(message)
    values = np.array([float(entry) for entry in entries])
    if not np.isfinite(values).all():
        row = _first(~np.isfinite(values))
        message = (
            f"Column {name!r} of X must be finite. Row {row} (counted from 0) has {values[row]}. "
            f"Put it right, or leave these rows or the column out."
        )
        raise InvalidInputError(message)
    return values


def _complete(column: nw.Series[Any], name: str) -> list[Any]:
    """Entries of a column without gaps."""
    missing = column.is_null().to_numpy()
    if missing.any():
        message = (
            f"Column {name!r} of X has no value in row {_first(missing)} (counted from 0) and "
            f"{int(missing.sum()) - 1} others. Fill them, or leave these rows or the column out."
        )
        raise InvalidInputError(message)
    return column.to_list()


def _first(mask: Array) -> int:
    return int(np.argmax(mask))
