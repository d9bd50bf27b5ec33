"""Ensemble with the label matrix in a Dask array."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.consensus.catalogue import methods_that
from consensa.distributed._cluster import Computes, dask_array, delay, reduce_as_tree, share
from consensa.distributed._rows import DaskRows
from consensa.ensemble import Ensemble
from consensa.ensemble.checks import check_counts, check_scan
from consensa.ensemble.labels import frame_columns, host_matrix
from consensa.ensemble.numbering import (
    Block,
    Numbering,
    Scan,
    merge_scans,
    scan_block,
    signed_partitions,
)
from consensa.ensemble.stored import as_stored
from consensa.ensemble.stored_labels import StoredLabels, read_rows
from consensa.exceptions import InvalidInputError

__all__ = ["DaskEnsemble", "read_ensemble", "spread_ensemble"]


@dataclass(frozen=True, eq=False, repr=False)
class DaskEnsemble(Ensemble):
    """Ensemble whose label matrix is stored in blocks of rows on a Dask cluster.

    `labels` is a Dask array, and `dask_rows` are the passes over its rows. Methods that need all
    labels in memory raise an error.
    """

    dask_rows: Any = None

    @classmethod
    def of(cls, rows: DaskRows, **described: Any) -> DaskEnsemble:
        """The ensemble of these rows, with names and what else describes it."""
        return cls(rows.codes(), dask_rows=rows, **described)

    def __reduce__(self) -> tuple[Any, ...]:
        message = "An ensemble on a Dask cluster cannot be pickled. Save its labels with Dask."
        raise TypeError(message)

    def brought_here(self) -> DaskEnsemble:
        """The same without what only the cluster has, before it is closed."""
        rows = self.rows.brought_here()
        return self if rows is self.rows else replace(self, labels=rows.codes(), dask_rows=rows)

    @property
    def compute_log(self) -> tuple[Any, ...]:
        """Computations on the Dask cluster, each with the number of bytes returned."""
        return tuple(self.dask_rows.compute.log)

    @cached_property
    def rows(self) -> DaskRows:
        """The passes over the rows."""
        return self.dask_rows

    @cached_property
    def cluster_counts(self) -> Array:
        """Number of clusters of each partition."""
        return self.rows.cluster_counts

    @cached_property
    def n_missing(self) -> int:
        """Number of missing labels."""
        return self.rows.n_missing

    @property
    def stores_overlap(self) -> bool:
        """True: the workers sum the overlaps, and labels are not read cluster by cluster."""
        return True

    @property
    def cluster_sizes(self) -> Array:
        """Number of samples of each cluster, in the order of `cluster_ids`."""
        return self.overlap.diagonal()

    @cached_property
    def codes(self) -> Array:
        """Raises an error: the labels may be larger than the memory of this machine."""
        message = (
            f"This method needs all labels in memory, and they are on a Dask cluster. Use one of "
            f"{', '.join(methods_that('dask'))} of consensa.distributed, or load the labels: "
            f"Ensemble.from_labels(x.compute())."
        )
        raise InvalidInputError(message)


def spread_ensemble(made: Ensemble, lengths: Sequence[int], compute: Computes) -> DaskEnsemble:
    """An ensemble that was made in this process, in blocks of so many rows on the cluster."""
    codes, ends = np.asarray(made.codes), pairwise(accumulate(lengths, initial=0))
    blocks = [share(codes[start:stop]) for start, stop in ends]
    numbering = Numbering([np.arange(count) for count in made.cluster_counts])
    return DaskEnsemble.of(
        DaskRows(blocks, lengths, numbering, compute, made.n_missing),
        partition_names=made.partition_names,
        models=made.models,
        weights=made.weights,
        details=made.details,
    )


class _Blocks(NamedTuple):
    blocks: list[Any]  # delayed
    lengths: list[int] | None  # None if unknown
    names: tuple[str, ...] | None
    n_partitions: int


def read_ensemble(labels: Any) -> DaskEnsemble:
    """Read a label matrix on a Dask cluster: one pass numbers the labels and counts the rows."""
    if isinstance(labels, DaskEnsemble):
        return labels
    blocks, lengths, names, n_partitions = _as_blocks(labels)
    called = [repr(name) for name in names] if names else [str(j) for j in range(n_partitions)]
    if not called or not blocks:
        check_counts((0 if not blocks else 2, n_partitions))
    compute = Computes()
    starts = [0, *accumulate(lengths)] if lengths else [0] * len(blocks)

    def scanned(signed: Collection[int]) -> tuple[Scan, list[int]]:
        scans = [
            delay(_scan, block, called, start, signed)
            for block, start in zip(blocks, starts, strict=False)
        ]
        return compute("labels", reduce_as_tree(_merge, scans))

    scan, found = scanned(())
    if signed := signed_partitions(scan):
        scan, found = scanned(signed)
    check_counts((scan.n_rows, n_partitions))
    check_scan(scan, called)
    kept = [block for block, length in zip(blocks, found, strict=True) if length]
    lengths = [length for length in found if length]
    rows = DaskRows(kept, lengths, Numbering(scan.distinct), compute, scan.n_missing)
    return DaskEnsemble.of(rows, partition_names=names, label_names=scan.distinct)


def _scan(
    block: Block, names: Sequence[str], start: int, signed: Collection[int]
) -> tuple[Scan, list[int]]:
    scan = scan_block(block, names, start, signed)
    return scan, [scan.n_rows]


def _merge(parts: Sequence[tuple[Scan, list[int]]]) -> tuple[Scan, list[int]]:
    scans, lengths = zip(*parts, strict=True)
    return merge_scans(scans), [length for group in lengths for length in group]


def _as_blocks(labels: Any) -> _Blocks:
    """Delayed blocks of rows of a Dask array or frame, or of labels on disk."""
    da = dask_array()
    stored = as_stored(labels)
    if stored is not None:
        return _stored_blocks(stored)
    if hasattr(labels, "to_dask_array") and hasattr(labels, "partitions"):  # a Dask frame
        names = tuple(str(column) for column in labels.columns)
        blocks = [delay(frame_columns, part) for part in labels.to_delayed()]
        return _Blocks(blocks, None, names, len(names))
    if hasattr(labels, "columns"):  # a frame in memory
        names = tuple(str(column) for column in labels.columns)
        return _Blocks([delay(frame_columns, labels)], None, names, len(names))
    array = labels if isinstance(labels, da.Array) else _as_dask(host_matrix(labels))
    if array.ndim != 2:
        message = (
            "labels must be a matrix with one row per sample and one column per partition. "
            f"Got a Dask array of shape {array.shape}."
        )
        raise InvalidInputError(message)
    array = array.rechunk({1: -1}) if array.numblocks[1] > 1 else array
    lengths = [int(n) for n in array.chunks[0]] if not np.isnan(array.shape[0]) else None
    return _Blocks(list(array.to_delayed().ravel()), lengths, None, int(array.shape[1]))


def _stored_blocks(stored: StoredLabels) -> _Blocks:
    ranges = [(a, b) for a, b in pairwise(stored.ends) if b > a]
    source = share(stored)
    blocks = [delay(read_rows, source, start, stop) for start, stop in ranges]
    lengths = [stop - start for start, stop in ranges]
    return _Blocks(blocks, lengths, stored.partition_names, stored.shape[1])


def _as_dask(matrix: Array) -> Any:
    # The size of objects is unknown to Dask, which cannot choose chunks for them.
    chunks = matrix.shape if matrix.dtype.kind == "O" else "auto"
    return dask_array().from_array(matrix, chunks=chunks)
