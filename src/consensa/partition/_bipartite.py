"""Partition of a bipartite graph: samples on one side, clusters on the other.

The eigenvectors are computed on the smaller side, so no n × n array is needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from consensa._array import Array, to_numpy
from consensa._defaults import KMEANS_STARTS
from consensa._random import random_source
from consensa.partition._eigenvectors import leading_eigenvectors
from consensa.partition.components import components_of_columns
from consensa.partition.kmeans import kmeans_labels

__all__ = ["bipartite_embedding", "cut_bipartite", "joint_bipartite_embedding"]

_SQUARE_BELOW = 2000  # up to this many columns, columns × columns is smaller than the samples
_RANK_TOLERANCE = 1e-7  # singular values below it, relative to the first (1), count as 0
_ROW_OFFSET = 1e-10  # the authors' guard of a row of zeros


def bipartite_embedding(weights: Any, n_clusters: int, *, random_state: Any = None) -> Array:
    r"""Embedding of the rows of a bipartite graph by its transfer cut.

    With :math:`G` the weights, :math:`D_x` their row sums and :math:`D_y` their column sums,
    the eigenvectors :math:`V` of the K largest eigenvalues of

    .. math:: D_y^{-1/2} G^T D_x^{-1} G D_y^{-1/2}

    on the side of the columns are transferred to the rows,

    .. math:: Y = D_x^{-1} G D_y^{-1/2} V,

    and each row of :math:`Y` is scaled to unit length [1]_.

    Parameters
    ----------
    weights : array or sparse matrix of shape (n_rows, n_columns)
        Non-negative weights of the edges. The rows are clustered.
    n_clusters : int
        Number of eigenvectors K.
    random_state : int, RandomState instance or None, default=None
        Seed of the Lanczos iteration, used when there are many columns.

    Returns
    -------
    ndarray of shape (n_rows, min(n_clusters, n_columns))
        Embedding; the largest eigenvalue first. Zeros for a row without edges.

    See Also
    --------
    cut_bipartite : The labels.
    joint_bipartite_embedding : Rows and columns in one space.

    Notes
    -----
    Time :math:`O(e \bar{d} + c^3)` for :math:`e` edges, :math:`\bar{d}` a row, and :math:`c`
    columns; above 2,000 columns a Lanczos iteration of :math:`O(e)` a step.

    References
    ----------
    .. [1] Z. Li, X.-M. Wu and S.-F. Chang, "Segmentation using superpixels: a bipartite graph
       partitioning approach", CVPR 2012. :doi:`10.1109/CVPR.2012.6247750`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import bipartite_embedding
    >>> rows = bipartite_embedding(np.array([[1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]]), 2)
    >>> np.abs(np.round(rows @ rows.T, 3))
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    graph = _read_graph(weights)
    vectors = _column_vectors(graph, n_clusters, random_state)
    transferred = graph.edges @ (vectors * graph.column_scale[:, None])
    return _unit_rows(transferred * graph.row_scale[:, None] ** 2)


def joint_bipartite_embedding(
    weights: Any, n_clusters: int, *, random_state: Any = None
) -> tuple[Array, Array]:
    r"""Rows and columns of a bipartite graph in one space.

    The left and right singular vectors of the K largest singular values of
    :math:`D_x^{-1/2} G D_y^{-1/2}`, with each row scaled to unit length. They are the halves of
    the leading eigenvectors of the normalized graph of all vertices.

    Parameters
    ----------
    weights : array or sparse matrix of shape (n_rows, n_columns)
        Non-negative weights of the edges.
    n_clusters : int
        Number of singular vectors K.
    random_state : int, RandomState instance or None, default=None
        Seed of the Lanczos iteration, used when there are many columns.

    Returns
    -------
    rows : ndarray of shape (n_rows, min(n_clusters, n_columns))
        Points of the rows; the largest singular value first, zeros for a singular value 0.
    columns : ndarray of shape (n_columns, min(n_clusters, n_columns))
        Points of the columns.

    See Also
    --------
    bipartite_embedding : The rows alone, by the transfer cut.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import joint_bipartite_embedding
    >>> rows, columns = joint_bipartite_embedding(np.array([[1, 0], [1, 0], [0, 1]]), 2)
    >>> np.abs(np.round(rows @ columns.T, 3))
    array([[1., 0.],
           [1., 0.],
           [0., 1.]])
    """
    graph = _read_graph(weights)
    right = _column_vectors(graph, n_clusters, random_state)
    left = graph.edges @ (right * graph.column_scale[:, None])
    left *= graph.row_scale[:, None]
    values = np.linalg.norm(left, axis=0)  # the singular values, as the columns of V have norm 1
    present = values > _RANK_TOLERANCE
    left = np.divide(left, values, out=np.zeros_like(left), where=present)
    return _unit_rows(left), _unit_rows(right * present)


