"""The result of a run on rows in blocks, as the report can show it: that of a sample of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._machine.hashing import cluster_keys
from consensa._result import ConsensusResult
from consensa._result.wording import counted, listed_sizes, two_digits
from consensa.cli._columns import Chosen
from consensa.distributed.features import read_dask_features
from consensa.ensemble import Ensemble
from consensa.ensemble.deferred import RowValues
from consensa.features.stored_features import StoredFeatures

__all__ = ["Shown", "shown_on_page"]

_MOST = 2000  # samples of the page
_MOST_SIZES = 30


class Shown(NamedTuple):
    """What the page shows: a result in memory, the columns of its samples, and a title.

    There is a title if these are some samples only.
    """

    result: ConsensusResult
    chosen: Chosen
    title: str | None = None


def shown_on_page(result: ConsensusResult, data: Any, chosen: Chosen) -> Shown:
    """The result itself, or of rows that are in blocks, that of a sample, with a note."""
    on_dask = not isinstance(result.labels, (np.ndarray, RowValues))
    n_samples = result.ensemble.n_samples
    if isinstance(data, StoredFeatures):
        features = read_dask_features(data) if on_dask else data
        numbers, frame = features.shown_rows(_MOST)
        order = np.argsort(numbers)
        numbers, frame = numbers[order], frame.iloc[order].reset_index(drop=True)
    elif on_dask and n_samples > _MOST:
        keys = cluster_keys(result.ensemble.n_clusters, 0)
        numbers = np.sort(result.ensemble.rows.sample(keys, _MOST).first)
        frame = None if chosen.data is None else chosen.data.iloc[numbers]
    else:
        whole = _of_samples(result, np.arange(n_samples)) if on_dask else result
        return Shown(whole, chosen)
    part = replace(
        chosen,
        data=frame,
        truth=None if chosen.truth is None else np.asarray(chosen.truth)[numbers],
        row_names=chosen.names(numbers),
        notes=(*chosen.notes, *_notes(result, numbers)),
    )
    title = f"{counted(result.n_clusters, 'cluster')} in {counted(n_samples, 'sample')}"
    return Shown(_of_samples(result, numbers), part, title)


def _of_samples(result: ConsensusResult, numbers: Array) -> ConsensusResult:
    """The result of some samples, in memory; clusters without any of them are left out."""
    given = result.ensemble
    ensemble = replace(
        Ensemble.from_labels(given.rows.take(numbers)),
        partition_names=given.partition_names,
        weights=given.weights,
        details=given.details,
    )
    return replace(
        result,
        labels=np.unique(_taken(result.labels, numbers), return_inverse=True)[1],
        confidence=_taken(result.confidence, numbers),
        ensemble=ensemble,
        affinity=None,
        tree=None,
    )


def _taken(values: Any, numbers: Array) -> Array:
    """Values of these samples; those on Dask are loaded."""
    here = isinstance(values, (np.ndarray, RowValues))
    return values[numbers] if here else np.asarray(values)[numbers]


def _notes(result: ConsensusResult, numbers: Array) -> Iterator[str]:
    if isinstance(result.labels, RowValues):
        sizes, confidence = result.cluster_sizes, result.confidence
    else:
        sizes, confidence = np.bincount(np.asarray(result.labels)), np.asarray(result.confidence)
    yield (
        f"This page shows {len(numbers)} of {counted(int(sizes.sum()), 'sample')}, with different "
        f"rows, drawn by a hash of their values. Of all samples, the clusters have the sizes "
        f"{listed_sizes(sizes, _MOST_SIZES)}, and the mean confidence is "
        f"{two_digits(float(confidence.mean()))}."
    )
    absent = np.setdiff1d(np.arange(len(sizes)), _taken(result.labels, numbers))
    if len(absent):
        which = ", ".join(map(str, absent.tolist()))
        yield f"No sample of the page is in {counted(len(absent), 'cluster')}: {which}."
