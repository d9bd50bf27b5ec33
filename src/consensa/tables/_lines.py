"""Lines of a text file, counted from 1 as editors do; an entry in quotes may hold several."""

from __future__ import annotations

import csv
import re
from pathlib import Path

__all__ = ["first_lines", "row_lines"]


def first_lines(path: Path, count: int) -> list[str]:
    """The first lines that are not empty, without their ends."""
    found: list[str] = []
    with path.open(encoding="utf-8-sig") as file:
        for line in file:
            if line.strip():
                found.append(line.rstrip("\n"))
            if len(found) == count:
                break
    return found


def row_lines(path: Path, separator: str, n_before: int) -> list[int] | None:
    """Line on which each row begins, after `n_before` rows such as the header.

    None if the file cannot be split into rows by the rules of CSV.
    """
    places: list[int] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        delimiter = separator if len(separator) == 1 else " "
        rows = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
        begins = 1
        try:
            for row in rows:
                if (row and re.search(r"\S", "".join(row))) or len(row) > 1:
                    places.append(begins)
                begins = rows.line_num + 1
        except csv.Error:
            return None
    return places[n_before:]
