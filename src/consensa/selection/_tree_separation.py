"""Edges of a spanning tree inside the clusters and between them (DBCV)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from consensa._array import Array
from consensa.ensemble.labels import read_labels
from consensa.features import read_features
from consensa.generation.landscape import Landscape, first_of_distinct, points_of

__all__ = ["core_distances", "reachability_tree", "tree_separation", "validity_of_clusters"]

_N_NEIGHBORS = 10
_CORE = 5


def tree_separation(X: Any, labels: Any) -> Array:
    r"""Whether the edges to other clusters are longer than those inside each cluster.

    With :math:`r_i` the distance to the fifth nearest neighbor, the edges of the minimum spanning
    tree have the lengths :math:`\max(\|x_i - x_j\|, r_i, r_j)`. For cluster c, with
    :math:`b_c` its shortest edge to another cluster and :math:`a_c` its longest edge inside,

    .. math:: v_c = \frac{b_c - a_c}{\max(b_c, a_c)},

    as in the density-based cluster validity DBCV [1]_, but from one tree of all samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; they are scaled as by the default generator.
    labels : array-like of shape (n_samples,)
        The clusters; equal samples must be in one.

    Returns
    -------
    ndarray of shape (n_clusters,)
        In [−1, 1]; larger is better.

    See Also
    --------
    density_separation : The density at all edges between clusters.

    References
    ----------
    .. [1] D. Moulavi et al., "Density-based clustering validation", SDM 2014.
       :doi:`10.1137/1.9781611973440.96`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.selection import tree_separation
    >>> X = np.r_[np.linspace(0, 1, 30), np.linspace(3, 4, 30)][:, None]
    >>> bool((tree_separation(X, np.repeat([0, 1], 30)) > 0.9).all())
    True
    """
    rows = read_features(X, accept_sparse=False).points
    codes = read_labels(labels, "labels")
    points, first = points_of(rows), first_of_distinct(rows)
    tree = reachability_tree(Landscape.of(points, _N_NEIGHBORS))
    return validity_of_clusters(tree, codes[first])


def core_distances(landscape: Landscape) -> Array:
    """Distance of each point to its fifth nearest neighbor."""
    return np.asarray(landscape.distances[:, min(_CORE, landscape.distances.shape[1]) - 1])


def reachability_tree(landscape: Landscape) -> sparse.coo_array:
    """Minimum spanning tree of the mutual reachability of the points."""
    core = core_distances(landscape)
    first, second, lengths = landscape.edges
    reach = np.maximum(np.maximum(lengths, core[first]), core[second])
    reach = np.maximum(reach, np.finfo(float).tiny)
    n = landscape.n_points
    low, high = np.minimum(first, second), np.maximum(first, second)
    _, kept = np.unique(low * n + high, return_index=True)  # an edge may be given twice
    graph = landscape.graph_of(reach[kept], low[kept], high[kept])
    return sparse.coo_array(minimum_spanning_tree(graph))


def validity_of_clusters(tree: sparse.coo_array, codes: Array) -> Array:
    """The same for the points of a landscape."""
    n_clusters = int(codes.max()) + 1
    one, other = codes[tree.coords[0]], codes[tree.coords[1]]
    inside = one == other
    longest = np.zeros(n_clusters)
    np.maximum.at(longest, one[inside], tree.data[inside])
    shortest = np.full(n_clusters, np.inf)
    for ends in (one, other):
        np.minimum.at(shortest, ends[~inside], tree.data[~inside])
    shortest[~np.isfinite(shortest)] = 0  # one cluster
    most = np.maximum(np.maximum(shortest, longest), np.finfo(float).tiny)
    return np.asarray((shortest - longest) / most)
