"""Text that a spreadsheet would run as a formula when it opens a CSV file.

By default it is written as it is: a name must still join with the table that it came from. The
user is warned, and may have it escaped.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from consensa.cli._screen import messages

__all__ = ["FormulaCheck", "with_escaped_formulas"]

_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r")


class FormulaCheck:
    """Titles and entries of the frames of a table that would be run."""

    def __init__(self) -> None:
        self.first: str | None = None
        self.titles, self.count = 0, 0

    def see(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Look for such text in a frame; returns the frame."""
        titles = [text for text in frame.columns if _is_formula(text)]
        self.titles = len(titles)  # each frame has the same
        found = titles
        for _, column in _texts(frame):
            run = column[column.map(_is_formula)]
            self.count += len(run)
            found += list(run.iloc[:1])
        if self.first is None and found:
            self.first = found[0]
        return frame

    def warn(self) -> None:
        """Print a warning if there is any."""
        count = self.titles + self.count
        if count:
            others = f" and {count - 1} others" if count > 1 else ""
            messages().print(
                f"Warning: a spreadsheet program may run {self.first!r}{others} as a formula when "
                f"it opens the CSV. Import the column as text, or use --escape-formulas.",
                style="yellow", markup=False,
            )  # fmt: skip


def with_escaped_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an apostrophe before text that would be run, as spreadsheets write text."""
    written = frame.copy(deep=False)
    for place, column in _texts(frame):
        written.isetitem(place, column.map(_escaped))
    return written.set_axis(map(_escaped, frame.columns), axis="columns")


def _texts(frame: pd.DataFrame) -> list[tuple[int, pd.Series]]:
    """The columns that may hold text, with their places."""
    columns = [(place, frame.iloc[:, place]) for place in range(frame.shape[1])]
    return [
        (place, column)
        for place, column in columns
        if not pd.api.types.is_numeric_dtype(column.dtype)
    ]


def _escaped(entry: Any) -> Any:
    return f"'{entry}" if _is_formula(entry) else entry


def _is_formula(entry: Any) -> bool:
    """Whether this is text that begins like a formula and is no number."""
    if not isinstance(entry, str) or not entry.startswith(_BEGINNINGS):
        return False
    try:
        float(entry)
    except ValueError:
        return True
    return False
