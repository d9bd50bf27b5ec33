"""A result → what the script of the page computes with, for every number of clusters on screen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.description.clusters import labels_of
from consensa.description.outliers import neighbor_distances
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import MISSING
from consensa.exceptions import InvalidInputError
from consensa.features import read_features
from consensa.report._cuts import Cuts
from consensa.report._description import profiles_of_cuts
from consensa.report._known import Known
from consensa.report._packed import smallest_type

__all__ = ["Explorer", "explorer_of"]

_MOST_SAMPLES = 100_000
_MOST_BYTES = 24_000_000  # of names and labels in the base partitions, not compressed
_MOST_PAIRS = 8_000_000  # of a base cluster and a part, which the script counts
_GRID = 65535  # places of a coordinate of the map


class Explorer(NamedTuple):
    """What the script needs beside the contents of the tables.

    Attributes
    ----------
    n_clusters : int
        Number of clusters of the result.
    numbers, clusters, colors : list
        The cuts of the tree, as in `Cuts`.
    names_title : str
        Title of the column of names in a file of labels.
    partitions : list of str
        Names of the base partitions.
    classes : list of str
        Names of the known classes; none if they are not known.
    map_note : str or None
        What can be read from the map; None if there is no map.
    """

    n_clusters: int
    numbers: list[int]
    clusters: list[list[int]]
    colors: list[list[int]]
    names_title: str
    partitions: list[str]
    classes: list[str]
    map_note: str | None


def explorer_of(
    result: ConsensusResult, cuts: Cuts, known: Known
) -> tuple[Explorer | None, dict[str, Any]]:
    """The explorer of a page, and its arrays by their names in the page.

    None if the page cannot hold the labels of all samples in all base partitions.
    """
    ensemble, names = result.ensemble, [str(name) for name in known.names]
    if not _fits(ensemble, names, len(cuts.clusters[-1])):
        return None, {}
    titles = ensemble.partition_names or tuple(map(str, range(ensemble.n_partitions)))
    codes, classes = _read_truth(known.truth, ensemble.n_samples)
    explorer = Explorer(
        n_clusters=result.n_clusters,
        numbers=cuts.numbers,
        clusters=cuts.clusters,
        colors=cuts.colors,
        names_title=known.names_title,
        partitions=list(map(str, titles)),
        classes=classes,
        map_note=None if known.map is None else known.map.note,
    )
    arrays = {
        "names": names,
        "part_of_sample": cuts.part_of_sample.astype(np.uint32),
        "labels": _labels(ensemble),
        "truth": codes,
    }
    return explorer, arrays | _of_features(known, cuts, result.n_clusters)


def _fits(ensemble: Ensemble, names: list[str], n_parts: int) -> bool:
    """Whether the page holds names and labels, and the script counts of clusters and parts."""
    kind = np.dtype(smallest_type(int(ensemble.cluster_counts.max())))
    size = ensemble.n_samples * ensemble.n_partitions * kind.itemsize + sum(map(len, names))
    pairs = ensemble.n_clusters * n_parts
    return ensemble.n_samples <= _MOST_SAMPLES and size <= _MOST_BYTES and pairs <= _MOST_PAIRS


def _of_features(known: Known, cuts: Cuts, n_clusters: int) -> dict[str, Any]:
    """Places in the map, distances that tell outliers, and profiles of every cut."""
    if known.map is None:
        return {}
    distance, of_sample = neighbor_distances(read_features(known.features), rng=random_source(0))
    return {
        "points": _on_grid(known.map.points),
        "distance": distance,
        "point_of_sample": of_sample.astype(np.uint32),
        "profiles": profiles_of_cuts(known.features, cuts, n_clusters),
    }


def _labels(ensemble: Ensemble) -> Array:
    """Labels in the base partitions, one partition after the other; 0 is missing."""
    kind = smallest_type(int(ensemble.cluster_counts.max()))
    return (np.asarray(ensemble.codes).T.astype(np.int64) - MISSING).astype(kind).ravel()


def _on_grid(points: Array) -> Array:
    """Coordinates as whole numbers; both axes have the same scale, and 0 is at the lower left."""
    low = points.min(axis=0)
    span = float((points - low).max()) or 1.0
    return np.rint((points - low) / span * _GRID).astype(np.uint16).ravel()


def _read_truth(truth: Any, n_samples: int) -> tuple[Array, list[str]]:
    """Class of each sample by number, and the names of the classes; none if not known."""
    if truth is None:
        return np.empty(0, np.uint32), []
    if len(truth) != n_samples:
        message = f"truth must have a class for each of the {n_samples} samples. Got {len(truth)}."
        raise InvalidInputError(message)
    codes, names = labels_of(truth)
    return codes.astype(np.uint32), list(map(str, names))
