"""Jaccard coefficient of base clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.memory import require_bytes, require_square
from consensa.ensemble import Ensemble
from consensa.ensemble.overlaps import StoredOverlaps, labeled_by_partition

__all__ = ["cluster_jaccard", "sparse_cluster_jaccard"]


def cluster_jaccard(ensemble: Ensemble) -> np.ndarray[Any, Any]:
    r"""Jaccard coefficient of each pair of base clusters.

    .. math:: J_{ab} = \frac{|C_a \cap C_b|}{|C_a \cup C_b|},

    both counted over the samples that the partitions of both clusters label; 0 if there
    are none. Different clusters of one partition do not overlap.

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions.

    Returns
    -------
    ndarray of shape (n_base_clusters, n_base_clusters)
        Symmetric, in [0, 1], with a diagonal of ones, in the order of `Ensemble.cluster_ids`.

    See Also
    --------
    cluster_overlap : Number of samples that two clusters share.
    trajectory_similarity : Propagates the overlap along random walks.

    Notes
    -----
    Time :math:`O(n m^2)` for the overlaps, by a sparse product; memory for a few c × c arrays
    of the c clusters.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.similarity import cluster_jaccard
    >>> cluster_jaccard(Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [1, 1]])).round(2)
    array([[1.  , 0.  , 0.67, 0.25],
           [0.  , 1.  , 0.  , 0.5 ],
           [0.67, 0.  , 1.  , 0.  ],
           [0.25, 0.5 , 0.  , 1.  ]])
    """
    require_square(
        ensemble.n_clusters,
        np.float64,
        arrays=6,
        step="The overlap of the clusters",
        of="clusters",
    )
    return sparse_cluster_jaccard(ensemble).toarray()


def sparse_cluster_jaccard(ensemble: Ensemble) -> sparse.csr_array:
    """The same with entries only for clusters that overlap, in the places of the overlaps."""
    overlap = ensemble.overlap
    counts, sizes = ensemble.cluster_counts, ensemble.cluster_sizes
    partition = np.repeat(np.arange(len(counts)), counts)
    labeled = _labeled_parts(overlap, counts) if ensemble.has_missing else None
    coefficients = np.empty(overlap.nnz)
    for rows in StoredOverlaps(overlap).blocks():
        part = overlap[rows].tocoo()
        one, other, shared = part.row + rows.start, part.col, part.data.astype(np.float64)
        if labeled is None:
            both = sizes[one] + sizes[other]
        else:
            both = labeled[one, partition[other]] + labeled[other, partition[one]]
        entries = slice(overlap.indptr[rows.start], overlap.indptr[rows.stop])
        coefficients[entries] = shared / (both - shared)
    return sparse.csr_array((coefficients, overlap.indices, overlap.indptr), shape=overlap.shape)


def _labeled_parts(overlap: sparse.csr_array, counts: Array) -> Array:
    """Number of samples of each cluster that each partition labels: (c, m)."""
    n_clusters, n_partitions = overlap.shape[0], len(counts)
    require_bytes(
        8.0 * n_clusters * n_partitions,
        step="The overlap of the clusters",
        why=f"a number for each of {n_clusters} clusters and {n_partitions} partitions",
        remedy="Use fewer partitions, or a machine with more memory.",
    )
    labeled = np.empty((n_clusters, n_partitions), np.int64)
    for rows in StoredOverlaps(overlap).blocks():
        labeled[rows] = labeled_by_partition(overlap[rows], counts)
    return labeled
