"""Similarities of samples by the links of their clusters: CTS, SRS and ASRS."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array, to_library
from consensa._machine.memory import require_square
from consensa._params import Integer, OneOf, Real, check_params
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import cluster_slices, membership
from consensa.similarity._enhanced_coassociation import enhanced_coassociation
from consensa.similarity.connected_triples import connected_triples
from consensa.similarity.jaccard import sparse_cluster_jaccard

__all__ = ["LINK_SIMILARITIES", "link_similarity"]


def link_similarity(
    ensemble: Ensemble, *, kind: str = "cts", decay: float = 0.8, n_iter: int = 5
) -> Any:
    r"""Similarity of samples that also counts clusters which are linked by others.

    With the Jaccard coefficients :math:`J` of different base clusters, two clusters are similar

    - for ``"cts"``, connected triples, by :math:`T_{CD} = \sum_k \min(J_{Ck}, J_{Dk})`, over the
      largest of these sums of two clusters of the same partition: one number for all partitions;
    - for ``"asrs"``, approximate SimRank, by :math:`\sum_k J_{Ck} J_{Dk} / (q_C q_D)`, over the
      largest of these, where :math:`q_C` is the number of clusters that overlap with :math:`C`.

    The similarity of two samples is the mean over the partitions (CTS: the clusters of both in the
    same partition) or over all pairs of partitions (ASRS) of 1 for the same cluster and `decay`
    times the similarity of the clusters for different ones. ``"srs"`` is SimRank on the graph of
    samples and clusters: beginning with the identity,

    .. math:: S \leftarrow \frac{d}{m^2} B C B^T, \qquad
              C \leftarrow d\, N^{-1} B^T S B\, N^{-1},

    with ones on both diagonals, :math:`B` the membership and :math:`N` the sizes [1]_.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    kind : {"cts", "srs", "asrs"}, default="cts"
        Which similarity.
    decay : float, default=0.8
        Similarity of two clusters that differ, at most; in (0, 1].
    n_iter : int, default=5
        Number of iterations of SimRank, the first of which is the identity, as in the authors'
        program.

    Returns
    -------
    array of shape (n_samples, n_samples)
        Symmetric, in [0, 1], with a diagonal of ones, in the array library of the ensemble.

    See Also
    --------
    consensa.LCE : The whole method, from partitions to labels.
    coassociation : Counts a pair only where it shares a cluster.

    Notes
    -----
    Time :math:`O(n^2 m + c^3)` for :math:`c` clusters in all; SRS works on the microclusters. With
    missing labels, means are over the partitions that label the samples.

    References
    ----------
    .. [1] N. Iam-on, T. Boongoen, S. Garrett and C. Price, "A link-based approach to the cluster
       ensemble problem", IEEE TPAMI 33(12), 2011. :doi:`10.1109/TPAMI.2011.84`

    Examples
    --------
    Samples 0 and 2 share no cluster, but theirs overlap with the same ones.

    >>> from consensa.similarity import link_similarity
    >>> link_similarity([[0, 0], [0, 1], [1, 1], [1, 2]])
    array([[1. , 0.9, 0.8, 0.4],
           [0.9, 1. , 0.9, 0.8],
           [0.8, 0.9, 1. , 0.9],
           [0.4, 0.8, 0.9, 1. ]])
    """
    declared: Any = {
        "kind": (OneOf(LINK_SIMILARITIES),),
        "decay": (Real(above=0, most=1),),
        "n_iter": (Integer(1),),
    }
    check_params("link_similarity", declared, {"kind": kind, "decay": decay, "n_iter": n_iter})
    ensemble = Ensemble.from_labels(ensemble)
    n = ensemble.n_samples
    require_square(n, np.float64, arrays=2, step="The link-based similarity")
    if kind == "cts":
        return enhanced_coassociation(ensemble, _decayed(_within_partitions(ensemble), decay))
    find = _simrank if kind == "srs" else _approximate_simrank
    similarity = find(ensemble, decay, n_iter)
    np.fill_diagonal(similarity, 1)
    return to_library(similarity, like=ensemble.labels)


LINK_SIMILARITIES = ("cts", "srs", "asrs")


def _decayed(similarity: Array, decay: float) -> Array:
    similarity *= decay
    np.fill_diagonal(similarity, 1)
    return similarity


def _neighbors(ensemble: Ensemble) -> sparse.csr_array:
    """Jaccard coefficients of different clusters."""
    weights = sparse_cluster_jaccard(ensemble).tolil()
    weights.setdiag(0)
    found = sparse.csr_array(weights)
    found.eliminate_zeros()
    return found


def _within_partitions(ensemble: Ensemble) -> Array:
    """Connected triples of the clusters of each partition, over the largest of all."""
    triples = connected_triples(_neighbors(ensemble))
    within = np.zeros_like(triples)
    for own in cluster_slices(ensemble.cluster_counts):
        within[own, own] = triples[own, own]
    np.fill_diagonal(within, 0)
    return within / within.max() if within.max() > 0 else within


class _Groups(NamedTuple):
    """Microclusters: their clusters as rows that sum to 1, and how many samples each has."""

    of_sample: Array
    sizes: Array
    shares: sparse.csr_array  # (g, c)

    @classmethod
    def of(cls, ensemble: Ensemble) -> _Groups:
        found = ensemble.microclusters()
        first = np.unique(found.labels, return_index=True)[1]
        ids = ensemble.cluster_ids[first]
        labeled = np.maximum(is_labeled(ids).sum(axis=1), 1)
        rows = sparse.diags_array(1 / labeled) @ membership(ids, ensemble.n_clusters)
        return cls(found.labels, np.bincount(found.labels).astype(np.float64), rows.tocsr())

    def between(self, clusters: Array) -> Array:
        """Mean similarity of the clusters of each pair of microclusters."""
        return np.asarray(self.shares @ (self.shares @ clusters).T)

    def expand(self, between: Array) -> Array:
        return between[np.ix_(self.of_sample, self.of_sample)]


def _simrank(ensemble: Ensemble, decay: float, n_iter: int) -> Array:
    groups = _Groups.of(ensemble)
    sizes = ensemble.cluster_sizes.astype(np.float64)
    belongs = (groups.shares > 0).astype(np.float64)
    per_size = sparse.csr_array(belongs @ sparse.diags_array(1 / sizes))
    clusters, between = np.eye(len(sizes)), np.zeros((len(groups.sizes),) * 2)
    for _ in range(n_iter - 1):
        following = decay * groups.between(clusters)
        # Different samples of a microcluster are not the same sample: only that has 1.
        weighted = between * np.multiply.outer(groups.sizes, groups.sizes)
        own = groups.sizes * (1 - np.diagonal(between))
        weighted[np.diag_indices_from(weighted)] += own
        clusters = decay * np.asarray(per_size.T @ (per_size.T @ weighted).T)
        np.fill_diagonal(clusters, 1)
        between = following
    return groups.expand(between)


def _approximate_simrank(ensemble: Ensemble, decay: float, n_iter: int) -> Array:
    del n_iter
    neighbors = _neighbors(ensemble)
    degree = np.maximum(np.diff(neighbors.indptr), 1)
    similarity = (neighbors @ neighbors.T).toarray() / np.multiply.outer(degree, degree)
    np.fill_diagonal(similarity, 0)
    if similarity.max() > 0:
        similarity /= similarity.max()
    groups = _Groups.of(ensemble)
    return groups.expand(groups.between(_decayed(similarity, decay)))
