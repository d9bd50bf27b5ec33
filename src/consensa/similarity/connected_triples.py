"""Links between clusters through the clusters that overlap with both."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consensa._array import Array

__all__ = ["connected_triples"]


def connected_triples(weights: sparse.csr_array, centers: Array | None = None) -> Array:
    r"""Sum, over the clusters k, of the smaller of the weights to k.

    .. math:: T_{ij} = \sum_k u_k \min(W_{ik}, W_{jk}).

    `weights` is symmetric and sparse, of shape (c, c); `centers` are the :math:`u_k`, default 1.
    The pairs of neighbors of each k are visited, so that k without many neighbors cost little.
    """
    n_clusters = weights.shape[0]
    total = np.zeros((n_clusters, n_clusters))
    for k in range(n_clusters):
        entries = slice(weights.indptr[k], weights.indptr[k + 1])
        near, values = weights.indices[entries], weights.data[entries]
        smaller = np.minimum.outer(values, values)
        total[np.ix_(near, near)] += smaller if centers is None else centers[k] * smaller
    return total
