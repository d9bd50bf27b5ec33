"""Transfer cut of the graph of samples and clusters from the overlaps of the clusters alone.

The same points as `bipartite_embedding` and `joint_bipartite_embedding` of the membership matrix,
which is never formed: the eigenvectors are those of a matrix of the clusters, and the point of a
sample is a sum over its clusters, computed when it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from consensa._array import Array
from consensa._machine.memory import require_square
from consensa.ensemble import Ensemble
from consensa.ensemble.overlap_sum import balance
from consensa.ensemble.rows import add_rows_of_table, membership, nearest_centers
from consensa.partition._eigenvectors import leading_eigenvectors
from consensa.partition.components import components_of_columns

__all__ = [
    "DENSE_UP_TO",
    "MembershipEmbedding",
    "NearestEmbedded",
    "linked_embedding",
    "membership_embedding",
]

DENSE_UP_TO = 2000  # clusters
_RANK_TOLERANCE = 1e-7  # singular values below it, relative to the first (1), count as 0


class MembershipEmbedding(NamedTuple):
    """Embedding of samples and clusters.

    Attributes
    ----------
    table : ndarray of shape (n_clusters, n_dimensions)
        The point of a sample is the sum of the rows of its clusters, scaled to unit length.
    clusters : ndarray of shape (n_clusters, n_dimensions)
        Points of the clusters in the same space, if it is that of both.
    """

    table: Array
    clusters: Array

    def points(self, ids: Array) -> Array:
        """Points of samples from their cluster ids, of shape (samples, partitions)."""
        return _unit_rows(add_rows_of_table(ids, self.table))


@dataclass(frozen=True)
class NearestEmbedded:
    """Assigns samples to the nearest of some centers; each from its own row alone."""

    embedding: MembershipEmbedding
    centers: Array

    def __call__(self, ids: Array) -> Array:
        """Number of the nearest center of each sample."""
        return nearest_centers(self.embedding.points(ids), self.centers)


def membership_embedding(
    ensemble: Ensemble,
    n_dimensions: int,
    rng: np.random.RandomState,
    *,
    cluster_weights: Array | None = None,
    joint: bool = False,
) -> MembershipEmbedding:
    r"""Embed samples and clusters by the cut of their bipartite graph.

    Sample i is connected to each cluster C that contains it, with weight :math:`w_C` (default 1).
    With :math:`N_{CD} = \sum_{i \in C \cap D} 1/d_i` and :math:`d_i = \sum_{C \ni i} w_C`, the
    matrix of the clusters is :math:`S N S` for :math:`S = \mathrm{diag}(\sqrt{w_C / |C|})`, and
    row C of the table is :math:`S_C V_C` for its leading eigenvectors V. If `joint`, samples are
    divided by the singular values, which brings them into the space of the clusters.
    """
    n_clusters = ensemble.n_clusters
    weights = np.ones(n_clusters) if cluster_weights is None else cluster_weights
    scale = np.sqrt(weights / ensemble.cluster_sizes)
    dense = n_clusters <= DENSE_UP_TO or 2 * n_dimensions + 1 >= n_clusters
    if ensemble.stores_overlap or dense:
        even = cluster_weights is None and not ensemble.has_missing
        matrix = _matrix(ensemble, weights, scale, even=even, dense=dense)
        options: dict[str, Any] = {}
    else:
        matrix, options = _product(ensemble, weights, scale)
    root = np.sqrt(weights * ensemble.cluster_sizes)
    vectors = leading_eigenvectors(matrix, n_dimensions, root=root, random_state=rng, **options)
    if not joint:
        return MembershipEmbedding(scale[:, None] * vectors, _unit_rows(vectors))
    squares = np.einsum("ck,ck->k", vectors, matrix @ vectors)
    values = np.sqrt(np.maximum(squares, 0))
    present = values > _RANK_TOLERANCE
    inverse = np.divide(1, values, out=np.zeros_like(values), where=present)
    return MembershipEmbedding(scale[:, None] * vectors * inverse, _unit_rows(vectors * present))


def linked_embedding(
    ensemble: Ensemble,
    cluster_weights: Array,
    links: Array,
    n_dimensions: int,
    rng: np.random.RandomState,
) -> MembershipEmbedding:
    r"""Embed samples by the transfer cut of a graph in which clusters are linked to clusters too.

    Samples and clusters are on one side, clusters on the other; `links` are the weights between
    clusters, of shape (c, c). The rows of the samples are those of
    :math:`D_x^{-1} G D_y^{-1/2} V`, as in `bipartite_embedding`.
    """
    weigh = sparse.diags_array(cluster_weights)
    square = (weigh @ ensemble.rows.balanced_overlap(cluster_weights) @ weigh).toarray()
    square += links.T @ (links / links.sum(axis=1, keepdims=True))
    scale = 1 / np.sqrt(square.sum(axis=1))
    square *= scale[:, None]
    square *= scale[None, :]
    vectors = leading_eigenvectors(
        (square + square.T) / 2, n_dimensions, root=1 / scale, random_state=rng
    )
    vectors *= scale[:, None]
    return MembershipEmbedding(cluster_weights[:, None] * vectors, _unit_rows(vectors))


def _matrix(ensemble: Ensemble, weights: Array, scale: Array, *, even: bool, dense: bool) -> Any:
    """S N S from the overlaps of the clusters."""
    if dense:
        step, n_clusters = "The graph of samples and clusters", ensemble.n_clusters
        require_square(n_clusters, np.float64, arrays=4, step=step, of="clusters")
    shared: Any = (
        ensemble.overlap / ensemble.n_partitions
        if even
        else ensemble.rows.balanced_overlap(weights)
    )
    matrix = sparse.diags_array(scale) @ shared @ sparse.diags_array(scale)
    return matrix.toarray() if dense else matrix


def _product(
    ensemble: Ensemble, weights: Array, scale: Array
) -> tuple[LinearOperator, dict[str, Any]]:
    """S N S as a product of the sparse memberships, for overlaps that are not stored.

    And what `leading_eigenvectors` needs to know of an operator.
    """
    ids = ensemble.cluster_ids
    ids = ids[np.lexsort(ids.T[::-1])]  # no sum depends on the order of the samples
    weigh, unit = balance(weights, len(ids))
    factor = membership(ids, len(weights)) @ sparse.diags_array(scale)
    balanced = weigh(ids) * unit

    def multiply(vector: Array) -> Array:
        return factor.T @ (balanced * (factor @ vector.ravel()))

    product = LinearOperator((len(weights),) * 2, matvec=multiply, dtype=np.float64)

    def formed() -> sparse.csr_array:
        return sparse.csr_array(factor.T @ sparse.diags_array(balanced) @ factor)

    return product, {"component": components_of_columns(factor), "formed": formed}


def _unit_rows(points: Array) -> Array:
    norm = np.sqrt(np.square(points).sum(axis=1, keepdims=True))
    return np.divide(points, norm, out=np.zeros_like(points), where=norm > 0)
