"""Trajectories of random walks: two nodes are similar if their random walks are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._params import Integer, check_params

__all__ = ["trajectory_similarity"]

_SPARSE_BELOW = 0.05  # share of links up to which sparse products beat dense ones
_BLOCK = 128  # rows of a sparse product at a time: they stay in the cache


def trajectory_similarity(affinity: Any, *, walk_length: int = 20, sizes: Any = None) -> Array:
    r"""Cosine of the trajectories of random walks that start at two nodes.

    A walk at node :math:`i` goes to node :math:`j \neq i` with probability

    .. math:: P_{ij} = \frac{s_j W_{ij}}{\sum_{k \neq i} s_k W_{ik}},

    so that larger nodes attract more walks. The trajectory of node :math:`i` is the distribution
    of its walk after 1, …, T steps, the rows :math:`i` of :math:`P, P^2, \dots, P^T`, and

    .. math::
        Z_{ij} = \frac{G_{ij}}{\sqrt{G_{ii} G_{jj}}}, \quad
        G = \sum_{t=1}^{T} P^t (P^t)^\top

    is the cosine between two trajectories. A node without links is similar to itself only.

    Parameters
    ----------
    affinity : array or sparse array of shape (n_nodes, n_nodes)
        Non-negative weights of the links. The diagonal is ignored.
    walk_length : int, default=20
        Number of steps T.
    sizes : array-like of shape (n_nodes,) or None, default=None
        Size of each node; None is 1 for each.

    Returns
    -------
    ndarray of shape (n_nodes, n_nodes)
        Symmetric, in [0, 1], with a diagonal of ones.

    See Also
    --------
    probability_trajectories : The same on the microclusters of an ensemble.
    cluster_jaccard : Affinity of its clusters.

    Notes
    -----
    :math:`O(T \ell c)` for c nodes with few links :math:`\ell`, by
    :math:`G_{t+1} = P (I + G_t) P^\top`; else :math:`O(c^3 \log T)`, by
    :math:`G_{2t} = G_t + P^t G_t (P^t)^\top`. Memory for three c × c arrays, or five.

    Examples
    --------
    Walks from the ends of a chain of three take the same way.

    >>> from consensa.similarity import trajectory_similarity
    >>> trajectory_similarity([[0, 1, 0], [1, 0, 1], [0, 1, 0]], walk_length=2).round(3)
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    check_params(
        "trajectory_similarity", {"walk_length": (Integer(1),)}, {"walk_length": walk_length}
    )
    links = _read_links(affinity, sizes)
    total = np.asarray(links.sum(axis=1))
    isolated = total == 0
    total[isolated] = 1
    walk = _walk_sparse if sparse.issparse(links) else _walk_dense
    return _cosines(walk(links, total, int(walk_length)), isolated)


def _read_links(affinity: Any, sizes: Any) -> Any:
    """Weights times sizes with an empty diagonal: a sparse copy if there are few, else dense."""
    given: Any = affinity if sparse.issparse(affinity) else np.asarray(affinity)
    n = given.shape[0]
    n_links = given.nnz if sparse.issparse(given) else np.count_nonzero(given)
    weight = np.ones(n) if sizes is None else np.asarray(sizes, dtype=np.float64)
    if n_links >= _SPARSE_BELOW * n**2:
        links = (given.toarray() if sparse.issparse(given) else given) * weight
        np.fill_diagonal(links, 0)
        return links
    coo = sparse.coo_array(given, dtype=np.float64)
    row, column = coo.coords
    data = np.where(row == column, 0, coo.data * weight[column])
    return sparse.csr_array((data, (row, column)), shape=(n, n))


def _walk_sparse(links: sparse.csr_array, total: Array, walk_length: int) -> Array:
    """G by T extensions by one step: G ← P (I + G) P'."""
    n = links.shape[0]
    steps = sparse.csr_array(sparse.diags_array(1 / total) @ links)
    meetings = np.zeros((n, n))
    extended = np.empty((n, n))
    for _ in range(walk_length):
        np.einsum("ii->i", meetings)[...] += 1
        for start in range(0, n, _BLOCK):
            rows = slice(start, min(start + _BLOCK, n))
            one_side = steps[rows] @ meetings  # (block, n)
            extended[rows] = (steps @ np.ascontiguousarray(one_side.T)).T
        meetings, extended = extended, meetings
    return meetings


def _walk_dense(links: Array, total: Array, walk_length: int) -> Array:
    """G by doubling the walk, and one step more where T in binary has a 1."""
    links /= total[:, None]
    one = power = links  # P, and P^t
    meetings = one @ one.T
    digits = f"{walk_length:b}"[1:]
    for place, digit in enumerate(digits, start=1):
        half = power @ meetings
        meetings += half @ power.T
        if digit == "1":
            np.einsum("ii->i", meetings)[...] += 1
            half = one @ meetings
            meetings = half @ one.T
        if place < len(digits):
            power = power @ power
            power = power @ one if digit == "1" else power
    return meetings


def _cosines(meetings: Array, isolated: Array) -> Array:
    """Divide by the lengths of the trajectories; symmetric to the last bit."""
    length = np.sqrt(np.einsum("ii->i", meetings))
    length[isolated] = 1
    meetings /= length[:, None]
    meetings /= length[None, :]
    cosines = meetings + meetings.T  # the products leave the two triangles a rounding apart
    cosines /= 2
    np.minimum(cosines, 1, out=cosines)
    np.fill_diagonal(cosines, 1)
    return cosines
