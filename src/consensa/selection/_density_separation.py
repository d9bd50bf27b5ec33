"""Whether the density of the samples is lower between clusters than inside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa.ensemble.labels import read_labels
from consensa.features import read_features
from consensa.generation.landscape import Landscape, first_of_distinct, points_of

__all__ = ["density_separation", "separation_of_clusters"]

_N_NEIGHBORS = 10


def density_separation(X: Any, labels: Any) -> Array:
    r"""How much lower the density is at the border of each cluster than inside the clusters.

    With :math:`r_i` the distance of sample i to its tenth nearest neighbor, the log density is
    :math:`\rho_i = -d \log r_i`, where d is the local dimension, and that of an edge ij of the
    graph of neighbors is :math:`\rho_{ij} = -d \log \max(\|x_i - x_j\|, r_i, r_j)`. For cluster c,

    .. math:: v_c = \frac{1}{|\partial c|} \sum_{ij \in \partial c}
              \min\left(\tilde\rho_{c(i)}, \tilde\rho_{c(j)}\right) - \rho_{ij},

    where :math:`\tilde\rho` is the median in a cluster, and :math:`\partial c` are the edges
    between c and other clusters. A cut through one cluster has no valley: about 0 or less.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; they are scaled as by the default generator.
    labels : array-like of shape (n_samples,)
        The clusters; equal samples must be in one.

    Returns
    -------
    ndarray of shape (n_clusters,)
        The depth of the valley around each cluster, in log density.

    See Also
    --------
    select_n_clusters : Uses the mean and the smallest value for each number of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.selection import density_separation
    >>> X = np.r_[np.linspace(0, 1, 30), np.linspace(3, 4, 30)][:, None]
    >>> bool((density_separation(X, np.repeat([0, 1], 30)) > 1).all())
    True
    """
    rows = read_features(X, accept_sparse=False).points
    codes = read_labels(labels, "labels")
    landscape = Landscape.of(points_of(rows), _N_NEIGHBORS)
    return separation_of_clusters(landscape, codes[first_of_distinct(rows)], _N_NEIGHBORS)


def separation_of_clusters(landscape: Landscape, codes: Array, n_neighbors: int) -> Array:
    """The same for the points of a landscape."""
    count = min(n_neighbors, landscape.distances.shape[1])
    radius = np.maximum(landscape.distances[:, count - 1], np.finfo(float).tiny)
    density = -landscape.dimension * np.log(radius)
    n_clusters = int(codes.max()) + 1
    medians = _medians(density, codes)
    first, second, lengths = _edges(landscape, count)
    one, other = codes[first], codes[second]
    across = one != other
    first, second, one, other = first[across], second[across], one[across], other[across]
    reach = np.maximum(np.maximum(lengths[across], radius[first]), radius[second])
    depth = np.minimum(medians[one], medians[other]) + landscape.dimension * np.log(reach)
    sums = np.bincount(one, depth, n_clusters) + np.bincount(other, depth, n_clusters)
    number = np.bincount(one, minlength=n_clusters) + np.bincount(other, minlength=n_clusters)
    return np.asarray(sums / np.maximum(number, 1))


def _medians(values: Array, codes: Array) -> Array:
    """Median of the values of each cluster."""
    ordered = values[np.lexsort((values, codes))]
    sizes = np.bincount(codes)
    ends = np.cumsum(sizes)
    middle = ends - sizes + (sizes - 1) // 2
    return np.asarray((ordered[middle] + ordered[middle + (sizes % 2 == 0)]) / 2)


def _edges(landscape: Landscape, count: int) -> tuple[Array, Array, Array]:
    """Edges to the `count` nearest neighbors, and of the spanning tree."""
    if count == landscape.neighbors.shape[1]:
        return landscape.edges
    near = Landscape(
        landscape.points, landscape.neighbors[:, :count], landscape.distances[:, :count]
    )
    near.__dict__["tree"] = landscape.tree  # of all neighbors, and not computed again
    return near.edges
