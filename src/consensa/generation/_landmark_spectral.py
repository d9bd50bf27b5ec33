"""Base partitions by spectral clustering of graphs of nearest landmarks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import delayed
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa._params import (
    Declaration,
    Integer,
    IntegerRange,
    OneOf,
    Real,
)
from consensa.features import Features
from consensa.features.scaling import SCALINGS, Scaling
from consensa.generation._models import NearestSample
from consensa.generation._neighbors import Distinct, distinct_rows, nearest_landmarks
from consensa.generation.base import BaseGenerator
from consensa.partition import cut_bipartite

__all__ = ["LandmarkSpectral"]

_MOST_CLUSTERS = 3  # times the number of clusters of the consensus
_SPARE = 1.5  # number of neighbors to search for, relative to the mean number needed
_PER_CLUSTER = 10  # minimum number of landmarks to keep for each cluster, if there are enough
_FAINT = 1e-3  # weight of an edge between components; the weight of the other edges is 1
_BRIDGES = 5  # number of components to which each component is connected


class LandmarkSpectral(BaseGenerator):
    r"""Partitions by spectral clustering of random graphs of samples and landmarks.

    The landmarks are the distinct samples, or `n_landmarks` of them if there are more. For each
    partition, a random subset of the landmarks is kept, every sample is connected to the
    :math:`r` nearest of these,

    .. math:: G_{il} = [\,l \text{ is one of the } r \text{ nearest landmarks of } i\,],

    and the samples are clustered by the leading eigenvectors of the bipartite graph G (transfer
    cut) into a random number of clusters, from one to three times the number of clusters of the
    consensus.

    Parameters
    ----------
    n_partitions : int, default=20
        Number of partitions.
    n_clusters : int, (int, int) or None, default=None
        Number of clusters of every partition, or the range (low, high) to draw it from,
        inclusive; None is the range from k to 3 k, where k is the `n_clusters` of `generate`,
        or from 2 to the square root of the number of samples if that is None.
    n_neighbors : int or (int, int), default=(4, 8)
        Number of nearest landmarks of each sample, or the range to draw it from.
    share : float, default=0.4
        Minimum proportion of the landmarks that a partition keeps; the proportion is drawn
        between it and 1.
    n_landmarks : int, default=10000
        Maximum number of landmarks. The time of the neighbor search is proportional to it.
    scaling : {"range", "standard", "none"}, default="range"
        Divisor of each column: its range, after outliers beyond 4 standard deviations are
        clipped; its standard deviation; or 1. A frame with text columns is scaled when it is
        read, and not again.
    n_jobs : int or None, default=None
        Number of parallel jobs, as in joblib; -1 uses all cores. The partitions do not depend
        on it.

    See Also
    --------
    RandomKMeans : Faster, for round clusters.
    consensa.partition.cut_bipartite : The cut, and its reference.

    Notes
    -----
    Time :math:`O(n l d)` for the neighbors of n samples of d columns among l landmarks,
    which all partitions share, and :math:`O(n k^2)` for each cut. Memory for about 30
    neighbors of each sample. Equal samples are never separated. The result is order-free:
    permuting the samples permutes the labels.

    Examples
    --------
    Two rings, one inside the other.

    >>> import numpy as np
    >>> from consensa import LWEA, LandmarkSpectral
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> labels = LWEA(2, generator=LandmarkSpectral(), random_state=0).fit_predict(
    ...     np.concatenate([ring, 3 * ring])
    ... )
    >>> np.bincount(labels[:100]), np.bincount(labels[100:])
    (array([100]), array([  0, 100]))
    """

    n_clusters: int | tuple[int, int] | None = None
    n_neighbors: int | tuple[int, int] = (4, 8)
    share: float = 0.4
    n_landmarks: int = 10_000
    scaling: str = "range"
    _copies_of_x: ClassVar[float] = 4
    _declared: ClassVar[Declaration] = {
        "n_neighbors": (Integer(1), IntegerRange(1)),
        "share": (Real(above=0, most=1),),
        "scaling": (OneOf(tuple(SCALINGS)),),
    }

    def _calls(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterator[Any]:
        points = features.points
        usual = _usual_range(n_clusters, points.shape[0])
        counts = self._draw_counts(self.n_clusters or usual, points.shape[0], rng)
        least, most = _ends(self.n_neighbors)
        distinct = distinct_rows(points)
        scaling = self._learn_scaling(features, distinct)
        rows = scaling.apply(points[distinct.first])
        known = _Known(self._search(rows, most, rng), rows, distinct, scaling)
        fewest = min(counts) if n_clusters is None else n_clusters
        spared = _Spared(min(rows.shape[0], self.n_landmarks), fewest)
        for k, seed in zip(counts, self._draw_seeds(rng), strict=True):
            drawn = np.random.RandomState(seed)
            n_neighbors = drawn.randint(least, most + 1)
            share = spared.share(drawn.uniform(self.share, 1))
            cut = _Cut(k, spared.neighbors(n_neighbors, share), share, seed)
            yield delayed(_partition)(known, cut)

    def _scaled(self, features: Features) -> Features:
        """The features, scaled according to `scaling`."""
        scaling = self._learn_scaling(features, distinct_rows(features.points))
        divided = features.is_scaled or scaling.divisor is not None
        return replace(features, array=scaling.apply(features.points), is_scaled=divided)

    def _learn_scaling(self, features: Features, distinct: Distinct) -> Scaling:
        """Scaling of the columns; none if they were scaled when text columns were read."""
        how = SCALINGS["none" if features.is_scaled else self.scaling]
        # Sums over the samples in an order given by their values: exactly order-free.
        return how(features.points[distinct.order])

    def _search(self, rows: Any, n_neighbors: int, rng: np.random.RandomState) -> Array:
        """Nearest landmarks of the distinct samples; all landmarks are distinct samples."""
        landmarks = rows
        if rows.shape[0] > self.n_landmarks:
            landmarks = rows[np.sort(rng.permutation(rows.shape[0])[: self.n_landmarks])]
        wanted = math.ceil(_SPARE * n_neighbors / self.share)
        return nearest_landmarks(rows, landmarks, min(wanted, landmarks.shape[0]), self.n_jobs)


class _Spared(NamedTuple):
    """Random parameters of a partition, adjusted if there are few landmarks."""

    n_landmarks: int
    n_clusters: int

    def share(self, drawn: float) -> float:
        """Proportion of the landmarks to keep: enough for each cluster."""
        return min(1.0, max(drawn, _PER_CLUSTER * self.n_clusters / self.n_landmarks))

    def neighbors(self, drawn: int, share: float) -> int:
        """Number of neighbors: at most half the mean number of landmarks of a cluster."""
        half = round(share * self.n_landmarks / (2 * self.n_clusters))
        return min(drawn, max(1, min(2, self.n_landmarks // 2), half))


class _Known(NamedTuple):
    """Data that all partitions share."""

    nearest: Array  # (n_distinct, count): numbers of landmarks, nearest first
    rows: Any  # (n_distinct, n_features), scaled
    distinct: Distinct
    scaling: Scaling


class _Cut(NamedTuple):
    """Data of one partition."""

    n_clusters: int
    n_neighbors: int
    share: float
    seed: int


def _usual_range(asked: int | None, n_samples: int) -> tuple[int, int] | None:
    """The range from k to 3 k if there is a number of clusters k of the consensus."""
    if asked is None:
        return None
    low = min(asked, n_samples)
    return low, max(low, min(_MOST_CLUSTERS * asked, n_samples - 1))


def _ends(number_or_range: Any) -> tuple[int, int]:
    if isinstance(number_or_range, (tuple, list)):
        return int(number_or_range[0]), int(number_or_range[1])
    return int(number_or_range), int(number_or_range)


def _partition(known: _Known, cut: _Cut) -> tuple[Array, NearestSample]:
    """Labels of one partition, and the model that predicts by the nearest sample."""
    rng = np.random.RandomState(cut.seed)
    distinct = known.distinct
    edges = _edges(known.nearest, cut, rng)
    edges = sparse.hstack([edges, _bridges(edges, known.rows)], format="csr")
    labels = np.empty(len(distinct.order), np.int64)
    with one_thread():
        labels[distinct.order] = cut_bipartite(
            edges[distinct.row_of_sample[distinct.order]],
            cut.n_clusters,
            n_init=1,
            random_state=rng,
        )
    return labels, NearestSample(known.rows, labels[distinct.first], known.scaling)


def _edges(nearest: Array, cut: _Cut, rng: np.random.RandomState) -> sparse.csr_array:
    """Connect each row to its nearest landmarks among those that this partition keeps."""
    n_landmarks = int(nearest.max()) + 1
    kept = rng.permutation(n_landmarks) < cut.share * n_landmarks
    alone = ~kept[nearest].any(axis=1)
    kept[nearest[alone, 0]] = True  # every sample has a landmark
    near = kept[nearest]
    near &= np.cumsum(near, axis=1) <= cut.n_neighbors
    columns = (np.cumsum(kept) - 1)[nearest[near]]
    ends = np.concatenate([[0], np.cumsum(near.sum(axis=1))])
    shape = (len(nearest), int(kept.sum()))
    return sparse.csr_array((np.ones(columns.size), columns, ends), shape=shape)


def _bridges(edges: sparse.csr_array, rows: Any) -> sparse.csr_array:
    """Edges of small weight between the connected components of the graph.

    Without them every merge of components into fewer clusters would have a cut of 0, and the
    choice would be arbitrary. Each component gets one more landmark. The samples of a component
    are connected to those of the components with the nearest centers; the weight decreases with
    the distance.
    """
    n_rows = edges.shape[0]
    graph = sparse.block_array([[None, edges], [edges.T, None]])
    _, part = connected_components(graph, directed=False)
    # Rounding may leave a landmark without a sample: only components of samples count.
    parts, part = np.unique(part[:n_rows], return_inverse=True)
    n_parts = len(parts)
    if n_parts == 1:
        return sparse.csr_array((n_rows, 0))
    member = sparse.csr_array((np.ones(n_rows), (part, np.arange(n_rows))))
    sums = member @ rows
    sizes = member.sum(axis=1)
    centers = (sums.toarray() if sparse.issparse(sums) else sums) / sizes[:, None]
    search = NearestNeighbors(n_neighbors=min(n_parts, _BRIDGES + 1)).fit(centers)
    with one_thread():
        distance, other = search.kneighbors(centers)
    width = np.median(distance[:, 1]) or 1.0
    faint = _FAINT * np.exp(-((distance / width) ** 2) / 2)
    between = sparse.csr_array(
        (faint.ravel(), other.ravel(), np.arange(0, faint.size + 1, faint.shape[1])),
        shape=(n_parts, n_parts),
    )
    return (between + between.T)[part]
