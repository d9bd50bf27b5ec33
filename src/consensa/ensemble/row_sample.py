"""A sample of the distinct rows of a label matrix, drawn by a hash of their labels.

The rows with the smallest hashes are drawn, each with its number of samples. The hash depends only
on the clusters of a row. Blocks of rows can be read in any order and on any machine: a row that is
drawn from all blocks is also drawn from each block that contains it, so the counts are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from consensa._array import Array
from consensa.ensemble.hashing import hash_rows

__all__ = ["RowSample", "merge_row_samples", "sample_rows"]


class RowSample(NamedTuple):
    """Distinct rows with the smallest hashes, ordered by hash.

    Attributes
    ----------
    hashes : ndarray of shape (rows,)
        Hash of each row.
    ids : ndarray of shape (rows, n_partitions)
        Clusters of each row, numbered over all partitions; -1 for a missing label.
    counts : ndarray of shape (rows,)
        Number of samples with this row.
    first : ndarray of shape (rows,)
        Number of the first sample with this row.
    complete : bool
        Whether these are all distinct rows.
    """

    hashes: Array
    ids: Array
    counts: Array
    first: Array
    complete: bool


def sample_rows(
    parts: Iterable[tuple[int, Array]], keys: Array, limit: int, n_partitions: int
) -> RowSample:
    """Draw up to `limit` distinct rows from parts: the number of the first sample, and its ids."""
    none, ids = np.empty(0, np.int64), np.empty((0, n_partitions), np.int32)
    drawn = [RowSample(none.astype(np.uint64), ids, none, none, True)]
    waiting = 0  # rows that are not merged yet: many at a time
    for start, ids in parts:
        numbers, hashes = np.arange(start, start + len(ids)), hash_rows(ids, keys)
        new = RowSample(hashes, ids, np.ones(len(ids), np.int64), numbers, True)
        if len(drawn[0].hashes) == limit:  # most hashes are larger than those drawn so far
            small = hashes <= drawn[0].hashes[-1]
            new = _rows(new, small, new.counts[small], bool(small.all()))
        drawn.append(new)
        waiting += len(new.hashes)
        if waiting >= limit:
            drawn, waiting = [merge_row_samples(drawn, limit)], 0
    return merge_row_samples(drawn, limit)


def merge_row_samples(samples: Sequence[RowSample], limit: int) -> RowSample:
    """Merge the samples of several parts."""
    together = RowSample(
        np.concatenate([sample.hashes for sample in samples]),
        np.concatenate([sample.ids for sample in samples]),
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


def _rows(rows: RowSample, chosen: Array, counts: Array, complete: bool) -> RowSample:
    return RowSample(rows.hashes[chosen], rows.ids[chosen], counts, rows.first[chosen], complete)
