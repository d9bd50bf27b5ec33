"""Partitions of points, and an ensemble that looks up the labels of samples in them.

A sample has the labels of its point. For features on disk only the number of the point of each
sample is stored, and the labels are looked up when rows of the ensemble are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.appearance import number_by_appearance
from consensa.ensemble.stored_labels import StoredCodes

__all__ = ["LabelsOfPoints", "LookedUpCodes", "looked_up_ensemble"]

_ROWS = 2**16  # of a block


class LabelsOfPoints(NamedTuple):
    """A partition of the points, the point of each sample, and the first sample of each point."""

    labels: Array
    point_of_sample: Any
    first: Array


class LookedUpCodes(StoredCodes):
    """Codes of samples, looked up in those of their points when they are read.

    Parameters
    ----------
    tables : sequence of ndarray of shape (n_points, n_partitions), int32
        Codes of the points in each space.
    numbers : sequence of ndarray of shape (n_samples,)
        Point of each sample in each space.
    deferred : bool, default=False
        Whether the consensus labels of the samples are computed when they are read, too.
    """

    def __init__(
        self, tables: Sequence[Array], numbers: Sequence[Array], *, deferred: bool = False
    ) -> None:
        self.tables, self.numbers, self.deferred = list(tables), list(numbers), deferred
        n = len(self.numbers[0])
        self.shape = (n, sum(table.shape[1] for table in self.tables))
        self.ends = [*range(0, n, _ROWS), n]

    @property
    def cluster_counts(self) -> Array:
        """Number of clusters of each partition."""
        return np.concatenate([table.max(axis=0).astype(np.int64) + 1 for table in self.tables])

    def count_missing(self) -> int:
        """Number of missing labels: none."""
        return 0

    def read(self, start: int, stop: int) -> Array:
        """Codes of a range of rows."""
        found = [
            table[own[start:stop]] for table, own in zip(self.tables, self.numbers, strict=True)
        ]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)


def looked_up_ensemble(
    columns: Sequence[LabelsOfPoints], look_up: Callable[..., Ensemble]
) -> tuple[Ensemble, list[Array]]:
    """The ensemble of partitions of points, numbered as `Ensemble.from_labels` does; and tables.

    `look_up` is that of `FeaturePasses`. The second value are the codes of the points, for each
    partition.
    """
    spaces = {id(own.first): own for own in columns}
    order = {key: np.argsort(own.first) for key, own in spaces.items()}
    of_points: list[Array] = []
    for column in columns:
        ranked = order[id(column.first)]
        codes = np.empty(len(ranked), np.int32)
        codes[ranked] = number_by_appearance(column.labels[ranked])
        of_points.append(codes)
    tables = [
        np.stack(
            [
                codes
                for codes, column in zip(of_points, columns, strict=True)
                if id(column.first) == key
            ],
            axis=1,
        )
        for key in spaces
    ]
    numbers = [own.point_of_sample for own in spaces.values()]
    return look_up(tables, numbers), of_points
