"""Partition of a weighted graph by METIS: balanced parts with a small cut."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import IMBALANCE
from consensa._machine.c_output import c_output_on_stderr
from consensa._optional import require
from consensa._params import Declaration, Integer, Real, check_params
from consensa._random import random_source
from consensa.ensemble.appearance import number_by_appearance

__all__ = ["cut_by_metis"]

_LARGEST_TOTAL = 2**30  # of all weights, so that METIS's sums fit in 32 bits


def cut_by_metis(
    affinity: Any,
    n_clusters: int,
    *,
    sizes: Any = None,
    imbalance: float = IMBALANCE,
    n_init: int = 10,
    random_state: Any = None,
) -> Array:
    r"""Labels of the vertices of a graph, by multilevel recursive bisection.

    METIS looks for K parts of nearly equal weight with a small cut,

    .. math::
        \min_\ell \sum_{i < j} W_{ij} [\ell_i \neq \ell_j] \quad \text{s.t. }
        \sum_{i : \ell_i = k} s_i \le (1 + \epsilon) \frac{1}{K} \sum_i s_i,

    as far as possible: a vertex that is heavier than a part violates the constraint [1]_.

    Parameters
    ----------
    affinity : array or sparse array of shape (n, n)
        Weights W of the edges, symmetric and non-negative. The diagonal is ignored.
    n_clusters : int
        Number of parts K; at most the number of vertices.
    sizes : array-like of int of shape (n,) or None, default=None
        Weights s of the vertices; None is 1 for each.
    imbalance : float, default=0.05
        Maximum relative excess :math:`\epsilon` of a part over the mean weight.
    n_init : int, default=10
        Number of runs of METIS; the cut with the smallest weight is kept.
    random_state : int, RandomState instance or None, default=None
        Seed of METIS.

    Returns
    -------
    ndarray of shape (n,)
        Part of each vertex, numbered in order of first appearance.

    Raises
    ------
    MissingExtraError
        If METIS is not installed; it is part of the extra ``graph``.

    See Also
    --------
    cut_by_kahypar : Partition of a hypergraph.

    Notes
    -----
    METIS needs integer weights. Others are scaled by a power of 2 such that all of
    them sum to about :math:`2^{30}`, and rounded; no edge is lost.

    References
    ----------
    .. [1] G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning
       irregular graphs", SIAM J. Sci. Comput. 20(1), 1998. :doi:`10.1137/S1064827595287997`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import cut_by_metis
    >>> cut_by_metis(np.kron(np.eye(2), np.ones((3, 3))), 2, random_state=0)
    array([0, 0, 0, 1, 1, 1])
    """
    declared: Declaration = {
        "n_clusters": (Integer(1),),
        "imbalance": (Real(above=0),),
        "n_init": (Integer(1),),
    }
    given = {"n_clusters": n_clusters, "imbalance": imbalance, "n_init": n_init}
    check_params("cut_by_metis", declared, given)
    pymetis = require("pymetis", extra="graph", purpose="Graph partitioning")
    edges = _whole_weights(affinity)
    n = edges.shape[0]
    if n_clusters >= n:
        return np.arange(n)
    options = pymetis.Options(
        seed=int(random_source(random_state).randint(2**31 - 1)),
        ncuts=int(n_init),
        ufactor=max(1, round(1000 * imbalance)),
    )
    with c_output_on_stderr():  # it prints if it leaves parts empty
        _, parts = pymetis.part_graph(
            int(n_clusters),
            pymetis.CSRAdjacency(edges.indptr.astype(np.int64), edges.indices.astype(np.int64)),
            vweights=None if sizes is None else np.asarray(sizes, np.int64),
            eweights=edges.data,
            recursive=True,  # the other scheme leaves parts empty when there are few vertices
            options=options,
        )
    return number_by_appearance(np.asarray(parts)).astype(np.int64)


def _whole_weights(affinity: Any) -> sparse.csr_array:
    """Edges without loops, with weights that are whole numbers."""
    graph = sparse.coo_array(affinity)
    row, column = graph.coords
    edge = (row != column) & (graph.data > 0)
    row, column, weights = row[edge], column[edge], graph.data[edge]
    total = float(weights.sum())
    if weights.dtype.kind == "f" or total > _LARGEST_TOTAL:
        # A power of 2: the last bit of the total, which depends on the order of the rows,
        # must not change any weight.
        scale = 2.0 ** math.floor(math.log2(_LARGEST_TOTAL / total)) if total > 0 else 1.0
        weights = np.maximum(np.rint(weights * scale), 1)
    return sparse.csr_array((weights.astype(np.int64), (row, column)), shape=graph.shape)
