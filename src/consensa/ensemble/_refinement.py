"""Color refinement: which rows and clusters an ensemble distinguishes.

Clusters and distinct rows are colored by size, and split by the colors of their neighbors until
nothing changes. Rows of one color are exchangeable: nothing in the ensemble distinguishes them. To
order them nevertheless, one of them is taken first, and the colors are refined again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from consensa._array import Array
from consensa._machine.hashing import mix, ranks
from consensa._machine.row_sample import RowSample
from consensa.ensemble.equal_rows import equal_rows
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import offsets

__all__ = ["Ties", "are_told_apart", "colors_by_overlap", "decide", "partition_colors"]

_ALONE = -2  # in place of clusters with a single row
_MOST_WORK = 2_000_000  # rows × rounds of refinement; above it, the order of the data decides
_LOOK_AHEAD = 20_000  # maximum of rows × classes for which each class is tried first
_FEW = 4  # classes that are tried beyond that, when labels are compared


def partition_colors(cluster_colors: Array, first_clusters: Array) -> Array:
    """Hash of the colors of the clusters of each partition."""
    return np.add.reduceat(mix(cluster_colors, 1), first_clusters)


class Overlaps(Protocol):
    """The overlaps of the clusters, stored or counted when they are needed."""

    sizes: Array

    def hashes_seen(self, hashes: Array) -> Array:
        """For each cluster, the sum of mix(hash + overlap) over the clusters that it overlaps."""

    def shared(self, clusters: Array, others: Array) -> Array:
        """Number of samples in both of two clusters, for each pair of `clusters` and `others`."""


def colors_by_overlap(overlaps: Overlaps, counts: Array) -> Array:
    """Colors of the clusters by their overlaps with clusters of each color."""
    first, partition = offsets(counts), np.repeat(np.arange(len(counts)), counts)
    colors, n_colors = ranks(overlaps.sizes), 0
    while n_colors < colors.max() + 1 < len(colors):
        n_colors = colors.max() + 1
        seen = overlaps.hashes_seen(mix(colors, 2))
        colors = ranks(colors, partition_colors(colors, first)[partition], seen)
    return colors


def are_told_apart(overlaps: Overlaps, colors: Array) -> bool:
    """Whether clusters of one color have the same samples, so that their order has no effect."""
    _, representative, color = np.unique(colors, return_index=True, return_inverse=True)
    other = np.flatnonzero(representative[color] != np.arange(len(colors)))
    if not len(other):
        return True
    shared = overlaps.shared(representative[color[other]], other)
    sizes = overlaps.sizes[other]
    return bool((shared == sizes).all())  # clusters of one color have equal sizes


class Colors(NamedTuple):
    """Colors of the distinct rows and of the clusters."""

    rows: Array
    clusters: Array

    @property
    def n_rows(self) -> int:
        """Number of colors of rows."""
        return int(self.rows.max()) + 1


@dataclass(frozen=True, eq=False)
class Incidence:
    """Incidence of distinct rows and clusters."""

    rows: RowSample
    counts: Array  # number of clusters of each partition

    @cached_property
    def partition(self) -> Array:
        """Partition of each cluster."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def _entries(self) -> tuple[Array, Array]:
        """Row of each label, sorted by cluster, and the start of each cluster."""
        row, column = np.nonzero(is_labeled(self.rows.rows))
        cluster = self.rows.rows[row, column]
        order = np.argsort(cluster, kind="stable")
        return row[order], np.searchsorted(cluster[order], np.arange(self.counts.sum()))

    @cached_property
    def twins(self) -> Array:
        """Class of each row; rows of a class (twins) differ only in clusters without other rows.

        Two such rows can be swapped without moving anything else.
        """
        ids, starts = self.rows.rows, self._entries[1]
        alone = np.append(np.diff(np.append(starts, len(self._entries[0]))) == 1, False)
        shared = np.where(alone[ids], _ALONE, ids)  # the last of `alone` is for missing labels
        return equal_rows(np.column_stack([shared, self.rows.counts])).of_row

    def refine(self, colors: Colors, labels: Array | None = None) -> Colors:
        """Refine the colors of rows and clusters, with `labels` as one more partition."""
        rows, clusters, known = colors.rows, colors.clusters, None
        first = offsets(self.counts)
        of_label = np.zeros(1 if labels is None else labels.max() + 1, np.int64)
        while known != (rows.max(), clusters.max(), of_label.max()):
            known = rows.max(), clusters.max(), of_label.max()
            keys = [rows, self._clusters_seen(clusters)]
            rows = ranks(*keys) if labels is None else ranks(*keys, of_label[labels])
            row, starts = self._entries
            seen = np.add.reduceat(mix(rows, 4)[row], starts)
            siblings = partition_colors(clusters, first)[self.partition]
            clusters = ranks(clusters, siblings, seen)
            if labels is not None:
                of_label = ranks(of_label, _sums(mix(rows, 5), labels))
        return Colors(rows, clusters)

    def take_first(self, colors: Colors, twin_class: int) -> Colors:
        """Give the rows of a class of twins a color before that of their equals."""
        rows = 2 * colors.rows + 1
        rows[self.twins == twin_class] -= 1
        return Colors(ranks(rows), colors.clusters)

    def signature(self, colors: Colors, labels: Array | None = None) -> int:
        """Hash of the numbers of rows of each color in each cluster, and with each label."""
        hashes = mix(mix(colors.rows, 6) + self._clusters_seen(colors.clusters))
        return int((hashes if labels is None else mix(_sums(hashes, labels))).sum())

    def _clusters_seen(self, clusters: Array) -> Array:
        return np.append(mix(clusters, 7), np.uint64(0))[self.rows.rows].sum(axis=1)


