"""A sample of the distinct rows of a matrix, drawn by a hash of their values.

The rows with the smallest hashes are drawn, each with its number of samples. The hash depends only
on the clusters or the features of a row. Blocks of rows can be read in any order and on any
machine: a row that is drawn from all blocks is also drawn from each block that contains it, so the
counts are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array

__all__ = ["RowSample", "merge_row_samples", "sample_rows", "spread_rows"]


class RowSample(NamedTuple):
    """Distinct rows with the smallest hashes, ordered by hash.

    Attributes
    ----------
    hashes : ndarray of shape (rows,)
        Hash of each row.
    rows : ndarray or CSR array of shape (rows, n_columns)
        The rows: clusters, numbered over all partitions with -1 for a missing label, or features.
    counts : ndarray of shape (rows,)
        Number of samples with this row.
    first : ndarray of shape (rows,)
        Number of the first sample with this row.
    complete : bool
        Whether these are all distinct rows.
    """

    hashes: Array
    rows: Any
    counts: Array
    first: Array
    complete: bool


def sample_rows(
    parts: Iterable[tuple[int, Any]], hash_of: Callable[[Any], Array], limit: int, none: Any
) -> RowSample:
    """Draw up to `limit` distinct rows from parts: the number of the first sample, and its rows.

    `none` has no rows, and is the sample if there are no parts.
    """
    nothing = np.empty(0, np.int64)
    drawn = [RowSample(nothing.astype(np.uint64), none, nothing, nothing, True)]
    waiting = 0  # rows that are not merged yet: many at a time
    for start, rows in parts:
        n_rows, hashes = rows.shape[0], hash_of(rows)
        numbers = np.arange(start, start + n_rows)
        new = RowSample(hashes, rows, np.ones(n_rows, np.int64), numbers, True)
        if len(drawn[0].hashes) == limit:  # most hashes are larger than those drawn so far
            small = hashes <= drawn[0].hashes[-1]
            new = _rows(new, np.flatnonzero(small), new.counts[small], bool(small.all()))
        drawn.append(new)
        waiting += len(new.hashes)
        if waiting >= limit:
            drawn, waiting = [merge_row_samples(drawn, limit)], 0
    return merge_row_samples(drawn, limit)


def merge_row_samples(samples: Sequence[RowSample], limit: int) -> RowSample:
    """Merge the samples of several parts."""
    together = RowSample(
        np.concatenate([sample.hashes for sample in samples]),
        _stacked([sample.rows for sample in samples]),
        np.concatenate([sample.counts for sample in samples]),
        np.concatenate([sample.first for sample in samples]),
        all(sample.complete for sample in samples),
    )
    if not len(together.hashes):
        return together
    order = np.lexsort((together.first, together.hashes))
    hashes = together.hashes[order]
    begins = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
    counts = np.add.reduceat(together.counts[order], begins)[:limit]
    complete = together.complete and len(begins) <= limit
    return _rows(together, order[begins[:limit]], counts, complete)


def _stacked(parts: Sequence[Any]) -> Any:
    if any(sparse.issparse(part) for part in parts):
        return sparse.csr_array(sparse.vstack(parts))
    return np.concatenate(parts)


def _rows(sample: RowSample, chosen: Array, counts: Array, complete: bool) -> RowSample:
    return RowSample(
        sample.hashes[chosen], sample.rows[chosen], counts, sample.first[chosen], complete
    )


def spread_rows(counts: Array, limit: int) -> Array:
    """Places in a sample, each as often as there are samples with its row, at most `limit`."""
    ends = np.cumsum(counts)
    total = int(ends[-1])
    every = (np.arange(limit) + 0.5) * (total / limit) if total > limit else np.arange(total)
    return np.searchsorted(ends, every.astype(np.int64), side="right")
