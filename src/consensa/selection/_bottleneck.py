"""How much sparser the densest way between two parts of the data is than the parts."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.generation.landscape import Landscape
from consensa.selection._tree_separation import core_distances, reachability_tree

__all__ = ["bottleneck"]

_LEAST_SHARE = 0.08  # of the points, on either side


def bottleneck(landscape: Landscape) -> float:
    r"""The narrowest place of the spanning tree, in logarithms of distances.

    With :math:`r_i` the distance to the fifth nearest neighbor, the edges of the minimum spanning
    tree have the lengths :math:`\max(\|x_i - x_j\|, r_i, r_j)`. They join the points, the shortest
    first, as by single linkage. Where an edge of length b joins A and B, and each has 8 % of the
    points, the way between them is

    .. math:: \log b - \max\left(\tilde{\log r}_A, \tilde{\log r}_B\right)

    sparser than the sparser of the two, with :math:`\tilde{}` the median. The largest value
    counts. Two curved clusters that lie side by side have a large one, though no line separates
    them.
    """
    tree, n = reachability_tree(landscape), landscape.n_points
    spacing = np.log(np.maximum(core_distances(landscape), np.finfo(float).tiny))
    group, members = list(range(n)), [[i] for i in range(n)]
    narrowest = 0.0
    for edge in np.argsort(tree.data, kind="stable"):
        one, other = (group[end[edge]] for end in tree.coords)
        if len(members[one]) < len(members[other]):
            one, other = other, one
        if len(members[other]) >= _LEAST_SHARE * n:
            inside = max(_median(spacing, members[one]), _median(spacing, members[other]))
            narrowest = max(narrowest, float(np.log(tree.data[edge])) - inside)
        for point in members[other]:
            group[point] = one
        members[one] += members[other]
    return narrowest


def _median(values: Array, chosen: list[int]) -> float:
    return float(np.median(values[chosen]))
