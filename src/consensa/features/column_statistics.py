"""Statistics of the columns of features on disk, from passes over blocks of rows.

Medians and most frequent entries are exact. They are found from counts, which are added up over
the blocks, so they depend neither on the order of the rows nor on the blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed

from consensa._array import Array
from consensa._machine.progress import track
from consensa._machine.threads import n_threads, results_of_threads, share_among_threads
from consensa.exceptions import InvalidInputError
from consensa.features.stored_features import StoredFeatures

__all__ = ["Gaps", "column_fills", "count_entries", "count_gaps", "over_parts"]

_BITS = 16  # of a number that are found in one pass
_LEVELS = 64 // _BITS
_COLUMNS = 32  # whose medians are found together
_MOST_ENTRIES = 1_000_000  # different ones of a text column that are counted
_HALF = 0.5
_SIGN = np.uint64(1 << 63)


def over_parts(stored: StoredFeatures, step: str, work: Callable[[Any], Any]) -> Iterator[Any]:
    """Results of ``work(part)`` for all parts of the rows, from threads, in their order."""
    with track(step, len(stored.parts)) as advance:
        for found in results_of_threads(
            (delayed(work)(part) for part in stored.parts), n_threads()
        ):
            yield found
            advance()


class Gaps(NamedTuple):
    """Missing values of features on disk.

    Attributes
    ----------
    counts : ndarray of shape (n_columns,)
        Number of missing values of each column.
    sparse_row : int or None
        The first row of which more than half is missing; None if there is none.
    """

    counts: Array
    sparse_row: int | None


def count_gaps(stored: StoredFeatures) -> Gaps:
    """Count the missing values of each column."""

    def count(part: tuple[int, int]) -> tuple[Array, int | None]:
        total, sparse = np.zeros(stored.n_columns, np.int64), None
        for start, columns in stored.entries(part):
            gaps = np.stack([_gaps(column) for column in columns], axis=1)
            total += gaps.sum(axis=0)
            if sparse is None and (rows := np.flatnonzero(gaps.mean(axis=1) > _HALF)).size:
                sparse = start + int(rows[0])
        return total, sparse

    found = list(over_parts(stored, "missing values", count))
    rows = [row for _, row in found if row is not None]
    counts = np.sum([own for own, _ in found], axis=0)
    return Gaps(counts, min(rows, default=None))


def column_fills(stored: StoredFeatures, places: Sequence[int]) -> dict[int, Any]:
    """What fills the missing values of columns: the median, or the most frequent entry.

    None for a column without any value. Of equally frequent entries the first is taken, in the
    order of their text; so is that of truth values.
    """
    names = list(stored.column_names or range(stored.n_columns))
    numbers = [place for place in places if not stored.is_text(place)]
    fills: dict[int, Any] = {}
    for first in range(0, len(numbers), _COLUMNS):
        fills |= _medians(stored, numbers[first : first + _COLUMNS])
    for place in numbers:
        if stored.is_truth(place) and fills[place] is not None:
            fills[place] = float(np.floor(fills[place]))
    texts = [place for place in places if stored.is_text(place)]
    if texts:
        counts = count_entries(stored, texts, names)
        for place, own in zip(texts, counts, strict=True):
            known = {entry: n for entry, n in own.items() if entry is not None}
            fills[place] = min(known, key=lambda e: (-known[e], str(e)), default=None)
    return dict(sorted(fills.items()))


def count_entries(
    stored: StoredFeatures, places: Sequence[int], names: Sequence[Any]
) -> list[Counter[Any]]:
    """How often each entry of text columns occurs."""

    def count(part: tuple[int, int]) -> list[Counter[Any]]:
        counts: list[Counter[Any]] = [Counter() for _ in places]
        for _, columns in stored.entries(part):
            for own, place in zip(counts, places, strict=True):
                own.update(columns[place])
        return counts

    totals: list[Counter[Any]] = [Counter() for _ in places]
    for found in over_parts(stored, "entries of text columns", count):
        for total, own, place in zip(totals, found, places, strict=True):
            total.update(own)
            if len(total) > _MOST_ENTRIES:
                message = (
                    f"{stored.name}, column {names[place]!r}, has more than {_MOST_ENTRIES:,} "
                    f"different entries, too many to count each of them. Drop the column."
                )
                raise InvalidInputError(message)
    return totals


def _gaps(column: Any) -> Array:
    if isinstance(column, np.ndarray):
        return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), bool)
    return np.array([entry is None for entry in column], bool)


# ---- medians ------------------------------------------------------------------------------------


def _medians(stored: StoredFeatures, places: Sequence[int]) -> dict[int, float | None]:
    """Exact medians: 16 bits of the two values in the middle in each pass, the first ones first.

    Numbers are compared as integers that have the same order.
    """
    n_targets = 2 * len(places)
    prefix = np.zeros(n_targets, np.uint64)
    below = np.zeros(n_targets, np.int64)  # rank of each value among those with its prefix
    known = np.zeros(len(places), np.int64)
    for level in range(_LEVELS):
        counts = _digits(stored, places, prefix, level)
        if level == 0:
            known = counts[::2].sum(axis=1)
            below = np.stack([np.maximum(known - 1, 0) // 2, known // 2], axis=1).ravel()
        ends = np.cumsum(counts, axis=1)
        digit = (ends <= below[:, None]).sum(axis=1).clip(max=counts.shape[1] - 1)
        before = np.where(digit > 0, np.take_along_axis(ends, digit[:, None] - 1, 1).ravel(), 0)
        below = below - before
        prefix = (prefix << np.uint64(_BITS)) | digit.astype(np.uint64)
    two = _numbers(prefix).reshape(-1, 2)
    with np.errstate(over="ignore"):
        middle = two.mean(axis=1)
    middle = np.where(np.isinf(middle), (two / 2).sum(axis=1), middle)
    return {
        place: float(value) if count else None
        for place, value, count in zip(places, middle, known, strict=True)
    }


def _digits(stored: StoredFeatures, places: Sequence[int], prefix: Array, level: int) -> Array:
    """How often each next digit follows the prefixes, two of each column."""
    shift, size = np.uint64(64 - _BITS * (level + 1)), 1 << _BITS

    def count(parts: Sequence[tuple[int, int]]) -> Array:
        total = np.zeros((len(prefix), size), np.int64)
        for part in parts:
            for _, columns in stored.entries(part):
                for number, place in enumerate(places):
                    ranked = _ranked(columns[place]) >> shift
                    for target in (2 * number, 2 * number + 1):
                        known = ranked >> np.uint64(_BITS) == prefix[target] if level else ...
                        digits = (ranked[known] & np.uint64(size - 1)).astype(np.int64)
                        total[target] += np.bincount(digits, minlength=size)
            advance()
        return total

    with track("medians", len(stored.parts)) as advance:
        return np.sum(share_among_threads(count, stored.parts), axis=0)


def _ranked(values: Array) -> Array:
    """Known numbers as integers without a sign, in the same order; -0 is 0."""
    numbers = np.asarray(values, np.float64)
    bits = (numbers[~np.isnan(numbers)] + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _numbers(ranked: Array) -> Array:
    bits = np.where(ranked & _SIGN, ranked & ~_SIGN, ~ranked)
    return bits.view(np.float64)
