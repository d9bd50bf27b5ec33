"""Profiles of the clusters of features on disk, by two passes over blocks of rows."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._result import ConsensusResult
from consensa.description.profiles import Sums, profile_frame, sum_features
from consensa.features.column_statistics import count_entries, over_parts
from consensa.features.measured import MOST_VALUES, Measured
from consensa.features.stored_features import StoredFeatures

__all__ = ["profiles_on_disk"]


def profiles_on_disk(stored: StoredFeatures, result: ConsensusResult) -> Any:
    """What `cluster_profiles` gives for the same features in memory, up to rounding of the sums.

    The first pass finds means, columns of zeros and ones, and the most frequent entries of text
    columns; the second adds up over the samples of each cluster.
    """
    scan = _scan(stored)
    measured = scan.measured(np.empty((0, len(scan.features))))

    def sums(part: tuple[int, int]) -> Sums:
        found = [
            sum_features(
                scan.measured(scan.matrix(columns)),
                np.asarray(result.labels[start : start + len(columns[0])]),
                result.n_clusters,
                scan.center,
            )
            for start, columns in stored.columns_of(part)
        ]
        return _added(found)

    total = _added(list(over_parts(stored, "profiles", sums)))
    return profile_frame(measured, total, np.arange(result.n_clusters))


def _added(parts: list[Sums]) -> Sums:
    known, total, squares = (np.sum([part[place] for part in parts], axis=0) for place in range(3))
    return Sums(known, total, squares, parts[0].center)


class _Scan(NamedTuple):
    """The columns of a table of profiles, and their means."""

    features: list[str]
    values: list[str | None]
    entries: list[list[str] | None]  # of each column of the file; None if it holds numbers
    is_share: Array
    center: Array

    def matrix(self, columns: list[Any]) -> Array:
        """Numbers of a block, with an indicator for each entry of text columns."""
        parts = [
            np.asarray(own, np.float64)[:, None]
            if entries is None
            else (np.array(own, dtype=str)[:, None] == np.array(entries)).astype(np.float64)
            for own, entries in zip(columns, self.entries, strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def measured(self, matrix: Array) -> Measured:
        return Measured(matrix, self.features, self.values, self.is_share)


def _scan(stored: StoredFeatures) -> _Scan:
    names = [str(name) for name in stored.column_names or range(stored.n_columns)]
    _, first = next(stored.columns_of(stored.parts[0]))
    texts = [place for place, own in enumerate(first) if not isinstance(own, np.ndarray)]
    counts = dict(zip(texts, count_entries(stored, texts, names) if texts else [], strict=True))
    entries = [_most_frequent(counts[j]) if j in counts else None for j in range(len(names))]
    blank = _Scan([], [], entries, np.empty(0), np.empty(0))

    def totals(part: tuple[int, int]) -> tuple[Array, Array]:
        sums, shares = [], []
        for _, columns in stored.columns_of(part):
            block = blank.matrix(columns)
            sums.append(block.sum(axis=0))
            shares.append(((block == 0) | (block == 1)).all(axis=0))
        return np.sum(sums, axis=0), np.all(shares, axis=0)

    found = list(over_parts(stored, "means", totals))
    is_share = np.all([share for _, share in found], axis=0)
    center = np.sum([own for own, _ in found], axis=0) / stored.n_samples
    center[is_share] = 0  # counts are exact
    widths = [1 if own is None else len(own) for own in entries]
    values: list[str | None] = []
    for own in entries:
        values += [None] if own is None else own
    features = [name for name, width in zip(names, widths, strict=True) for _ in range(width)]
    return _Scan(features, values, entries, is_share, center)


def _most_frequent(counts: Counter[Any]) -> list[str]:
    """The most frequent entries, in the order of their text, as for data in memory."""
    found = sorted(map(str, counts))
    order = np.argsort([-counts[entry] for entry in found], kind="stable")[:MOST_VALUES]
    return [found[place] for place in np.sort(order)]
