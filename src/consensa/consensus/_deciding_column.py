"""Whether one column of the features gives the clusters alone, and the others do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.features import Features
from consensa.metrics import adjusted_rand_index

__all__ = ["deciding_column"]

_ALONE = 0.8  # agreement of the column alone with the clusters
_OTHERS = 0.5  # that of the others, each alone and together
_LEAST_COLUMNS = 3  # of two, one often decides
_LEAST_SAMPLES = 20  # of fewer, one column often decides by chance
_LOOKED_AT = 3  # columns that explain most of their variance
_BLOCK = 64  # columns
_MOST_SAMPLES = 10_000
_MOST_ENTRIES = 5e8  # beyond, looking at each column takes long


def deciding_column(features: Features, labels: Array) -> Any:
    """Name or number of the column that decides alone; None if there is none.

    Samples are assigned to the cluster with the nearest mean, in one column alone, and in all
    others together, with unit variance. The agreement of both with the clusters is compared.
    """
    if len(labels) < _LEAST_SAMPLES:
        return None
    columns = _columns(features)
    points, labels = _sampled(features.points, labels)
    skipped = len(columns) < _LEAST_COLUMNS or points.shape[0] * points.shape[1] > _MOST_ENTRIES
    if skipped or len(np.unique(labels)) < 2:
        return None
    points = sparse.csc_array(points) if sparse.issparse(points) else points
    labels = np.unique(labels, return_inverse=True)[1].ravel()
    whole = np.arange(points.shape[1])
    explained = _explained(points, whole, labels)
    shares = {name: explained[places].mean() for name, places in columns.items() if len(places)}
    likely = sorted(shares, key=lambda name: -shares[name])[:_LOOKED_AT]
    alone = {name: _agreement(points, columns[name], labels) for name in likely}
    best, *rest = sorted(likely, key=lambda name: -alone[name])
    if alone[best] < _ALONE or any(alone[name] > _OTHERS for name in rest):
        return None
    others = _agreement(points, np.setdiff1d(whole, columns[best]), labels)
    return best if others <= _OTHERS else None


def _sampled(points: Any, labels: Array) -> tuple[Any, Array]:
    """A limited number of samples with their labels, chosen by values alone, in any order."""
    if len(labels) <= _MOST_SAMPLES:
        return points, labels
    weights = np.random.RandomState(0).randint(1, 2**31, size=points.shape[1])
    if sparse.issparse(points):
        keys = points @ weights.astype(np.float64)
    else:
        bits = np.ascontiguousarray(points).view(f"u{points.dtype.itemsize}")
        keys = np.einsum("ij,j->i", bits, weights.astype(bits.dtype))  # modulo 2^64
    rows = np.argpartition(keys, _MOST_SAMPLES)[:_MOST_SAMPLES]
    return points[rows], labels[rows]


def _columns(features: Features) -> dict[Any, Array]:
    """The columns of X, with the places of their features."""
    if features.encoding is None:
        names = features.column_names or range(features.n_columns)
        return {name: np.array([place]) for place, name in enumerate(names)}
    ends = np.cumsum(list(features.encoding.widths.values()))
    places = np.split(np.arange(ends[-1]), ends[:-1])
    return dict(zip(features.encoding.names, places, strict=True))


def _explained(points: Any, places: Array, labels: Array) -> Array:
    """Share of the variance of each feature that lies between the clusters."""
    sizes = np.bincount(labels)
    shares = [sizes @ means**2 / len(labels) for _, means in _blocks(points, places, labels)]
    return np.concatenate(shares)


def _agreement(points: Any, places: Array, labels: Array) -> float:
    """Agreement of the clusters with the nearest of their means in some features."""
    distances = np.zeros((len(labels), int(labels.max()) + 1))
    for block, means in _blocks(points, places, labels):
        distances += np.square(means).sum(axis=1) - 2 * block @ means.T
    return adjusted_rand_index(labels, distances.argmin(axis=1))


def _blocks(points: Any, places: Array, labels: Array) -> Iterator[tuple[Array, Array]]:
    """Blocks of features with unit variance, and their means in each cluster."""
    n_samples = len(labels)
    ones = np.ones(n_samples)
    member = sparse.csr_array((ones, (labels, np.arange(n_samples))))
    sizes = np.bincount(labels)[:, None]
    for start in range(0, len(places), _BLOCK):
        block = points[:, places[start : start + _BLOCK]]
        block = block.toarray() if sparse.issparse(block) else block.astype(np.float64)
        peak = np.abs(block).max(axis=0)
        block /= np.where(peak > 0, peak, 1)  # huge values have huge squares
        block -= block.mean(axis=0)
        spread = block.std(axis=0)
        block /= np.where(spread > 0, spread, 1)
        yield block, member @ block / sizes
