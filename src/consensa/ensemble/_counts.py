"""What is counted in a label matrix, each when it is first needed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array, to_numpy
from consensa.ensemble.deferred import DeferredRows
from consensa.ensemble.missing import MISSING, is_labeled, is_missing
from consensa.ensemble.overlaps import MOST_PAIRS, most_pairs
from consensa.ensemble.passes import LocalRows, Rows
from consensa.ensemble.rows import offsets
from consensa.ensemble.stored_labels import StoredCodes

__all__ = ["LabelCounts", "read_only"]

_BLOCK_ROWS = 2**16  # rows of a block if the labels are in memory


class LabelCounts:
    """Samples, partitions and clusters of a label matrix, in memory, on a device or on disk."""

    labels: Any

    @cached_property
    def rows(self) -> Rows:
        """Passes over the samples by blocks, for methods that are linear in their number."""
        if isinstance(self.labels, StoredCodes):
            kind = DeferredRows if self.labels.deferred else LocalRows
            return kind(self.labels.read, self.labels.ends, self.cluster_counts)
        codes, n = self.codes, self.n_samples
        ends = [*range(0, n, _BLOCK_ROWS), n]
        return LocalRows(lambda start, stop: codes[start:stop], ends, self.cluster_counts)

    @property
    def stores_overlap(self) -> bool:
        """Whether the overlaps of the clusters are few enough to be stored."""
        return most_pairs(self.cluster_counts, self.n_samples) <= MOST_PAIRS

    @cached_property
    def overlap(self) -> sparse.csr_array:
        """Number of samples that each pair of clusters shares, in the order of `cluster_ids`."""
        return self.rows.overlap()

    @cached_property
    def codes(self) -> Array:
        """The labels as a read-only NumPy array on the host."""
        return read_only(to_numpy(self.labels))

    @property
    def n_samples(self) -> int:
        """Number of samples (rows)."""
        return int(self.labels.shape[0])

    @property
    def n_partitions(self) -> int:
        """Number of partitions (columns)."""
        return int(self.labels.shape[1])

    @cached_property
    def cluster_counts(self) -> Array:
        """Number of clusters of each partition."""
        if isinstance(self.labels, StoredCodes):
            return self.labels.cluster_counts
        return self.codes.max(axis=0).astype(np.int64) + 1

    @property
    def n_clusters(self) -> int:
        """Number of clusters over all partitions."""
        return int(self.cluster_counts.sum())

    @cached_property
    def n_missing(self) -> int:
        """Number of missing labels."""
        if isinstance(self.labels, StoredCodes):
            return self.labels.count_missing()
        return int(is_missing(self.codes).sum())

    @property
    def has_missing(self) -> bool:
        """Whether any label is missing."""
        return self.n_missing > 0

    @property
    def labeled(self) -> Array:
        """Whether a partition labels a sample: booleans of shape (n_samples, n_partitions)."""
        return is_labeled(self.codes)

    @property
    def cluster_ids(self) -> Array:
        """Labels numbered over all partitions, starting with the first partition."""
        return np.where(self.labeled, self.codes + offsets(self.cluster_counts), MISSING)

    @cached_property
    def cluster_sizes(self) -> Array:
        """Number of samples of each cluster, in the order of `cluster_ids`."""
        return self.overlap.diagonal() if "overlap" in vars(self) else self.rows.sizes()


def read_only(array: Array) -> Array:
    """A view of an array that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view
