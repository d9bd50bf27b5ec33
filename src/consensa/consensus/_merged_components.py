"""Components of a graph, merged where there are more of them than clusters were asked for."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.partition import linkage_tree

__all__ = ["merged_components"]


def merged_components(
    component: Array, rows: sparse.csr_array, sizes: Array, n_clusters: int
) -> Array:
    """Components merged by average linkage on the mean co-association of their samples.

    `rows` are the memberships of distinct rows in the base clusters, `sizes` their samples.
    """
    inside = sparse.csr_array((sizes.astype(np.float64), (component, np.arange(len(sizes)))))
    shared = (inside @ rows).toarray()
    samples = np.bincount(component, sizes)
    labels = np.asarray(inside @ rows.sum(axis=1)) / samples
    together = shared @ shared.T / np.outer(samples * labels, samples * labels)
    return linkage_tree(together).cut(n_clusters)[component]
