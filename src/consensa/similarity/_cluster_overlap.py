"""Overlap of clusters: how many samples each pair of clusters shares."""

from __future__ import annotations

from scipy import sparse

from consensa.ensemble import Ensemble

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
    Time :math:`O(n m^2)`, in blocks of rows. Above 20,000 samples the pairs are counted by
    compiled loops on all cores, with a table of all pairs per thread. The result is cached by
    the ensemble.

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
    return Ensemble.from_labels(ensemble).overlap.copy()
