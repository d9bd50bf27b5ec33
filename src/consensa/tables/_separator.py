"""The separator of a text file."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from consensa.tables._numbers import written

__all__ = ["SPACES", "find_separator", "is_number"]

SPACES = r"\s+"
_MARKS = ("\t", ";", ",", "|")


def find_separator(lines: Sequence[str], *, spaces: bool) -> str:
    """The separator of these lines; white space if `spaces`, or if it gives columns of numbers.

    Of several marks in the first line, the one that gives the same number of columns in every
    line, and numbers in most of them: ``70,0;25,9`` is separated by a semicolon.
    """
    first = lines[0] if lines else ""
    present = [mark for mark in _MARKS if mark in first]
    if not present:
        return SPACES if spaces or _are_columns_of_numbers(lines) else ","
    if len(present) == 1:
        return present[0]
    return max(present, key=lambda mark: (*_fit(lines, mark), first.count(mark)))


def _fit(lines: Sequence[str], mark: str) -> tuple[bool, float]:
    """Whether every line has as many entries, and the share of the numbers among them."""
    try:
        rows = [row for row in csv.reader(lines, delimiter=mark, skipinitialspace=True) if row]
    except csv.Error:
        return False, 0.0
    entries = [entry for row in rows for entry in row]
    numbers = sum(is_number(entry) for entry in entries)
    return len({len(row) for row in rows}) == 1, round(numbers / max(len(entries), 1), 2)


def _are_columns_of_numbers(lines: Sequence[str]) -> bool:
    rows = [line.split() for line in lines]
    if len(rows) < 2 or {len(row) for row in rows} != {len(rows[0])} or len(rows[0]) < 2:
        return False
    return all(is_number(entry) for row in rows[1:] for entry in row)


def is_number(text: str) -> bool:
    """Whether an entry is a number, as Python or as people write it."""
    try:
        float(text)
    except ValueError:
        return written(text) is not None
    return True
