"""Columns of dates, and the days that they are."""

from __future__ import annotations

from typing import Any

import pandas as pd

from consensa._array import Array

__all__ = ["AMBIGUOUS", "date_values", "days", "first_date"]

AMBIGUOUS = "ambiguous"
_SAMPLE = 50  # entries that decide whether a longer column is looked at
_TIMES = ("", " %H:%M", " %H:%M:%S")
_FORMATS = (
    "ISO8601",
    *(
        f"{day}{time}"
        for day in ("%d.%m.%Y", "%d.%m.%y", "%Y/%m/%d", "%d-%m-%Y", "%d %b %Y", "%b %d, %Y")
        for time in _TIMES
    ),
)
_EITHER = tuple(
    (f"%d/%m/%{year}{time}", f"%m/%d/%{year}{time}") for year in "Yy" for time in _TIMES
)


def date_values(column: pd.Series) -> Any:
    """The dates of a column; None if it has other entries, or `AMBIGUOUS` if 2/3 may be both."""
    if column.dtype.kind in "mM" or isinstance(column.dtype, pd.DatetimeTZDtype):
        return column
    entries = column.dropna()
    if column.dtype.kind != "O" or entries.empty:
        return None
    if not all(isinstance(entry, str) for entry in entries):
        return None
    if not all(any(c.isdigit() for c in entry) for entry in entries[:_SAMPLE]):
        return None
    for form in _FORMATS:
        found = _parsed(column, form)
        if found is not None:
            return found
    for day_first, month_first in _EITHER:
        both = [_parsed(column, form) for form in (day_first, month_first)]
        known = [dates for dates in both if dates is not None]
        if len(known) == 2 and not known[0].equals(known[1]):
            return AMBIGUOUS
        if known:
            return known[0]
    return None


def _parsed(column: pd.Series, form: str) -> pd.Series | None:
    entries = column.dropna()
    for part in (entries.iloc[:_SAMPLE], column):
        try:
            found = pd.to_datetime(part.str.strip(), format=form, utc=form == "ISO8601")
        except (ValueError, OverflowError, TypeError):
            return None
    # Bare numbers such as 2020 or 20200102 are numbers.
    return None if entries.iloc[:_SAMPLE].str.strip().str.isdecimal().all() else found


def first_date(dates: pd.Series) -> str | None:
    """The first date; None for durations."""
    return None if dates.dtype.kind == "m" else pd.Timestamp(dates.min()).isoformat()


def days(dates: pd.Series, since: str | None) -> Array:
    """Days since a date, with fractions; durations as days."""
    if since is not None:
        start = pd.Timestamp(since)
        dates = _in_utc(dates) - (start.tz_localize("UTC") if start.tz is None else start)
    return (dates / pd.Timedelta(days=1)).to_numpy(dtype=float)


def _in_utc(dates: pd.Series) -> pd.Series:
    return dates.dt.tz_localize("UTC") if dates.dt.tz is None else dates
