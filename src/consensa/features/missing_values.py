"""Missing values of X: filled, or left out with their rows, before X is read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from scipy import sparse

from consensa._array import Array, unmasked
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.features._features import Features, read_features
from consensa.features.column_statistics import column_fills, count_gaps
from consensa.features.stored_features import StoredFeatures

__all__ = ["MISSING", "Complete", "complete"]

MISSING = ("error", "impute", "drop")


class Complete(NamedTuple):
    """Features without missing values, and what was done; None if nothing was to do."""

    X: Any
    note: str | None = None


def complete(X: Any, missing: str) -> Complete:
    """X with its missing values filled, or without their rows, for ``missing="error"`` as it is.

    Frames, lists, NumPy arrays and features on disk are completed; anything else is taken as it
    is. Missing values are filled with the median or the most frequent entry of their column.
    """
    if missing != "error" and isinstance(X, StoredFeatures):
        return _complete_on_disk(X, missing)
    if missing == "error" or isinstance(X, Features) or sparse.issparse(X):
        return Complete(X)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        columns = [frame.get_column(name) for name in frame.columns]
        gaps = np.stack([_gaps(column) for column in columns], axis=1)
    elif isinstance(X, (np.ndarray, list, tuple)):
        frame, columns = np.array(unmasked(X, np.nan), dtype=np.float64), []
        gaps = np.isnan(frame)
    else:
        return Complete(X)
    if not gaps.any():
        return Complete(X)
    if missing == "drop":
        return _dropped(frame, gaps)
    note = _filled_note(int(gaps.sum()), np.asarray(gaps.any(axis=0)))
    if not columns:
        return Complete(np.where(gaps, _medians(frame, gaps), frame), note)
    filled = [_filled(column, own) for column, own in zip(columns, gaps.T, strict=True)]
    return Complete(frame.with_columns(*filled).to_native(), note)


def _complete_on_disk(stored: StoredFeatures, missing: str) -> Complete:
    if missing == "drop":
        message = (
            f"missing='drop' needs X in memory, and {stored.name} is read in blocks of rows. Use "
            f"missing='impute', or leave the rows out of the file."
        )
        raise InvalidParameterError(message)
    counts = count_gaps(stored).counts
    if not counts.any():
        return Complete(stored)
    fills = column_fills(stored, np.flatnonzero(counts).tolist())
    names = stored.column_names or range(stored.n_columns)
    for place, fill in fills.items():
        if fill is None:
            raise InvalidInputError(_empty(names[place]))
    return Complete(stored.filled(fills), _filled_note(int(counts.sum()), counts > 0))


def _filled_note(total: int, columns: Array) -> str:
    where = _counted(columns, "column")
    return f"{total} filled with the median or most frequent entry, in {where}"


def _gaps(column: nw.Series[Any]) -> Array:
    nothing = column.is_null().to_numpy().astype(bool)
    return (
        nothing | column.is_nan().fill_null(True).to_numpy()
        if column.dtype.is_float()
        else nothing
    )


def _dropped(rows: Any, gaps: Array) -> Complete:
    kept: Array = np.logical_not(gaps.any(axis=1))
    if kept.sum() < 2:
        message = f"missing='drop' leaves {kept.sum()} of {len(kept)} rows. Use missing='impute'."
        raise InvalidInputError(message)
    note = f"{_counted(~kept, 'row')} left out"
    left = rows.filter(kept.tolist()).to_native() if isinstance(rows, nw.DataFrame) else rows[kept]
    features = read_features(left)
    names = np.flatnonzero(kept) if features.sample_names is None else features.sample_names
    return Complete(replace(features, sample_names=names), note)


def _medians(rows: Array, gaps: Array) -> Array:
    empty = gaps.all(axis=0)
    if empty.any():
        raise InvalidInputError(_empty(int(np.argmax(empty))))
    return np.nanmedian(rows, axis=0)


def _filled(column: nw.Series[Any], gaps: Array) -> nw.Series[Any]:
    if not gaps.any():
        return column
    known = column.filter((~gaps).tolist())
    if not len(known):
        raise InvalidInputError(_empty(column.name))
    if column.dtype.is_numeric():
        value = float(np.median(known.to_numpy().astype(np.float64)))
        entries = np.where(gaps, value, column.cast(nw.Float64).fill_null(value).to_numpy())
        return nw.new_series(column.name, entries, backend=column.implementation)
    counts = Counter(known.to_list())
    return column.fill_null(min(counts, key=lambda entry: (-counts[entry], str(entry))))


def _counted(which: Array, noun: str) -> str:
    return f"{which.sum()} {noun}{'' if which.sum() == 1 else 's'}"


def _empty(name: object) -> str:
    return f"missing='impute' cannot fill X: column {name!r} has no value. Drop it."
