"""Frames with text columns → features.

Each text column is one-hot encoded: the distance of two samples with different values is √2.
The outliers of a column of numbers are clipped, and it is divided by its standard deviation, so
that the root mean square distance of two random samples is √2 too: all columns of the frame have
about the same weight. Generators do not scale these features again, because that would increase
the weight of the indicators.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa.exceptions import InvalidInputError
from consensa.features._columns import complete_entries, finite_numbers
from consensa.features._outliers import usual_ends
from consensa.features._row_numbers import LEAST_ROWS, row_number_columns

__all__ = ["Encoding"]

_COPIES = 4  # of the features: by column, together, checked, scaled by a generator
_MOST_NAMED = 5
_NEARLY_ALL = 0.9  # share of different values in a column of names


@dataclass(frozen=True, eq=False)
class Encoding:
    """Conversion of the columns of a frame to features, learned from one frame."""

    columns: dict[str, _Numbers | _Text]

    @classmethod
    def of(cls, frame: nw.DataFrame[Any], text: Collection[str]) -> Encoding:
        """Learn the values of the `text` columns and the spread of the others."""
        learned = cls(
            {
                name: (_Text if name in text else _Numbers).of(frame.get_column(name), name)
                for name in frame.columns
            }
        )
        if not any(how.n_features for how in learned.columns.values()):
            message = (
                f"Column {learned.names[0]!r} of X has a different value in each of its "
                f"{len(frame)} rows, like sample names, and there is no other column. Add one."
            )
            raise InvalidInputError(message)
        return learned

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns)

    @property
    def text_columns(self) -> list[str]:
        """Names of the text columns."""
        return [name for name, how in self.columns.items() if isinstance(how, _Text)]

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Names of the columns that look like row numbers or names of the samples."""
        return tuple(name for name, how in self.columns.items() if how.is_identifier)

    def describe(self) -> str:
        """What was done to the text columns, in a few words."""
        names = ", ".join(map(repr, self.text_columns[:_MOST_NAMED]))
        more = len(self.text_columns) - _MOST_NAMED
        named = f"{names} and {more} more" if more > 0 else names
        return (
            f"{named}, each encoded with an indicator for each value; other columns divided by "
            f"their standard deviation"
        )

    def features(self, frame: nw.DataFrame[Any] | None) -> Array:
        """Features of a frame with these columns; an unknown value differs from all known ones."""
        if frame is None:
            message = f"X must be a frame with the columns {self.names}, as in the fit."
            raise InvalidInputError(message)
        if frame.columns != self.names:
            message = f"X must have the columns {self.names}. Got {frame.columns}."
            raise InvalidInputError(message)
        self._require_memory(len(frame))
        blocks = [how.features(frame.get_column(name), name) for name, how in self.columns.items()]
        return np.concatenate(blocks, axis=1)

    def _require_memory(self, n_samples: int) -> None:
        """Raise an error if the features do not fit; it names the column with the most values."""
        widths = {name: how.n_features for name, how in self.columns.items()}
        widest = max(widths, key=lambda name: widths[name])
        require_bytes(
            8.0 * _COPIES * n_samples * sum(widths.values()),
            step=f"The one-hot encoding of X of {n_samples} rows",
            why=f"{sum(widths.values())} features, {widths[widest]} of them for the different "
            f"values of column {widest!r}",
            remedy=f"Drop column {widest!r}, or replace rare values by one word.",
            often=True,
        )


class _Numbers(NamedTuple):
    """A column that is clipped to [low, high] and divided by its scale."""

    low: float
    high: float
    scale: float
    is_identifier: bool
    n_features: int = 1

    @classmethod
    def of(cls, column: nw.Series[Any], name: str) -> _Numbers:
        values = np.sort(finite_numbers(column, name))  # no sum depends on the order of the rows
        low, high = (float(end[0]) for end in usual_ends(values[:, None]))
        scale = float(np.std(np.clip(values, low, high))) or 1.0
        return cls(low, high, scale, len(row_number_columns(values[:, None])) == 1)

    def features(self, column: nw.Series[Any], name: str) -> Array:
        clipped = np.clip(finite_numbers(column, name), self.low, self.high)
        return (clipped / self.scale)[:, None]


class _Text(NamedTuple):
    """A text column, with one indicator for each of these values.

    A column with a different value in each row has none: they would change no comparison of
    distances.
    """

    values: tuple[Any, ...]
    is_identifier: bool

    @property
    def n_features(self) -> int:
        """Number of indicators."""
        return len(self.values)

    @classmethod
    def of(cls, column: nw.Series[Any], name: str) -> _Text:
        values = sorted(set(complete_entries(column, name)), key=str)
        if len(values) == len(column) > 2:
            return cls((), is_identifier=True)
        many = len(column) >= LEAST_ROWS and len(values) >= _NEARLY_ALL * len(column)
        return cls(tuple(values), is_identifier=many)

    def features(self, column: nw.Series[Any], name: str) -> Array:
        place = {value: number for number, value in enumerate(self.values)}
        found = np.array([place.get(value, -1) for value in complete_entries(column, name)])
        indicators = np.zeros((len(found), len(self.values)))
        known = np.flatnonzero(found >= 0)
        indicators[known, found[known]] = 1.0
        return indicators
