r"""Frames with text columns → features, in which every column has the same weight.

The outliers of a column of numbers are clipped, and it is divided by its range, as in Gower's
distance. Each text column is one-hot encoded, and its indicators are multiplied by a weight: the
mean square distance of two random samples in a text column is the mean of those in the columns of
numbers. A text column that is independent of all others has no weight: it says nothing of the
clusters that they show. If no text column has a weight, the numbers are not scaled here either.
Generators do not scale these features again, because that would change the weight of the
indicators.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa._machine.plain_objects import storable
from consensa.exceptions import InvalidInputError
from consensa.features._association import independent_texts
from consensa.features._columns import complete_entries, finite_numbers
from consensa.features._outliers import usual_ends
from consensa.features._row_numbers import LEAST_ROWS, row_number_columns

__all__ = ["Encoding"]

_COPIES = 4  # of the features: by column, together, checked, scaled by a generator
_MOST_NAMED = 5
_NEARLY_ALL = 0.9  # share of different values in a column of names


@storable
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
        if not any(learned.widths.values()):
            message = (
                f"Column {learned.names[0]!r} of X has a different value in each of "
                f"{len(frame)} rows, like sample names, and there is no other column. Add one."
            )
            raise InvalidInputError(message)
        return learned._weighted(frame)

    def _weighted(self, frame: nw.DataFrame[Any]) -> Encoding:
        """The same, with the weights of the text columns."""
        texts, numbers = {}, {}
        for name, how in self.columns.items():
            if isinstance(how, _Numbers):
                numbers[name] = finite_numbers(frame.get_column(name), name)
            elif how.n_features:
                texts[name] = how.codes(frame.get_column(name), name)
        alone = independent_texts(texts, numbers)
        spreads = [how.spread for how in self.columns.values() if isinstance(how, _Numbers)]
        spread = float(np.mean(spreads)) if any(spreads) else None
        used = texts.keys() - alone
        columns: dict[str, _Numbers | _Text] = {}
        for name, how in self.columns.items():
            if isinstance(how, _Text):
                in_use = name in used
                columns[name] = (
                    how.weighted(texts[name], spread) if in_use else replace(how, values=())
                )
            else:
                columns[name] = how if used else how.unscaled()
        return Encoding(columns)

    def numbered(self, frame: nw.DataFrame[Any]) -> Encoding:
        """The same, with the row numbers that all rows show, and not those that were drawn."""
        return Encoding(
            {
                name: how.numbered(finite_numbers(frame.get_column(name), name))
                if isinstance(how, _Numbers)
                else how
                for name, how in self.columns.items()
            }
        )

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns)

    @property
    def text_columns(self) -> list[str]:
        """Names of the text columns."""
        return [name for name, how in self.columns.items() if isinstance(how, _Text)]

    @property
    def ignored_columns(self) -> list[str]:
        """Names of the text columns without weight, because they depend on no other column."""
        return [
            name
            for name, how in self.columns.items()
            if isinstance(how, _Text) and not how.n_features and not how.is_identifier
        ]

    @property
    def is_scaled(self) -> bool:
        """Whether columns are scaled, because text columns have a weight."""
        return any(isinstance(how, _Text) and how.n_features for how in self.columns.values())

    @property
    def widths(self) -> dict[str, int]:
        """Number of features of each column."""
        return {name: how.n_features for name, how in self.columns.items()}

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Names of the columns that look like row numbers or names of the samples."""
        return tuple(name for name, how in self.columns.items() if how.is_identifier)

    def describe(self) -> str:
        """What was done to the text columns, in a few words."""
        names = ", ".join(map(repr, self.text_columns[:_MOST_NAMED]))
        more = len(self.text_columns) - _MOST_NAMED
        named = f"{names} and {more} more" if more > 0 else names
        ignored = ", ".join(map(repr, self.ignored_columns[:_MOST_NAMED]))
        without = f"; without weight, independent of all other columns: {ignored}"
        return (
            f"{named}, each encoded with an indicator for each value, of the weight of a column "
            f"of numbers; other columns divided by their range{without if ignored else ''}"
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
        widths = self.widths
        widest = max(widths, key=lambda name: widths[name])
        require_bytes(
            8.0 * _COPIES * n_samples * sum(widths.values()),
            step=f"The one-hot encoding of X of {n_samples} rows",
            why=f"{sum(widths.values())} features, {widths[widest]} of them for the different "
            f"values of column {widest!r}",
            remedy=f"Drop column {widest!r}, or replace rare values by one word.",
            often=True,
        )


@storable
class _Numbers:
    """A column that is clipped to [low, high] and divided by its range, `scale`."""

    low: float
    high: float
    scale: float
    spread: float  # variance of the divided column
    is_identifier: bool
    n_features: int = 1

    @classmethod
    def of(cls, column: nw.Series[Any], name: str) -> _Numbers:
        values = np.sort(finite_numbers(column, name))  # no sum depends on the order of the rows
        low, high = (float(end[0]) for end in usual_ends(values[:, None]))
        clipped = np.clip(values, low, high)
        scale = float(clipped[-1] - clipped[0]) or 1.0
        own = cls(low, high, scale, float(np.var(clipped / scale)), is_identifier=False)
        return own.numbered(values)

    def numbered(self, values: Array) -> _Numbers:
        """The same, with the mark of row numbers if these, all values of the column, are such."""
        return replace(self, is_identifier=len(row_number_columns(values[:, None])) == 1)

    def unscaled(self) -> _Numbers:
        """The same, with the numbers as they are."""
        return replace(self, low=-np.inf, high=np.inf, scale=1.0)

    def features(self, column: nw.Series[Any], name: str) -> Array:
        clipped = np.clip(finite_numbers(column, name), self.low, self.high)
        return (clipped / self.scale)[:, None]


@storable
class _Text:
    """A text column, with one indicator for each of these values.

    A column with a different value in each row has none: they would change no comparison of
    distances.
    """

    values: tuple[Any, ...]
    is_identifier: bool
    weight: float = 1.0

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

    def weighted(self, codes: Array, spread: float | None) -> _Text:
        """The same, as far apart on average as columns of numbers of this variance."""
        shares = np.bincount(codes) / len(codes)
        differ = 1.0 - float((shares**2).sum())  # probability that two samples do
        if spread is None or differ <= 0:
            return self
        return replace(self, weight=float(np.sqrt(spread / differ)))

    def codes(self, column: nw.Series[Any], name: str) -> Array:
        """Number of the value of each row; -1 for another value."""
        place = {value: number for number, value in enumerate(self.values)}
        return np.array([place.get(value, -1) for value in complete_entries(column, name)])

    def features(self, column: nw.Series[Any], name: str) -> Array:
        found = self.codes(column, name)
        indicators = np.zeros((len(found), len(self.values)))
        known = np.flatnonzero(found >= 0)
        indicators[known, found[known]] = self.weight
        return indicators
