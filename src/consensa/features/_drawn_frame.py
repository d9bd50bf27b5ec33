"""Rows of a frame from which the encoding of its text columns is learned, if there are many.

At most 10,000 distinct rows are drawn by a hash of their values, and count as often as they occur.
So a frame in memory and the same columns on disk have the same encoding, in any order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from consensa._array import Array
from consensa._machine.hashing import hash_columns, hash_texts
from consensa._machine.row_sample import RowSample, sample_rows, spread_rows

__all__ = ["SAMPLED_ROWS", "drawn_frame", "hash_entries", "rows_with_text"]

SAMPLED_ROWS = 10_000


def drawn_frame(frame: nw.DataFrame[Any], limit: int = SAMPLED_ROWS) -> nw.DataFrame[Any]:
    """The frame, or if it has more than `limit` rows, those that are drawn."""
    if len(frame) <= limit:
        return frame
    columns = [frame.get_column(name) for name in frame.columns]
    numeric = [own.dtype.is_numeric() or own.dtype == nw.Boolean for own in columns]
    entries = [
        own.to_numpy() if number else own.to_list()
        for own, number in zip(columns, numeric, strict=True)
    ]
    hashes = hash_entries(entries)
    rows = np.empty((len(frame), 0))
    sample = sample_rows([(0, rows)], lambda rows: hashes, limit, rows[:0])
    return frame[sample.first[rows_with_text(sample, limit)].tolist(), :]


def hash_entries(columns: Sequence[Any]) -> Array:
    """Hash of each row from its columns: arrays of numbers, or lists of anything else."""
    bits = [
        (own.astype(np.float64) + 0.0).view(np.uint64)
        if isinstance(own, np.ndarray)
        else hash_texts(own)
        for own in columns
    ]
    return hash_columns(bits)


def rows_with_text(sample: RowSample, limit: int) -> Array:
    """Places in a sample, as by `spread_rows`; twice if a row is not unique: it is no name."""
    places = spread_rows(sample.counts, limit)
    taken = np.bincount(places, minlength=len(sample.counts))
    again = np.flatnonzero((taken == 1) & (sample.counts > 1))
    return np.sort(np.concatenate([places, again]))
