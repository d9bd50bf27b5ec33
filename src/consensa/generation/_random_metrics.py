"""Base partitions by spectral clustering with random similarities on random columns."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import delayed
from scipy import sparse

from consensa._array import Array
from consensa._machine.progress import reporting
from consensa._params import Declaration, Integer, IntegerRange, PositiveRange
from consensa.generation._graph_cuts import unit_rows
from consensa.generation._models import NearestOnColumns
from consensa.generation._neighborhood import nearest_neighbors
from consensa.generation._neighbors import distinct_rows
from consensa.generation._random_columns import N_FEATURES, RandomColumnsGenerator
from consensa.partition.graph_spectrum import graph_spectrum
from consensa.partition.kmeans import best_kmeans

__all__ = ["RandomMetrics"]

_N_INIT = 3  # starts of k-means
_LEAST = 1e-9  # similarity of neighbors: none is 0, and each of them an edge


class RandomMetrics(RandomColumnsGenerator):
    r"""Partitions by spectral clustering, each with its own similarity on its own columns.

    For each partition, :math:`\lceil s d \rceil` of the :math:`d` columns are drawn without
    replacement, and for the similarity of the samples a number of neighbors :math:`r` and a
    scale :math:`\mu`. Two samples, of which one is among the :math:`r` nearest neighbors
    :math:`N_r` of the other, have the similarity

    .. math::
        \exp\left(-\frac{d_{ij}}{\mu \varepsilon_{ij}}\right), \qquad
        \varepsilon_{ij} = \frac{\rho_i + \rho_j + d_{ij}}{3}, \qquad
        \rho_i = \frac{1}{r} \sum_{j \in N_r(i)} d_{ij},

    where :math:`d_{ij}` is their distance in these columns; others have none. The graph is
    divided by spectral clustering into a number of clusters drawn uniformly from
    :math:`2, \dots, \lfloor\sqrt n\rfloor` [1]_.

    Parameters
    ----------
    %(n_partitions)s
    n_neighbors : int or (int, int), default=(5, 20)
        Number of nearest neighbors :math:`r`, or the range to draw it from, inclusive.
    scale : (float, float), default=(0.2, 0.8)
        Range to draw the scale :math:`\mu` from.
    %(columns)s

    See Also
    --------
    RandomSubspace : K-means on random columns.
    GraphCuts : Spectral clustering of graphs of nearest neighbors, on all columns.

    Notes
    -----
    Columns are used as they are: scale them before if their units differ. Time
    :math:`O(n^2 d)` for each partition of n samples of d columns. Samples that are equal in the
    columns of a partition are one vertex of its graph. The result is order-free. A new sample
    gets the cluster of its nearest sample in the columns of each partition.

    This is the generator of MDEC. The similarity is that of the paper; its program has a normal
    density of the squared distances in place of the exponential function.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, J.-H. Lai and C.-K. Kwoh, "Toward multidiversified ensemble
       clustering of high-dimensional data: from subspaces to metrics and beyond", IEEE
       Transactions on Cybernetics 52(11), 2022. :doi:`10.1109/TCYB.2021.3049633`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import RandomMetrics
    >>> X = np.array([[0.0, 1.0], [0.1, 1.1], [5.0, 7.0], [5.1, 7.2]])
    >>> RandomMetrics(2, n_clusters=2, n_neighbors=1).generate(X, random_state=0).labels
    array([[0, 0],
           [0, 0],
           [1, 1],
           [1, 1]], dtype=int32)
    """

    n_neighbors: int | tuple[int, int] = (5, 20)
    scale: tuple[float, float] = (0.2, 0.8)
    _copies_of_x: ClassVar[float] = 2
    _declared: ClassVar[Declaration] = {
        "n_features": N_FEATURES,
        "n_neighbors": (Integer(1), IntegerRange(1)),
        "scale": (PositiveRange(),),
    }

    def _call(self, points: Any, kept: int, n_clusters: int, seed: int) -> Any:
        own = np.random.RandomState(seed)
        low, high = np.broadcast_to(self.n_neighbors, 2)
        columns = np.sort(own.choice(points.shape[1], kept, replace=False))
        metric = _Metric(columns, int(own.randint(low, high + 1)), own.uniform(*self.scale))
        return delayed(_partition)(points, metric, n_clusters, int(own.randint(2**31)))


class _Metric(NamedTuple):
    columns: Array
    n_neighbors: int
    scale: float


def _partition(
    points: Any, metric: _Metric, n_clusters: int, seed: int
) -> tuple[Array, NearestOnColumns]:
    """Labels of one spectral clustering, and its model."""
    seen = points[:, metric.columns]
    seen = np.asarray(seen.toarray() if sparse.issparse(seen) else seen, dtype=np.float64)
    # By a power of 2, which is exact: squares of large numbers do not overflow.
    seen = np.ldexp(seen, -np.frexp(np.abs(seen).max(initial=0))[1])
    distinct = distinct_rows(seen)
    vertices = seen[distinct.first]
    if len(vertices) <= n_clusters:
        labels = np.arange(len(vertices))
    else:
        rng = np.random.RandomState(seed)
        sizes = np.bincount(distinct.row_of_sample)
        graph = _similarities(vertices, metric.n_neighbors, metric.scale)
        rows = unit_rows(graph_spectrum(graph, n_clusters, rng))
        labels = best_kmeans(rows, n_clusters, n_init=_N_INIT, rng=rng, weights=sizes)[1]
    labels = labels[distinct.row_of_sample]
    return labels, NearestOnColumns(metric.columns, points, labels)


def _similarities(points: Array, n_neighbors: int, scale: float) -> sparse.csr_array:
    """The similarities of the nearest neighbors, a symmetric graph."""
    with reporting(None):  # a moment for each of many partitions
        neighbors, distances = nearest_neighbors(points, n_neighbors, 1)
    near = distances.mean(axis=1)
    widths = scale * (near[:, None] + near[neighbors] + distances) / 3
    # Distances of subnormal numbers can be 0.
    ratio = np.divide(distances, widths, out=np.zeros_like(distances), where=widths > 0)
    n, count = neighbors.shape
    ends = np.arange(0, n * count + 1, count)
    weights = np.maximum(np.exp(-ratio), _LEAST).ravel()
    graph = sparse.csr_array((weights, neighbors.ravel(), ends), shape=(n, n))
    return sparse.csr_array(graph.maximum(graph.T))
