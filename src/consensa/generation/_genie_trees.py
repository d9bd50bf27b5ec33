"""Base partitions by hierarchical clustering with a bound on the inequality of sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from joblib import delayed

from consensa._array import Array
from consensa._params import Declaration, ListOf, Real
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._genie_kernels import genie_merges, labels_after
from consensa.generation._neighborhood import Neighborhood
from consensa.generation._spanning_tree import SpanningTree
from consensa.generation.neighborhood_generator import NeighborhoodGenerator

__all__ = ["GenieTrees"]


class GenieTrees(NeighborhoodGenerator):
    r"""Partitions by single linkage with a bound on the Gini index of the sizes (Genie).

    The edges of the minimum spanning tree merge clusters, the shortest first. But if the Gini
    index of the sizes :math:`s_1, \dots, s_c` of the clusters,

    .. math:: G = \frac{\sum_{a < b} |s_a - s_b|}{(c - 1) \sum_a s_a},

    is above a threshold, the next merge is the shortest one of a cluster of the smallest size
    [1]_. Like single linkage, this finds clusters of any shape, but outliers are merged early.
    Each threshold gives partitions into k to 2 k clusters, in equal proportions, for k clusters
    of the consensus.

    Parameters
    ----------
    %(n_partitions)s
    thresholds : sequence of float in [0, 1], default=(0.1, 0.3, 0.5, 0.7)
        Bounds on the Gini index, used in turn. 1 is single linkage.
    %(neighborhood)s

    See Also
    --------
    DiverseKinds : The default generator, of which these partitions are a part.

    Notes
    -----
    The tree is that of the 30 nearest neighbors of each sample, whose components are joined by
    the shortest edges between them. Equal samples are never separated. The result is order-free.

    References
    ----------
    .. [1] M. Gagolewski, M. Bartoszuk and A. Cena, "Genie: A new, fast, and outlier-resistant
       hierarchical clustering algorithm", Information Sciences 363, 2016.
       :doi:`10.1016/j.ins.2016.05.003`

    Examples
    --------
    Single linkage separates only the outlier; Genie, the two groups.

    >>> import numpy as np
    >>> from consensa import GenieTrees
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [99.0]])
    >>> GenieTrees(2, n_clusters=2, thresholds=(1.0, 0.2)).generate(X).labels.T
    array([[0, 0, 0, 0, 0, 0, 1],
           [0, 0, 0, 1, 1, 1, 1]], dtype=int32)
    """

    thresholds: Sequence[float] = (0.1, 0.3, 0.5, 0.7)
    _declared: ClassVar[Declaration] = {
        **NeighborhoodGenerator._declared,
        "thresholds": (ListOf((Real(least=0, most=1),)),),
    }

    def _batches(
        self, found: Neighborhood, counts: ClusterCounts, rng: np.random.RandomState
    ) -> Iterator[Any]:
        step = len(self.thresholds)
        for start, threshold in enumerate(self.thresholds[: self.n_partitions]):
            numbers = counts.spread(len(range(start, self.n_partitions, step)), rng)
            yield delayed(cut_tree)(found.tree, found.sizes, float(threshold), numbers)


def cut_tree(
    tree: SpanningTree, sizes: Array, threshold: float, numbers: Sequence[int]
) -> list[Array]:
    """Partitions into several numbers of clusters, by merges of a spanning tree."""
    n_points = len(sizes)
    if n_points == 1:
        return [np.zeros(1, np.int64) for _ in numbers]
    order = genie_merges(tree.first, tree.second, sizes.astype(np.int64), threshold)
    return [
        labels_after(tree.first, tree.second, order, n_points - min(k, n_points)) for k in numbers
    ]
