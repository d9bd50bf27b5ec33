"""Overlap of clusters: how many samples each pair of clusters shares."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consensa._ensemble import Ensemble

__all__ = ["cluster_overlap"]


def cluster_overlap(ensemble: Ensemble) -> sparse.csr_array:
    r"""Number of samples that each pair of clusters shares.

    .. math:: N_{cd} = |C_c \cap C_d| = (B^T B)_{cd},

    with :math:`B` the membership matrix. Its blocks are the contingency tables of all pairs
    of partitions; its diagonal holds the sizes of the clusters.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.

    Returns
    -------
    scipy.sparse.csr_array of int64 of shape (n_clusters, n_clusters)
        Symmetric; clusters in the order of `Ensemble.cluster_ids`.

    See Also
    --------
    consensa.Ensemble.membership : The matrix B.

    Notes
    -----
    Time :math:`O(n m^2)`. Two clusters that share no sample take no memory.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.similarity import cluster_overlap
    >>> cluster_overlap(Ensemble.from_labels([[0, 0], [0, 1], [1, 1]])).toarray()
    array([[2, 0, 1, 1],
           [0, 1, 0, 1],
           [1, 0, 1, 0],
           [1, 1, 0, 2]])
    """
    membership = Ensemble.from_labels(ensemble).membership(np.int64)
    overlap = sparse.csr_array(membership.T @ membership)
    overlap.sort_indices()
    return overlap
