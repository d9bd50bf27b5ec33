"""An ensemble in canonical order, in which methods run, and the conversion to the given order.

If there are few samples, they are sorted too, so that a method always gets the same array. If
there are many, only partitions and clusters are sorted: methods for so many samples work by blocks
of rows, row by row, or on distinct rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array, to_library
from consensa._machine.row_sample import RowSample
from consensa.ensemble._ensemble import Ensemble
from consensa.ensemble.canonical_order import CanonicalOrder
from consensa.ensemble.missing import is_missing
from consensa.ensemble.passes import Numbered, Rows
from consensa.ensemble.rows import Assign, cluster_ids, offsets

__all__ = ["CanonicalForm", "canonical_form"]


@dataclass(frozen=True, eq=False)
class CanonicalForm:
    """An ensemble in canonical order.

    Attributes
    ----------
    ensemble : Ensemble
        The ensemble in canonical order.
    given : Ensemble
        The ensemble in the given order.
    samples : ndarray of shape (n_samples,) or None
        Numbers of the samples in canonical order; None if they are not sorted.
    """

    ensemble: Ensemble
    given: Ensemble
    samples: Array | None

    def place(self, kind: str) -> Array | None:
        """Position in canonical order of each sample, partition, cluster or microcluster."""
        order = self.given.canonical
        if kind == "sample":
            return None if self.samples is None else np.argsort(self.samples)
        if kind == "partition":
            return np.argsort(order.partitions)
        return order.rank[:-1] if kind == "cluster" else self.microclusters

    @cached_property
    def microclusters(self) -> Array:
        """Position in canonical order of each microcluster."""
        given, ordered = self.given.microclusters(), self.ensemble.microclusters()
        place = np.empty(len(given.sizes), np.int64)
        samples = slice(None) if self.samples is None else self.samples
        place[given.labels[samples]] = ordered.labels
        return place


def canonical_form(ensemble: Ensemble, *, sort_samples: bool) -> CanonicalForm:
    """The ensemble in canonical order, including the samples if `sort_samples`."""
    order = ensemble.canonical
    if not sort_samples:
        return CanonicalForm(_Renumbered.of(ensemble), ensemble, None)
    samples = order.samples(ensemble.cluster_ids)
    codes = _codes(ensemble, order, ensemble.codes[samples])
    ordered = _Sorted(to_library(codes, like=ensemble.labels), weights=_weights(ensemble))
    vars(ordered)["given"] = ensemble
    _keep_what_is_known(ordered, ensemble)
    return CanonicalForm(ordered, ensemble, samples)


def _keep_what_is_known(ordered: Ensemble, given: Ensemble) -> None:
    order = given.canonical
    vars(ordered)["cluster_counts"] = given.cluster_counts[order.partitions]
    vars(ordered)["n_missing"] = given.n_missing
    vars(ordered)["cluster_sizes"] = given.cluster_sizes[order.clusters]


def _weights(given: Ensemble) -> Array | None:
    """Weights of the partitions in canonical order."""
    return None if given.weights is None else given.weights[given.canonical.partitions]


def _codes(ensemble: Ensemble, order: CanonicalOrder, codes: Array) -> Array:
    ids = order.ids(cluster_ids(codes, ensemble.cluster_counts))
    counts = ensemble.cluster_counts[order.partitions]
    return np.where(is_missing(ids), ids, ids - offsets(counts)).astype(np.int32)


def _permuted(table: sparse.csr_array, order: Array) -> sparse.csr_array:
    permuted = sparse.csr_array(table[order][:, order])
    permuted.sort_indices()
    return permuted


class _Sorted(Ensemble):
    """Samples, partitions and clusters in canonical order."""

    given: Ensemble

    @cached_property
    def overlap(self) -> sparse.csr_array:
        """The overlaps of the given ensemble, in canonical order."""
        return _permuted(self.given.overlap, self.given.canonical.clusters)


class _Renumbered(Ensemble):
    """The samples in the given order, with partitions and clusters in canonical order.

    `labels` are those of the given ensemble: only their shape and library are used.
    """

    given: Ensemble

    @classmethod
    def of(cls, given: Ensemble) -> _Renumbered:
        ordered = cls(given.labels, weights=_weights(given))
        vars(ordered)["given"] = given
        vars(ordered)["rows"] = _RenumberedRows(given)
        _keep_what_is_known(ordered, given)
        return ordered

    @property
    def stores_overlap(self) -> bool:
        """As for the given ensemble."""
        return self.given.stores_overlap

    @cached_property
    def codes(self) -> Array:
        """Numbers of the clusters, by partition."""
        return _codes(self.given, self.given.canonical, self.given.codes)


@dataclass(frozen=True, eq=False)
class _RenumberedRows:
    """The passes over the rows of an ensemble, with partitions and clusters in canonical order."""

    given: Ensemble

    @property
    def _rows(self) -> Rows:
        return self.given.rows

    @property
    def _order(self) -> CanonicalOrder:
        return self.given.canonical

    def overlap(self) -> sparse.csr_array:
        return _permuted(self.given.overlap, self._order.clusters)

    def sizes(self) -> Array:
        return self._rows.sizes()[self._order.clusters]

    def balanced_overlap(self, cluster_weights: Array) -> sparse.csr_array:
        as_given = cluster_weights[self._order.rank[:-1]]
        return _permuted(self._rows.balanced_overlap(as_given), self._order.clusters)

    def take(self, numbers: Array) -> Array:
        return _codes(self.given, self._order, self._rows.take(numbers))

    def sample(self, keys: Array, limit: int) -> RowSample:
        drawn = self._rows.sample(keys[self._order.rank[:-1]], limit)
        return drawn._replace(rows=self._order.ids(drawn.rows))

    def label(self, assign: Assign) -> Any:
        return self._rows.label(_InOrder(self._order, assign))

    def meetings(self, labels: Any, n_labels: int) -> Array:
        met = self._rows.meetings(labels, n_labels)
        return met[np.append(self._order.clusters, len(met) - 1)]

    def score(self, function: Any, labels: Any) -> Any:
        return self._rows.score(_InOrder(self._order, function), labels)

    def distinct(self, limit: int) -> Array:
        codes = _codes(self.given, self._order, self._rows.distinct(limit))
        return codes[np.lexsort(codes.T[::-1])]

    def number(self, labels: Any) -> Numbered:
        return self._rows.number(labels)


class _InOrder:
    """Applies a function to rows of cluster ids in canonical order."""

    def __init__(self, order: CanonicalOrder, function: Any) -> None:
        # Sent to the workers of a Dask cluster, without the ties.
        self.order = CanonicalOrder(order.partitions, order.clusters)
        self.function = function

    def __call__(self, ids: Array, *arguments: Any) -> Any:
        return self.function(self.order.ids(ids), *arguments)
