"""Features in columns of numbers and of text, read by blocks of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from consensa._array import Array
from consensa._machine.progress import track
from consensa._machine.row_sample import RowSample, merge_row_samples, sample_rows
from consensa._machine.threads import share_among_threads
from consensa._optional import require
from consensa.features._columns import is_number, text_columns
from consensa.features._drawn_frame import SAMPLED_ROWS, hash_entries, rows_with_text
from consensa.features._encoding import Encoding
from consensa.features.stored_features import StoredFeatures

__all__ = ["NUMBERS", "TEXT", "Learned", "TableFeatures", "merge_entries"]

NUMBERS, TEXT = "numbers", "text"
Learned = tuple[set[str], Encoding | None]


class TableFeatures(StoredFeatures):
    """Features whose rows are read as columns of numbers and of text.

    Attributes
    ----------
    kinds : dict of str
        Whether each column, by its name, holds numbers or text.
    categories : collection of str
        Names of the text columns of categories, which are text even if they look like numbers.
    """

    kinds: dict[str, str]
    categories: Collection[str] = ()

    @abstractmethod
    def _tables(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        """Columns of the blocks of a part: arrays of numbers, or lists of text; none missing."""

    def _blocks(self, part: tuple[int, int]) -> Iterator[tuple[int, Array]]:
        encoding = self.encoding
        for start, columns in self.columns_of(part):
            if encoding is not None:
                yield start, encoding.features(self._frame(columns))
            else:
                yield start, np.stack(columns, axis=1)

    def columns_of(self, part: tuple[int, int]) -> Iterator[tuple[int, list[Any]]]:
        """Columns of the blocks of a part, with numbers for text that is numbers."""
        numbers, _ = self.learned
        for start, columns in self._tables(part):
            for place, (name, kind) in enumerate(self.kinds.items()):
                if kind != NUMBERS and name in numbers:
                    columns[place] = self._as_numbers(start, name, columns[place])
            yield start, columns

    def is_text(self, place: int) -> bool:
        """Whether a column holds text, and not numbers."""
        return list(self.kinds.values())[place] != NUMBERS

    def _as_numbers(self, start: int, name: str, texts: list[str]) -> Array:
        """Numbers written as text."""
        wrong = [place for place, text in enumerate(texts) if not is_number(text)]
        if wrong:
            what = f"the text {texts[wrong[0]]!r} among numbers"
            raise self._bad_entry(start + wrong[0], repr(name), what)
        return np.array([float(text) for text in texts])

    def _frame(self, columns: Sequence[Any]) -> nw.DataFrame[Any]:
        """Columns as a frame."""
        pandas = require("pandas", extra="cli", purpose="Text columns")
        data = dict(zip(self.kinds, columns, strict=True))
        frame = pandas.DataFrame(data).astype(dict.fromkeys(self.categories, "category"))
        return nw.from_native(frame, eager_only=True)

    @property
    def encoding(self) -> Encoding | None:
        """Encoding of the text columns, learned from drawn rows; None if there are none."""
        return self.learned[1]

    @cached_property
    def learned(self) -> Learned:
        """Names of the columns of numbers, possibly written as text, and the encoding of others.

        If some columns are not numbers, they are decided on and learned from drawn rows.
        """
        if self.is_numeric:
            return set(self.kinds), None

        return self.learn(self._entries())

    def _entries(self) -> RowSample:
        """Rows of all parts, drawn by a hash of their entries."""

        def draw(parts: Sequence[tuple[int, int]]) -> RowSample:
            return self.draw_entries(parts, advance)

        with track("text columns", len(self.parts)) as advance:
            return merge_entries(share_among_threads(draw, self.parts))

    def _drawn(self, limit: int) -> RowSample:
        return super()._drawn(limit) if self.is_numeric else self._entries()

    @property
    def is_numeric(self) -> bool:
        """Whether all columns hold numbers, so that nothing is to be learned from rows."""
        return set(self.kinds.values()) <= {NUMBERS}

    def draw_entries(
        self, parts: Sequence[tuple[int, int]], advance: Callable[[], None] = lambda: None
    ) -> RowSample:
        """Rows of some parts, drawn by a hash of their entries."""
        none = np.empty((0, self.n_columns), object)
        return sample_rows(self._raw(parts, advance), _Raw.hashes, SAMPLED_ROWS, none)

    def learn(self, sample: RowSample) -> Learned:
        """Names of the columns of numbers, and the encoding of others, from the drawn rows."""
        rows = np.asarray(sample.rows)[rows_with_text(sample, SAMPLED_ROWS)]
        frame = nw.from_native(self.frame_of(rows), eager_only=True)
        text = text_columns(frame)
        return set(self.kinds) - set(text), Encoding.of(frame, text) if text else None

    def frame_of(self, rows: Array) -> Any:
        """Drawn rows as a pandas frame: entries, or numbers if all columns are."""
        columns = [
            own.astype(np.float64) if kind == NUMBERS else own.tolist()
            for own, kind in zip(rows.T, self.kinds.values(), strict=True)
        ]
        return self._frame(columns).to_native()

    def _raw(
        self, parts: Sequence[tuple[int, int]], advance: Callable[[], None]
    ) -> Iterator[tuple[int, _Raw]]:
        for part in parts:
            for start, columns in self._tables(part):
                yield start, _Raw(columns)
            advance()


def merge_entries(samples: Sequence[RowSample]) -> RowSample:
    """Merge the rows that `TableFeatures.draw_entries` drew from several parts."""
    return merge_row_samples(samples, SAMPLED_ROWS)


class _Raw:
    """Columns of a block, of which few rows become an array of objects."""

    def __init__(self, columns: Sequence[Any]) -> None:
        self.columns, self.shape = columns, (len(columns[0]), len(columns))

    def hashes(self) -> Array:
        """Hash of each row."""
        return hash_entries(self.columns)

    def __getitem__(self, rows: Array) -> Array:
        found = np.empty((len(rows), self.shape[1]), object)
        for place, own in enumerate(self.columns):
            found[:, place] = [own[row] for row in rows.tolist()]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self[np.arange(self.shape[0])]
