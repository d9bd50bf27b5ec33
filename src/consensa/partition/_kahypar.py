"""Partition of a hypergraph by Mt-KaHyPar: balanced parts, few hyperedges cut."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import IMBALANCE
from consensa._machine.c_output import c_output_on_stderr
from consensa._optional import require
from consensa._params import Declaration, Integer, OneOf, Real, check_params
from consensa._random import random_source
from consensa.ensemble.appearance import number_by_appearance

__all__ = ["HYPERGRAPH_OBJECTIVES", "cut_by_kahypar"]

HYPERGRAPH_OBJECTIVES = ("cut", "connectivity")
_NAMES = {"cut": "CUT", "connectivity": "KM1"}  # in Mt-KaHyPar


def cut_by_kahypar(
    membership: Any,
    n_clusters: int,
    *,
    sizes: Any = None,
    objective: str = "cut",
    imbalance: float = IMBALANCE,
    random_state: Any = None,
) -> Array:
    r"""Labels of the vertices of a hypergraph, by multilevel partitioning.

    A hyperedge :math:`e` is a set of vertices; :math:`\lambda_e` is the number of parts that
    it meets. Mt-KaHyPar looks for K parts of nearly equal weight with the least

    .. math:: \sum_e [\lambda_e > 1] \quad \text{(cut)} \qquad \text{or} \qquad
              \sum_e (\lambda_e - 1) \quad \text{(connectivity)},

    in its deterministic mode, so that the result depends on the seed only [1]_.

    Parameters
    ----------
    membership : array or sparse array of shape (n_vertices, n_hyperedges)
        Positive where a vertex belongs to a hyperedge.
    n_clusters : int
        Number of parts K; at most the number of vertices.
    sizes : array-like of int of shape (n_vertices,) or None, default=None
        Weights of the vertices; None is 1 for each.
    objective : {"cut", "connectivity"}, default="cut"
        Whether a hyperedge that is cut counts once, or once for each part beyond the first.
    imbalance : float, default=0.05
        Maximum relative excess of a part over the mean weight.
    random_state : int, RandomState instance or None, default=None
        Seed of Mt-KaHyPar.

    Returns
    -------
    ndarray of shape (n_vertices,)
        Part of each vertex, numbered in order of first appearance.

    Raises
    ------
    MissingExtraError
        If Mt-KaHyPar is not installed; it is part of the extra ``graph``.

    See Also
    --------
    cut_by_metis : Partition of a graph.

    References
    ----------
    .. [1] L. Gottesbüren, T. Heuer, N. Maas, P. Sanders and S. Schlag, "Scalable high-quality
       hypergraph partitioning", ACM Trans. Algorithms 20(1), 2024. :doi:`10.1145/3626527`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import cut_by_kahypar
    >>> cut_by_kahypar(np.kron(np.eye(2), np.ones((3, 2))), 2, random_state=0)
    array([0, 0, 0, 1, 1, 1])
    """
    declared: Declaration = {
        "n_clusters": (Integer(1),),
        "objective": (OneOf(HYPERGRAPH_OBJECTIVES),),
        "imbalance": (Real(above=0),),
    }
    given = {"n_clusters": n_clusters, "objective": objective, "imbalance": imbalance}
    check_params("cut_by_kahypar", declared, given)
    mtkahypar = require("mtkahypar", extra="graph", purpose="Hypergraph partitioning")
    n = membership.shape[0]
    if n_clusters == 1 or n_clusters >= n:
        return np.zeros(n, np.int64) if n_clusters == 1 else np.arange(n)
    edges = _hyperedges(membership)
    mtkahypar.set_seed(int(random_source(random_state).randint(2**31 - 1)))
    partitioner = _partitioner(mtkahypar)
    context = partitioner.context_from_preset(mtkahypar.PresetType.DETERMINISTIC_QUALITY)
    context.logging = False
    context.set_partitioning_parameters(
        int(n_clusters), float(imbalance), getattr(mtkahypar.Objective, _NAMES[objective])
    )
    weights = [1] * n if sizes is None else np.asarray(sizes).tolist()
    with c_output_on_stderr():
        hypergraph = partitioner.create_hypergraph(
            context, n, len(edges), edges, weights, [1] * len(edges)
        )
        parts = hypergraph.partition(context).get_partition()
    return number_by_appearance(np.asarray(parts)).astype(np.int64)


def _hyperedges(membership: Any) -> list[list[int]]:
    """Vertices of each hyperedge that could be cut: those of two vertices and more."""
    columns = sparse.csc_array(membership > 0)
    members = np.split(columns.indices, columns.indptr[1:-1])
    return [np.sort(edge).tolist() for edge in members if len(edge) > 1]


@functools.cache
def _partitioner(mtkahypar: Any) -> Any:
    """The library, initialized once, with one thread; the number does not change the result."""
    return mtkahypar.initialize(1, print_warnings=False)
