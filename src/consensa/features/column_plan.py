"""The columns of a table that a model was fitted on, and what fills their missing values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from consensa._machine.plain_objects import storable
from consensa.exceptions import InvalidInputError
from consensa.features.column_statistics import column_fills
from consensa.features.stored_features import StoredFeatures

__all__ = ["ColumnPlan"]


@storable
class ColumnPlan:
    """Columns by name, so that other columns and another order do not matter.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    fills : tuple of float or str or None
        What a missing value is replaced by: the median, or the most frequent text; None for a
        column without any value.
    first_dates : mapping of str to str or None, default=None
        The first date of each column of dates, from which its days are counted; None for one of
        durations, or if there is no such column.
    """

    names: tuple[str, ...]
    fills: tuple[Any, ...]
    first_dates: Mapping[str, str | None] | None = None

    @classmethod
    def of(cls, frame: Any, first_dates: Mapping[str, str | None] | None = None) -> ColumnPlan:
        """The columns of a pandas frame, with the first dates of those that were dates."""
        fills = [_fill(frame[name]) for name in frame.columns]
        return cls(tuple(map(str, frame.columns)), tuple(fills), first_dates)

    @classmethod
    def of_stored(cls, stored: StoredFeatures) -> ColumnPlan:
        """The columns of features on disk; passes over the rows find their medians."""
        names = stored.column_names or range(stored.n_columns)
        fills = column_fills(stored, range(stored.n_columns))
        truth = {j: str(bool(fill)) for j, fill in fills.items() if stored.is_truth(j)}
        found = fills | dict(stored.fills) | truth
        return cls(tuple(map(str, names)), tuple(found[j] for j in range(stored.n_columns)))

    def apply(self, frame: Any, source: str = "X") -> Any:
        """These columns of another frame, complete; one that is not there raises an error."""
        absent = [name for name in self.names if name not in frame.columns]
        if absent:
            message = (
                f"{source} must have the columns of the fit. Missing: {', '.join(absent[:10])}"
                f"{' and others' if len(absent) > 10 else ''}. It has: "
                f"{', '.join(map(str, frame.columns[:10]))}."
            )
            raise InvalidInputError(message)
        columns = {
            name: frame[name] if fill is None else _filled(frame[name], fill)
            for name, fill in zip(self.names, self.fills, strict=True)
        }
        return type(frame)(columns)

    def count_missing(self, frame: Any) -> int:
        """Number of entries that `apply` fills."""
        return int(sum(frame[name].isna().sum() for name in self.names if name in frame.columns))


def _filled(column: Any, fill: Any) -> Any:
    if not column.isna().any():
        return column
    return (column.astype("float64") if isinstance(fill, float) else column).fillna(fill)


def _fill(column: Any) -> float | str | None:
    known = column.dropna()
    if len(known) == 0:
        return None
    if column.dtype.kind in "iuf":
        return float(np.median(known.to_numpy(dtype=np.float64)))
    counts = known.astype(str).value_counts()
    return min(counts.index[counts == counts.max()])  # of equally frequent ones the first