def cut_bipartite(
    weights: Any, n_clusters: int, *, n_init: int = KMEANS_STARTS, random_state: Any = None
) -> Array:
    """Labels of the rows of a bipartite graph, by k-means on their embedding.

    Parameters
    ----------
    weights : array or sparse matrix of shape (n_rows, n_columns)
        Non-negative weights of the edges. The rows are clustered.
    n_clusters : int
        Number of clusters.
    n_init : int, default=20
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means and of the Lanczos iteration.

    Returns
    -------
    ndarray of shape (n_rows,)
        Cluster of each row, numbered in order of first appearance.

    See Also
    --------
    bipartite_embedding : The points that are clustered; formula and reference.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import cut_bipartite
    >>> cut_bipartite(np.array([[1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]]), 2, random_state=0)
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    embedding = bipartite_embedding(weights, n_clusters, random_state=rng)
    return kmeans_labels(embedding, n_clusters, n_init=n_init, random_state=rng)


class _Graph(NamedTuple):
    edges: Any  # G: (rows, columns), sparse or dense
    row_scale: Array  # Dx^-1/2, 0 for a row without edges
    column_scale: Array  # Dy^-1/2, 0 for a column without edges


def _read_graph(weights: Any) -> _Graph:
    if sparse.issparse(weights):
        edges: Any = sparse.csr_array(weights, dtype=np.float64)
    else:
        edges = to_numpy(weights).astype(np.float64, copy=False)
    return _Graph(edges, _inverse_root(edges.sum(axis=1)), _inverse_root(edges.sum(axis=0)))


def _inverse_root(degree: Array) -> Array:
    return _inverse(np.sqrt(degree))


def _inverse(values: Array) -> Array:
    return np.divide(1, values, out=np.zeros(len(values)), where=values > 0)


def _column_vectors(graph: _Graph, n_vectors: int, random_state: Any) -> Array:
    """Leading eigenvectors on the side of the columns: (columns, min(n_vectors, columns))."""
    # One factor holds everything: the matrix of the columns is Aᵀ A.
    rows, columns = map(sparse.diags_array, (graph.row_scale, graph.column_scale))
    factor = rows @ graph.edges @ columns
    n_columns = factor.shape[1]
    options: dict[str, Any] = {}
    if n_columns <= _SQUARE_BELOW or 2 * n_vectors + 1 >= n_columns:
        square = factor.T @ factor
        matrix = square.toarray() if sparse.issparse(square) else square
    else:
        matrix = LinearOperator(
            (n_columns, n_columns), matvec=lambda v: factor.T @ (factor @ v), dtype=np.float64
        )
        options["component"] = components_of_columns(factor)
        options["formed"] = lambda: sparse.csr_array(factor.T @ factor)
    root = _inverse(graph.column_scale)
    return leading_eigenvectors(matrix, n_vectors, root=root, random_state=random_state, **options)


def _unit_rows(points: Array) -> Array:
    return points / (np.linalg.norm(points, axis=1, keepdims=True) + _ROW_OFFSET)
