"""The nearest landmarks of every sample: one search that all partitions share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from consensa._array import Array
from consensa._machine.progress import track
from consensa._machine.threads import one_thread, results_of_threads
from consensa.generation._exact_search import ExactSearch

__all__ = [
    "LOST",
    "TREE_UP_TO",
    "Distinct",
    "distinct_rows",
    "nearest_landmarks",
    "with_all_digits",
]

LOST = 1e-9  # squared distance, relative to squared lengths, below which digits are lost
TREE_UP_TO = 6  # columns in which a tree is faster than all distances
_BLOCK = 1024  # samples of one search


class Distinct(NamedTuple):
    """Distinct samples, in an order that does not depend on the order of the rows."""

    first: Array  # a sample of each distinct row, ordered by value
    row_of_sample: Array  # number of its distinct row
    order: Array  # all samples, in the order of their distinct rows


def distinct_rows(points: Any) -> Distinct:
    """Find equal samples, and order the distinct ones by value."""
    if sparse.issparse(points):
        rows = _bytes_of_rows(points)
    else:
        whole = np.ascontiguousarray(points) + 0  # so that -0 and 0 are the same bytes
        rows = whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    row_of_sample = inverse.ravel()
    return Distinct(first, row_of_sample, np.argsort(row_of_sample, kind="stable"))


def _bytes_of_rows(points: sparse.csr_array) -> Array:
    tidy = points.copy()
    tidy.sum_duplicates()  # sorts the columns too
    tidy.eliminate_zeros()
    rows = np.empty(tidy.shape[0], object)
    for i, (start, end) in enumerate(zip(tidy.indptr, tidy.indptr[1:], strict=False)):
        rows[i] = tidy.indices[start:end].tobytes() + tidy.data[start:end].tobytes()
    return rows


def nearest_landmarks(points: Any, landmarks: Any, count: int, n_jobs: int | None) -> Array:
    """Numbers of the `count` nearest landmarks of each point, the nearest first."""
    by_tree = sparse.issparse(landmarks) or landmarks.shape[1] <= TREE_UP_TO
    search = _ByTree(landmarks, count) if by_tree else ExactSearch(landmarks, count)
    starts = range(0, points.shape[0], _BLOCK)
    # Blocks of fixed size, one thread each: the result does not depend on the number of jobs.
    calls = (delayed(search)(points[start : start + _BLOCK]) for start in starts)
    found = []
    with track("neighbors", len(starts)) as advance:
        for numbers, _ in results_of_threads(calls, n_jobs):
            found.append(numbers.astype(np.int32))
            advance()
    return np.concatenate(found)


def with_all_digits(points: Array, landmarks: Array, nearest: Array) -> Array:
    """The nearest landmark of each point, searched for again where it may not be `nearest`.

    Searches expand squares, which costs digits if points are far from zero and close to each
    other. A landmark at the point itself is the nearest one in any case.
    """
    nearest = nearest.copy()
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        squares = np.square(block - landmarks[nearest[start : start + _BLOCK]]).sum(axis=1)
        lost = np.flatnonzero((squares > 0) & (squares < LOST * np.square(block).sum(axis=1)))
        if len(lost):
            nearest[start + lost] = cdist(block[lost], landmarks).argmin(axis=1)
    return nearest


class _ByTree:
    """Finds nearest landmarks by the tree of scikit-learn; of sparse ones by all distances."""

    def __init__(self, landmarks: Any, count: int) -> None:
        self.tree = NearestNeighbors(n_neighbors=count).fit(landmarks)

    def __call__(self, rows: Any) -> tuple[Array, None]:
        with one_thread():
            return self.tree.kneighbors(rows, return_distance=False), None
