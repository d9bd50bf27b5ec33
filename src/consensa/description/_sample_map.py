"""A map of the samples: two dimensions to look at."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._params import JobCount, NoneType, OneOf, RandomState, check_params
from consensa._random import random_source
from consensa.features import read_features
from consensa.generation.sample_points import SamplePoints, embed_points, find_points

__all__ = ["SampleMap", "sample_map"]

_HONEST = 0.8  # share of the variance that two principal components must have
_FEWEST = 5  # points that have a graph of neighbors worth drawing
_KINDS = ("auto", "embedding", "pca")


class SampleMap(NamedTuple):
    """Coordinates of the samples in two dimensions.

    Attributes
    ----------
    points : ndarray of shape (n_samples, 2)
        Coordinates.
    kind : {"embedding", "pca"}
        How they were computed.
    shares : ndarray of shape (2,) or None
        Shares of the variance of the two principal components; None for an embedding.
    note : str
        What can be read from distances in the map.
    """

    points: Array
    kind: str
    shares: Array | None
    note: str


def sample_map(
    X: Any, *, kind: str = "auto", random_state: Any = 0, n_jobs: int | None = -1
) -> SampleMap:
    """Place the samples in two dimensions, similar ones near each other.

    Distances are those of the default generator: columns are scaled in the same way, and text
    columns encoded. The first two principal components show them without distortion. Where these
    components contain less than 80 % of the variance, the map is an embedding of the graph of
    nearest neighbors, as in `NeighborEmbedding`.

    Parameters
    ----------
    X : array-like, frame, sparse matrix or Features, of shape (n_samples, n_features)
        Features.
    kind : {"auto", "embedding", "pca"}, default="auto"
        How to compute the coordinates.
    random_state : int, RandomState instance or None, default=0
        Seed of the embedding.
    n_jobs : int or None, default=-1
        Number of threads that search for neighbors. The map does not depend on it.

    Returns
    -------
    SampleMap
        Named tuple (points, kind, shares, note).

    See Also
    --------
    consensa.plotting.SampleMapDisplay : Draws the map, with colors for the clusters.

    Notes
    -----
    The map is order-free: permuting the rows permutes the points. Equal samples have the same
    point. More than 10,000 distinct samples are represented by as many, drawn at random; the
    others are placed at the nearest one.

    Examples
    --------
    >>> import consensa as cs
    >>> found = cs.sample_map([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [5.0, 5.0, 0.1]])
    >>> found.kind, found.points.shape
    ('pca', (3, 2))
    """
    declared = {
        "kind": (OneOf(_KINDS),),
        "random_state": (RandomState(),),
        "n_jobs": (JobCount(), NoneType()),
    }
    given = {"kind": kind, "random_state": random_state, "n_jobs": n_jobs}
    check_params("sample_map", declared, given)
    rng = random_source(random_state)
    found = find_points(read_features(X), n_jobs=n_jobs, rng=rng)
    plane, shares = _principal_plane(found)
    honest = shares.sum() >= _HONEST or found.n_points < _FEWEST
    if kind == "pca" or (kind == "auto" and honest):
        return SampleMap(plane[found.point_of_sample], "pca", shares, _note_on_plane(shares))
    points = embed_points(found, rng)
    note = (
        "An embedding of the graph of nearest neighbors: samples that are close together are "
        "similar. Sizes of clusters and distances between them have no meaning."
    )
    return SampleMap(points[found.point_of_sample], "embedding", None, note)


def _note_on_plane(shares: Array) -> str:
    said = (
        f"The first two principal components, which contain {shares.sum():.0%} of the variance: "
    )
    if shares.sum() >= _HONEST:
        return said + "distances in the map are close to those of the samples."
    return said + "samples that are close together may differ in other directions."


def _principal_plane(found: SamplePoints) -> tuple[Array, Array]:
    """Coordinates of the points on two principal components, and their shares of the variance.

    The direction in which a component is positive is that of its largest coefficient.
    """
    weights = found.sizes / found.sizes.sum()
    centered = found.points - weights @ found.points
    values, vectors = np.linalg.eigh((centered * weights[:, None]).T @ centered)
    leading = vectors[:, ::-1][:, :2]
    largest = leading[np.abs(leading).argmax(axis=0), np.arange(leading.shape[1])]
    plane = np.zeros((found.n_points, 2))
    plane[:, : leading.shape[1]] = centered @ (leading * np.where(largest < 0, -1, 1))
    shares = np.zeros(2)
    total = max(float(values.sum()), 0.0)
    shares[: leading.shape[1]] = np.maximum(values[::-1][:2], 0) / total if total > 0 else 0.5
    return plane, shares
