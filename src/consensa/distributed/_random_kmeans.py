"""Base partitions by k-means of features on a Dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from consensa import generation
from consensa._array import Array, unmasked
from consensa._params import RandomState, check_params
from consensa.distributed._cluster import Computes, dask_array, delay, persist, require_on_workers
from consensa.distributed._ensemble import DaskEnsemble, read_ensemble
from consensa.ensemble.rows import nearest_centers
from consensa.exceptions import InvalidInputError
from consensa.generation.kmeans_run import KMeansRun

__all__ = ["RandomKMeans"]

_BLOCK = 2**14  # rows in one block of distances to the centers


class RandomKMeans(generation.RandomKMeans):
    r"""Partitions by k-means of a Dask array of features.

    The same as `consensa.RandomKMeans`, with the same partitions for the same seed: partition
    :math:`m` is a run of k-means from a random start with :math:`k_m` drawn uniformly from
    :math:`2, \dots, \lfloor\sqrt n\rfloor`. With `max_samples`, each run computes its centers
    from that many rows on one worker, and every chunk is labeled in place. Without it, each run
    uses the whole data on one worker, in parallel.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of partitions.
    n_clusters : int, (int, int) or None, default=None
        Number of clusters of every partition, or the range (low, high) to draw it from.
    n_init : int, default=1
        Number of starts of each run of k-means.
    max_iter : int, default=100
        Maximum number of iterations of each run of k-means.
    max_samples : int or None, default=None
        Number of rows on which k-means runs; None is all of them, which must fit in the memory
        of a worker.
    n_jobs : int or None, default=None
        Ignored: the cluster decides.

    See Also
    --------
    consensa.RandomKMeans : The same on one machine.

    Notes
    -----
    Two computations on the cluster: centers, which are returned to this process, then labels,
    which stay on the cluster. Chunks are blocks of rows.

    Examples
    --------
    >>> import dask, dask.array as da, numpy as np
    >>> from consensa.distributed import RandomKMeans
    >>> X = da.from_array(np.array([[0.0], [0.1], [5.0], [5.1]]), chunks=(3, 1))
    >>> with dask.config.set(scheduler="synchronous"):
    ...     ensemble = RandomKMeans(2, n_clusters=2).generate(X, random_state=0)
    ...     ensemble.labels.compute()
    array([[0, 0],
           [0, 0],
           [1, 1],
           [1, 1]], dtype=int32)
    """

    def generate(
        self, X: Any, *, n_clusters: int | None = None, random_state: Any = None
    ) -> DaskEnsemble:
        """Generate the base partitions.

        Parameters
        ----------
        X : dask.array.Array of shape (n_samples, n_features)
            Finite features.
        n_clusters : int or None, default=None
            Ignored: k-means draws the numbers of clusters.
        random_state : int, RandomState instance or None, default=None
            Seed of the numbers of clusters and of the starts.

        Returns
        -------
        DaskEnsemble
            The partitions, in chunks like those of `X`.

        See Also
        --------
        consensa.distributed.LWGP : Combines them.

        Examples
        --------
        >>> import dask, dask.array as da, numpy as np
        >>> from consensa.distributed import RandomKMeans
        >>> X = da.from_array(np.array([[0.0], [0.1], [5.0], [5.1]]), chunks=(2, 1))
        >>> with dask.config.set(scheduler="synchronous"):
        ...     RandomKMeans(3, n_clusters=2).generate(X, random_state=0)
        Ensemble(n_samples=4, n_partitions=3, n_clusters=6)
        """
        check_params(type(self).__name__, self._declared, self.get_params(deep=False))
        check_params(
            "generate", {"random_state": (RandomState(),)}, {"random_state": random_state}
        )
        blocks, lengths = _feature_blocks(X)
        runs = self._draw_runs(sum(lengths), random_state)
        labels = _label_whole if self.max_samples is None else _label_by_chunks
        pieces = persist(labels(blocks, lengths, runs, X))
        da = dask_array()
        return read_ensemble(
            da.concatenate(
                [
                    da.from_delayed(piece, (length, len(runs)), np.int32)
                    for piece, length in zip(pieces, lengths, strict=True)
                ]
            )
        )


def _feature_blocks(X: Any) -> tuple[list[Any], list[int]]:
    da = dask_array()
    if not isinstance(X, da.Array) or X.ndim != 2 or np.isnan(X.shape[0]):
        what = getattr(X, "shape", type(X).__name__)
        message = (
            f"X must be a Dask array of features with one row per sample and known chunks. "
            f"Got {what}. Convert a frame with frame.to_dask_array(lengths=True)."
        )
        raise InvalidInputError(message)
    array = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    lengths = [int(n) for n in array.chunks[0]]
    starts = [0, *accumulate(lengths)]
    blocks = [
        delay(_finite, block, start)
        for block, start, length in zip(array.to_delayed().ravel(), starts, lengths, strict=False)
        if length
    ]
    return blocks, [length for length in lengths if length]


def _finite(block: Array, start: int) -> Array:
    points = np.asarray(unmasked(block, np.nan))
    points = points if points.dtype in (np.float32, np.float64) else points.astype(np.float64)
    if not np.isfinite(points).all():
        row = start + int(np.argmax(~np.isfinite(points).all(axis=1)))
        message = f"X must be finite. Row {row} contains NaN or infinity."
        raise InvalidInputError(message)
    return points


def _label_by_chunks(
    blocks: Sequence[Any], lengths: Sequence[int], runs: Sequence[KMeansRun], X: Any
) -> list[Any]:
    """Centers of each run from its rows, collected on one worker; labels chunk by chunk."""
    starts = np.array([0, *accumulate(lengths)])
    fitted = []
    for run in runs:
        sample = np.arange(starts[-1]) if run.sample is None else run.sample
        ends = np.searchsorted(sample, starts)
        rows = [
            delay(np.take, block, sample[low:high] - start, 0)
            for block, start, low, high in zip(blocks, starts, ends, ends[1:], strict=False)
            if high > low
        ]
        fitted.append(delay(_centers, rows, run))
    centers = Computes()("centers", delay(list, fitted))
    shared = delay(list, centers)
    return [delay(_label_block, block, shared) for block in blocks]


def _centers(rows: Sequence[Array], run: KMeansRun) -> Array:
    return run.fit(np.concatenate(rows))[0]


def _label_block(points: Array, centers: Sequence[Array]) -> Array:
    labels = np.empty((len(points), len(centers)), np.int32)
    for start in range(0, len(points), _BLOCK):
        rows = slice(start, start + _BLOCK)
        for j, own in enumerate(centers):
            labels[rows, j] = nearest_centers(points[rows], own)
    return labels


def _label_whole(
    blocks: Sequence[Any], lengths: Sequence[int], runs: Sequence[KMeansRun], X: Any
) -> list[Any]:
    """Each run on the whole data, on one worker."""
    require_on_workers(2 * X.nbytes, "k-means on the whole data (set max_samples to avoid it)")
    whole = delay(np.concatenate, list(blocks))
    columns = [delay(_whole_labels, whole, run) for run in runs]
    starts = [0, *accumulate(lengths)]
    return [
        delay(_rows_of_columns, columns, start, length)
        for start, length in zip(starts, lengths, strict=False)
    ]


def _whole_labels(points: Array, run: KMeansRun) -> Array:
    return run.fit(points)[1]


def _rows_of_columns(columns: Sequence[Array], start: int, length: int) -> Array:
    return np.stack([column[start : start + length] for column in columns], axis=1).astype(
        np.int32
    )