def _sums(values: Array, labels: Array) -> Array:
    sums = np.zeros(labels.max() + 1, np.uint64)
    np.add.at(sums, labels, values)
    return sums


@dataclass(frozen=True, eq=False)
class Ties:
    """Ties that the ensemble does not decide.

    Attributes
    ----------
    incidence : Incidence
        The distinct rows.
    stages : tuple of Colors
        Colors of the ensemble, and those after each row that was taken first.
    left : ndarray of shape (rows,)
        Classes of rows that were ordered without further refinement: twins, or the remaining
        rows if the ensemble is too large.
    """

    incidence: Incidence
    stages: tuple[Colors, ...]
    left: Array

    @property
    def first_samples(self) -> Array:
        """Number of a sample of each distinct row."""
        return self.incidence.rows.first

    def matter_to(self, labels: Array) -> bool:
        """Whether another decision of the ties could lead to another partition of the rows.

        `labels` are those of the distinct rows. They are used as one more partition: as long as
        it distinguishes no more than the ensemble, at any stage and after any row that could be
        taken first, swapping equal rows maps it to itself.
        """
        labels = np.unique(labels, return_inverse=True)[1].ravel()
        return not _kept_or_all_alone(self.left, labels) or any(
            self.incidence.refine(colors, labels).n_rows > colors.n_rows
            or self._differ_ahead(colors, labels)
            for colors in self.stages
        )

    def _differ_ahead(self, colors: Colors, labels: Array) -> bool:
        """Whether the labels distinguish what follows from each row that could be taken first.

        Rows of a ring that is cut into equal arcs are an example: at the end of an arc and in its
        middle, each is in two clusters and in one arc. To refinement alone they are equal.
        """
        incidence = self.incidence
        cell = _first_tie(colors.rows, incidence.twins)
        if cell is None:
            return False
        tried = cell if _all_are_tried(incidence, cell) else cell[:_FEW]
        after = [incidence.refine(incidence.take_first(colors, c)) for c in tried.tolist()]
        signs = [incidence.signature(x) for x in after]
        labeled = [incidence.signature(incidence.refine(x, labels), labels) for x in after]
        return len(set(zip(signs, labeled, strict=True))) > len(set(signs))


def _kept_or_all_alone(classes: Array, labels: Array) -> bool:
    """Whether each class has one label, or each of its rows has its own label."""
    pairs = np.unique(np.column_stack([classes, labels]), axis=0)
    split = np.bincount(pairs[:, 0]) > 1
    alone = np.bincount(labels) == 1
    return bool(alone[labels[split[classes]]].all())


def decide(rows: RowSample, counts: Array, cluster_colors: Array) -> tuple[Array, Ties | None]:
    """Colors of the clusters, all distinct, and the ties that were decided.

    Of exchangeable rows, the one of the first sample is taken first.
    """
    incidence = Incidence(rows, counts)
    colors = incidence.refine(Colors(ranks(rows.counts), cluster_colors))
    stages = []
    budget = _MOST_WORK // len(rows.counts)
    while (cell := _first_tie(colors.rows, incidence.twins)) is not None and budget > 0:
        colors, after, spent = _look_ahead(incidence, colors, cell)
        budget -= spent
        if after is not None:
            stages.append(colors)
            colors = after
    left = incidence.twins if cell is None else colors.rows
    tied = bool(stages) or int(left.max()) + 1 < len(left)
    ties = Ties(incidence, (*stages, colors), left) if tied else None
    by_sample = Colors(ranks(colors.rows, rows.first), colors.clusters)
    return incidence.refine(by_sample).clusters, ties


def _first_tie(colors: Array, twins: Array) -> Array | None:
    """Classes of twins with the first color that several classes share."""
    pairs = np.unique(np.column_stack([colors, twins]), axis=0)
    tied = np.flatnonzero(np.bincount(pairs[:, 0]) > 1)
    return pairs[pairs[:, 0] == tied[0], 1] if len(tied) else None


def _all_are_tried(incidence: Incidence, cell: Array) -> bool:
    """Whether there are few enough classes to try each of them first."""
    return len(incidence.twins) * len(cell) <= _LOOK_AHEAD


def _look_ahead(
    incidence: Incidence, colors: Colors, cell: Array
) -> tuple[Colors, Colors | None, int]:
    """Distinguish classes by the refinement after each is taken first; else take the first one.

    Refinement alone cannot distinguish a ring of four clusters from one of six; this can. Returns
    the colors, those after a class was taken first, if any, and the number of refinements.
    """
    first = np.full(incidence.twins.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, incidence.twins, incidence.rows.first)
    earliest = int(cell[np.argmin(first[cell])])
    tried = cell.tolist() if _all_are_tried(incidence, cell) else [earliest]
    after = {c: incidence.refine(incidence.take_first(colors, c)) for c in tried}
    signs = {c: incidence.signature(future) for c, future in after.items()}
    if len(set(signs.values())) == 1:
        return colors, after[earliest], len(tried)
    sign = np.array([signs.get(c, 0) for c in incidence.twins.tolist()], np.uint64)
    told = Colors(ranks(colors.rows, sign), colors.clusters)
    return incidence.refine(told), None, len(tried)
