"""Frames with columns of words → features.

Each column of words becomes one indicator column for each of its words. Two samples with
different words are then √2 apart in that column. The columns of numbers are divided by their
standard deviation, so that two random samples are √2 apart in them too, on quadratic average:
every column of the frame counts about alike. This is final: a generator that scales columns
would blow the indicators up, and leaves such features as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from consensa.exceptions import InvalidInputError

__all__ = ["Encoding", "has_words", "row_names"]

_Array = np.ndarray[Any, Any]


def has_words(X: Any) -> bool:
    """Whether `X` is a frame with columns of words."""
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        return isinstance(frame, nw.DataFrame) and any(
            _holds_words(frame.get_column(name)) for name in frame.columns
        )
    except ValueError:  # columns of one name: they cannot be told apart, and need not be
        return False


def row_names(X: Any) -> Any:
    """Index of a frame that has one, else None."""
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except ValueError:
        return None
    return nw.maybe_get_index(frame) if isinstance(frame, nw.DataFrame) else None


def _holds_words(column: nw.Series[Any]) -> bool:
    """Whether a column is text or categories, and not numbers written as text."""
    if column.dtype in (nw.Categorical, nw.Enum):
        return True
    if column.dtype != nw.String:
        return False
    try:
        [float(value) for value in column.drop_nulls().to_list()]
    except ValueError:
        return True
    return False


@dataclass(frozen=True, eq=False)
class Encoding:
    """How the columns of a frame become features, learned from one frame, good for others."""

    names: tuple[str, ...]
    words: tuple[tuple[Any, ...] | None, ...]  # of each column; None for numbers
    scales: tuple[float, ...]  # of the columns of numbers; 1 for words

    @classmethod
    def of(cls, X: Any) -> Encoding:
        """Learn the words and the spread of each column of a frame."""
        frame = nw.from_native(X, eager_only=True)
        words: list[tuple[Any, ...] | None] = []
        scales: list[float] = []
        for name in frame.columns:
            column = frame.get_column(name)
            if _holds_words(column):
                words.append(_words(column, name))
                scales.append(1.0)
            else:
                words.append(None)
                scales.append(float(np.std(_numbers(column, name))) or 1.0)
        return cls(tuple(frame.columns), tuple(words), tuple(scales))

    def features(self, X: Any) -> _Array:
        """Features of a frame with these columns; a new word is like none of the known ones."""
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            message = f"X must be a frame with the columns {list(self.names)}, as in the fit."
            raise InvalidInputError(message)
        if tuple(frame.columns) != self.names:
            message = f"X must have the columns {list(self.names)}. Got {list(frame.columns)}."
            raise InvalidInputError(message)
        blocks = [
            _numbers(frame.get_column(name), name)[:, None] / scale
            if words is None
            else _indicators(frame.get_column(name), name, words)
            for name, words, scale in zip(self.names, self.words, self.scales, strict=True)
        ]
        return np.concatenate(blocks, axis=1)


def _words(column: nw.Series[Any], name: str) -> tuple[Any, ...]:
    words = sorted(set(_complete(column, name)), key=str)
    if len(words) == len(column) > 2:
        message = (
            f"Column {name!r} of X holds a different word in each of its {len(column)} rows, as "
            f"names of samples do. Leave it out, or make it the index."
        )
        raise InvalidInputError(message)
    return tuple(words)


def _indicators(column: nw.Series[Any], name: str, words: tuple[Any, ...]) -> _Array:
    place = {word: number for number, word in enumerate(words)}
    found = np.array([place.get(word, -1) for word in _complete(column, name)])
    return (found[:, None] == np.arange(len(words))).astype(np.float64)


def _numbers(column: nw.Series[Any], name: str) -> _Array:
    try:
        values = np.array([float(value) for value in _complete(column, name)])
    except (TypeError, ValueError) as error:
        message = (
            f"Column {name!r} of X must hold numbers or words. It holds {column.dtype}: {error}."
        )
        raise InvalidInputError(message) from error
    if not np.isfinite(values).all():
        message = (
            f"Column {name!r} of X must be finite. Row {_first(~np.isfinite(values))} is not."
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


def _first(mask: _Array) -> int:
    return int(np.argmax(mask))
