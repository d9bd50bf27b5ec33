"""What is asked of a file, and what was found in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from consensa._array import Array

__all__ = ["TRANSPOSED", "BadCells", "Request", "Table"]

TRANSPOSED = "transposed"  # in words, as what was recognized
_FROM_0 = "(counted from 0)"
_USUAL = ("X", "data", "features")


@dataclass(frozen=True)
class Request:
    """How a file is to be read.

    Attributes
    ----------
    header : bool or None
        Whether the first line of a text file holds names; None raises an error if it could be
        data.
    array : str or None
        Array of an NPZ file, or matrix of an H5AD file; None selects it by its name.
    usual : tuple of str
        Usual names of the array, the most likely first.
    names : tuple of str
        Columns of sample names, read as they are written: 007 stays 007.
    labels : tuple of str or None
        Columns of labels, whose integers are read exactly; None if all columns are labels.
    encoding : str or None
        Encoding of a text file; None recognizes it.
    separator : str or None
        Separator of a text file; None recognizes it.
    decimal : str or None
        Decimal mark of numbers that are written as text; None recognizes it.
    sheet : str or None
        Sheet of a workbook, by name or by number from 1; None is the only one with data.
    missing : tuple of str
        Entries that stand for a missing value, besides the usual ones such as NA.
    transpose : bool
        Whether the columns of the file are the samples.
    """

    header: bool | None = None
    array: str | None = None
    usual: tuple[str, ...] = _USUAL
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] | None = ()
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    missing: tuple[str, ...] = ()
    transpose: bool = False

    @classmethod
    def of(
        cls,
        header: bool | None,
        array: str | None,
        *,
        labels: bool,
        truth: str | None,
        row_id: str | None,
        **more: Any,
    ) -> Request:
        """How a command reads its label matrix (`labels`), or its features."""
        usual = ("labels",) if labels else _USUAL
        classes = (truth,) if truth else ()
        names = (row_id,) if row_id else ()
        return cls(header, array, usual, names, None if labels else classes, **more)

    @property
    def reads_labels(self) -> bool:
        """Whether all columns are labels, which are never read as numbers with units."""
        return self.labels is None

    @property
    def verbatim(self) -> tuple[str, ...]:
        """Columns that are no features."""
        return (*self.names, *(self.labels or ()))


@dataclass(frozen=True)
class BadCells:
    """A column of numbers with a few entries that are none.

    Attributes
    ----------
    n_numbers : int
        Number of entries that are numbers.
    rows : tuple of int
        Rows of the others, counted from 0.
    entries : tuple of str
        What they hold.
    """

    n_numbers: int
    rows: tuple[int, ...]
    entries: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Content of a file.

    Attributes
    ----------
    source : Path
        The file.
    frame : pandas.DataFrame
        Its columns, named by strings.
    row_names : array or None
        Names of the rows, where the file has them.
    beside : mapping of str to array
        Other arrays of the file with one entry a row, read when they are asked for.
    code : str
        Python that reads all columns in the same way.
    frame_code : str
        Python that makes a frame of them, whose columns have the names of `frame`.
    found : tuple of str
        What was recognized, in words: format, encoding, separator, decimal comma.
    bad : mapping of str to BadCells
        Columns of numbers with a few entries that are none.
    unclear : mapping of str to str
        Columns whose decimal mark cannot be told, and one of their entries.
    unit_of_places : str
        What the numbers of `count_places` count: "line", or "row" of a sheet.
    count_places : callable or None
        Counts the place of each row in the file, from 1, as an editor does; None if there are no
        lines.
    names_title : str
        What the file calls the names of the rows; empty if it does not say.
    """

    source: Path
    frame: pd.DataFrame
    row_names: Any = None
    beside: Mapping[str, Array] = field(default_factory=dict)
    code: str = ""
    frame_code: str = ""
    found: tuple[str, ...] = ()
    bad: Mapping[str, BadCells] = field(default_factory=dict)
    unclear: Mapping[str, str] = field(default_factory=dict)
    unit_of_places: str = "line"
    count_places: Callable[[], Sequence[int] | None] | None = None
    names_title: str = ""

    @property
    def name(self) -> str:
        """The source, as messages call it."""
        return "standard input" if str(self.source) == "-" else str(self.source)

    @property
    def is_transposed(self) -> bool:
        """Whether its rows are the columns of the file."""
        return TRANSPOSED in self.found

    @cached_property
    def _places(self) -> Sequence[int] | None:
        places = None if self.count_places is None else self.count_places()
        return places if places is not None and len(places) == len(self.frame) else None

    def place(self, row: int) -> str:
        """Where a row is: its line as an editor counts, or its number from 0."""
        if self._places is None:
            return f"row {row} {_FROM_0}"
        return f"{self.unit_of_places} {self._places[row]}"
