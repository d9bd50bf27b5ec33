"""Enhanced co-association: similar clusters count too, not only the same one."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import to_library
from consensa._machine.memory import require_square
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import cluster_slices

__all__ = ["enhanced_coassociation"]

_BLOCK_BYTES = 2**25


def enhanced_coassociation(ensemble: Ensemble, cluster_similarity: Any) -> Any:
    r"""Mean similarity of the clusters of two samples.

    .. math:: E_{ij} = \frac{1}{M_{ij}} \sum_m Z_{c_m(i)\, c_m(j)},

    over the :math:`M_{ij}` partitions that label both samples, where :math:`c_m(i)` is the
    cluster of sample :math:`i` in partition :math:`m`; 0 where no partition labels both. With
    the identity for :math:`Z` it is the co-association.

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions.
    cluster_similarity : ndarray or sparse array of shape (n_base_clusters, n_base_clusters)
        Similarity Z of the clusters, symmetric with a diagonal of ones, in the order of
        `Ensemble.cluster_ids`. Only clusters of one partition are compared.

    Returns
    -------
    array of shape (n_samples, n_samples)
        Symmetric with a diagonal of ones, in the array library of the ensemble.

    See Also
    --------
    coassociation : Counts a pair only where it shares a cluster.
    trajectory_similarity : A similarity of clusters.

    Notes
    -----
    Time :math:`O(n^2 m)`, by sparse products over blocks of rows: besides the result, blocks
    of about 64 MiB in all.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, H. Peng, J. Lai and C.-K. Kwoh, "Enhanced ensemble clustering
       via fast propagation of cluster-wise similarities", IEEE Trans. SMC: Systems 51(1),
       2021. :doi:`10.1109/TSMC.2018.2876202`

    Examples
    --------
    The two clusters of the first partition are half alike.

    >>> from consensa import Ensemble
    >>> from consensa.similarity import enhanced_coassociation
    >>> alike = [[1, 0.5, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    >>> enhanced_coassociation(Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]), alike)
    array([[1.  , 0.5 , 0.25],
           [0.5 , 1.  , 0.75],
           [0.25, 0.75, 1.  ]])
    """
    n = ensemble.n_samples
    require_square(n, np.float64, arrays=1, step="The enhanced co-association matrix")
    membership = ensemble.membership()
    within = _within_partitions(ensemble, cluster_similarity)
    labeled = ensemble.labeled.astype(np.float64) if ensemble.has_missing else None

    affinity = np.empty((n, n))
    block = max(1, _BLOCK_BYTES // (8 * max(n, ensemble.n_clusters)))
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        reach = (membership[rows] @ within).toarray()  # (block, c): similarity to every cluster
        affinity[rows] = (membership @ reach.T).T
        if labeled is None:
            affinity[rows] /= ensemble.n_partitions
        else:
            affinity[rows] /= np.maximum(labeled[rows] @ labeled.T, 1)
    return to_library(affinity, like=ensemble.labels)


def _within_partitions(ensemble: Ensemble, similarity: Any) -> sparse.csr_array:
    """Similarity of the clusters of each partition, without those of different partitions."""
    given: Any = similarity if sparse.issparse(similarity) else np.asarray(similarity, np.float64)
    given = given.tocsr() if sparse.issparse(given) else given
    slices = cluster_slices(ensemble.cluster_counts)
    blocks = [sparse.coo_array(given[own, own]) for own in slices]  # or a matrix comes of them
    return sparse.block_diag(blocks, format="csr")
