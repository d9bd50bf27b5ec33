"""The steps of the default generator: from features to the labels of all samples."""

from __future__ import annotations

import math

from consensa._machine.row_sample import RowSample
from consensa.distributed.planning.work import Step, Work
from consensa.generation import DiverseKinds

__all__ = ["feature_steps", "kept_of_points", "points_of"]

_MOST_COMPONENTS = 50  # principal components, if there are more columns
_ANGLES_FROM = 4  # columns, from which on angles are a space of their own
_BLOCK_BYTES, _BLOCK_ROWS = 2.0**24, 2**14  # the most that a thread has read
_COPIES_OF_BLOCK = 6
_ROWS_OF_PRODUCT = 256  # whose distances to all points are computed at once
_PER_ROW = 8.0 * (len(RowSample._fields) - 2)  # hash, count and number of a drawn row


def feature_steps(work: Work) -> list[Step]:
    """Draw the points, find their neighbors and partitions, and the point of each sample."""
    s = points_of(work)
    drawn = work.here("space and neighbors of the points", _neighbors(work))
    made = work.here("partitions of the points", _partitions(work))
    if s == work.n:
        return [_read(work), drawn, made]
    return [_draw(work), drawn, _nearest(work), made]


def points_of(work: Work) -> int:
    """Number of points: of the samples, or of those that are drawn."""
    return min(work.n, DiverseKinds().max_samples)


def _spaces(work: Work) -> int:
    return 1 if work.d < _ANGLES_FROM else 2


def _dimensions(work: Work) -> int:
    return min(work.d, _MOST_COMPONENTS)


def _read(work: Work) -> Step:
    return work.over_features("read the features", 0.0, 8.0 * work.n * work.d)


def _draw(work: Work) -> Step:
    """Each thread has its own sample, rows to be merged, and both together."""
    s, d = points_of(work), work.d
    sample = s * (8.0 * d + _PER_ROW)
    merges = 1 + math.log(work.n / s)
    merging = merges * s * d * work.costs.order
    block = _block(work)
    step = work.over_features(
        "sample of rows", d * work.costs.value, work.cluster.cores * (3 * sample + block)
    )
    return step._replace(seconds=step.seconds + merging + work.tree_of(sample))


def _nearest(work: Work) -> Step:
    """Distances of each row to all points, in every space, and the numbers that are kept."""
    s, D, spaces = points_of(work), _dimensions(work), _spaces(work)
    each = spaces * s * ((D + 1) * work.costs.product + work.costs.compare)
    if work.d > D:
        each += spaces * work.d * D * work.costs.product
    buffers = spaces * (_ROWS_OF_PRODUCT * 5.0 * s + 8.0 * s * D)
    kept = 2.0 * spaces * work.n / work.cluster.workers
    memory = work.cluster.cores * (buffers + _block(work)) + kept
    return work.over_features("nearest points", each, memory)


def _block(work: Work) -> float:
    """Bytes of the rows of a thread, and of their copies."""
    return _COPIES_OF_BLOCK * min(_BLOCK_BYTES, 8.0 * min(work.n, _BLOCK_ROWS) * work.d)


def _neighbors(work: Work) -> float:
    """Seconds of the search among the points, on all cores of one machine."""
    s, D = points_of(work), _dimensions(work)
    return _spaces(work) * s**2 * D * work.costs.near / work.cluster.cores


def _partitions(work: Work) -> float:
    """Seconds of all partitions of the points, on all cores of one machine."""
    return work.m * points_of(work) * work.costs.member / work.cluster.cores


def kept_of_points(work: Work) -> float:
    """Bytes that the process has for the points, and does not give back."""
    return points_of(work) * (work.costs.point + 8.0 * 3 * work.d) if work.d else 0.0
