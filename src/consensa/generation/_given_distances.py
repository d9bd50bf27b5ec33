"""Distances given in place of features: their check, canonical order, neighbors, coordinates."""

from __future__ import annotations

import hashlib

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa.exceptions import InvalidInputError
from consensa.features import Features
from consensa.generation._neighbors import Distinct, distinct_rows
from consensa.partition.eigenpairs import eigenpairs

__all__ = ["GivenDistances", "check_distances", "coordinates", "distinct_samples", "nearest_given"]

_WANTED = "With metric='precomputed', X must be a matrix of distances"
_ROUNDING = 1e-6  # relative to the largest distance
_BLOCK = 512
_MOST_DIMENSIONS = 20  # as many as `GaussianMixtures` uses
_MOST_LANDMARKS = 1000
_SMALL = 1e-6  # of the largest eigenvalue: below, it is rounding
_ROUNDS = 3


class GivenDistances:
    """The space of given distances."""

    def describe(self) -> str:
        """What was done to the columns, in a few words."""
        return "distances as given"


def check_distances(features: Features) -> Array:
    """The matrix of distances; raises an error for anything else."""
    if features.encoding is not None or sparse.issparse(features.array):
        got = "a sparse matrix" if features.encoding is None else "text columns"
        message = f"{_WANTED}, dense and without text. Got {got}."
        raise InvalidInputError(message)
    matrix: Array = features.points
    n_rows, n_columns = matrix.shape
    if n_rows != n_columns:
        message = (
            f"{_WANTED}, with a row and a column for each sample. Got shape ({n_rows}, "
            f"{n_columns}). For features, use metric='auto'."
        )
        raise InvalidInputError(message)
    allowed = _ROUNDING * float(np.abs(matrix).max())
    for start in range(0, n_rows, _BLOCK):
        rows = slice(start, start + _BLOCK)
        block = matrix[rows]
        _refuse(matrix, start, block < 0, "must not be negative")
        _refuse(matrix, start, np.abs(block - matrix[:, rows].T) > allowed, "must be symmetric")
    itself = np.abs(matrix.diagonal()) > allowed
    if itself.any():
        row = int(itself.argmax())
        message = (
            f"{_WANTED}, with 0 on the diagonal. Row {row} (counted from 0) has "
            f"{matrix[row, row]:g} there. Convert similarities to distances, such as 1 - X."
        )
        raise InvalidInputError(message)
    return matrix


def _refuse(matrix: Array, first_row: int, wrong: Array, wanted: str) -> None:
    """Raise an error that names the first wrong entry of a block of rows."""
    if wrong.any():
        row, column = (int(place[0]) for place in np.nonzero(wrong))
        row += first_row
        message = (
            f"{_WANTED}, which {wanted}. Row {row}, column {column} (counted from 0) has "
            f"{matrix[row, column]:g}; row {column}, column {row} has {matrix[column, row]:g}."
        )
        raise InvalidInputError(message)


def distinct_samples(matrix: Array) -> Distinct:
    """Find equal samples, and order the distinct ones by their distances to all others.

    Equal samples have the same distances to all others. The order does not depend on the order
    of the rows and columns: it is that of a digest of the distances of a sample, sorted. Samples
    with the same distances are told apart, where possible, by the digests of the others at each
    distance.
    """
    digests = np.array([_digest(np.sort(row)) for row in matrix])
    for _ in range(_ROUNDS):
        _, number, counts = np.unique(digests, return_inverse=True, return_counts=True)
        tied = np.flatnonzero(counts[number] > 1)
        if len(tied) == 0:
            break
        ranks = number.astype(np.float64)
        for sample in tied:
            row = matrix[sample]
            order = np.lexsort((ranks, row))
            digests[sample] = _digest(np.concatenate([row[order], ranks[order]]))
        digests = np.char.add(np.char.mod("%08d", number), digests)
    equal = distinct_rows(matrix)
    first = equal.first[np.argsort(digests[equal.first], kind="stable")]
    place = np.empty(len(first), np.int64)
    place[equal.row_of_sample[first]] = np.arange(len(first))
    row_of_sample = place[equal.row_of_sample]
    return Distinct(first, row_of_sample, np.argsort(row_of_sample, kind="stable"))


def _digest(values: Array) -> str:
    return hashlib.blake2b((values + 0.0).tobytes(), digest_size=16).hexdigest()


def nearest_given(matrix: Array, count: int) -> tuple[Array, Array]:
    """The `count` nearest other points of each point, and their distances, the nearest first."""
    n_points = len(matrix)
    count = min(count, n_points - 1)
    neighbors = np.empty((n_points, count), np.int64)
    distances = np.empty((n_points, count))
    for start in range(0, n_points if count > 0 else 0, _BLOCK):
        block = matrix[start : start + _BLOCK].copy()
        rows = np.arange(len(block))
        block[rows, start + rows] = np.inf  # itself
        order = np.argsort(block, axis=1, kind="stable")[:, :count]
        neighbors[start : start + _BLOCK] = order
        distances[start : start + _BLOCK] = np.take_along_axis(block, order, axis=1)
    return neighbors, distances


def coordinates(matrix: Array) -> Array:
    """Coordinates in few dimensions whose distances are near the given ones.

    Classical multidimensional scaling of up to 1000 points: the leading eigenvectors of their
    centered matrix of squared distances. The other points are placed by their distances to these.
    """
    n_points = len(matrix)
    chosen = np.linspace(0, n_points - 1, min(n_points, _MOST_LANDMARKS)).astype(np.int64)
    scale = float(matrix.max()) or 1.0
    squares = np.square(matrix[:, chosen] / scale)
    mean = squares[chosen].mean(axis=0)
    centered = -0.5 * (squares[chosen] - mean - mean[:, None] + mean.mean())
    n_chosen = len(chosen)
    with one_thread():
        values, vectors = eigenpairs(centered, max(0, n_chosen - _MOST_DIMENSIONS), n_chosen - 1)
        kept = values > _SMALL * max(values[-1], np.finfo(float).tiny)
        placed = -0.5 * (squares - mean) @ (vectors[:, kept] / np.sqrt(values[kept]))
    if not kept.any():  # all points are in one place
        return np.zeros((n_points, 1))
    return np.asarray(scale * (placed - placed.mean(axis=0)))[:, ::-1]
