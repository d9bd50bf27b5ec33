"""How well each cluster is found again in other partitions of the samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.labels import read_labels
from consensa.ensemble.missing import is_labeled

__all__ = ["cluster_recovery", "jaccard_of_clusters"]


def cluster_recovery(labels: Any, partitions: Any) -> Array:
    r"""Mean largest Jaccard coefficient of each cluster with the clusters of other partitions.

    .. math:: s_c = \frac{1}{m} \sum_{j=1}^{m} \max_{C \in P_j}
              \frac{|c \cap C|}{|c \cup C|},

    each over the samples that partition :math:`P_j` labels: 1 if every partition has this cluster.
    The partitions are usually those of random parts of the samples [1]_.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        The clusters.
    partitions : Ensemble or label matrix
        The other partitions; samples that one does not hold have a missing label there.

    Returns
    -------
    ndarray of shape (n_clusters,)
        In [0, 1], for each cluster in order of its label.

    See Also
    --------
    select_n_clusters : Uses the smallest and the mean value for each number of clusters.

    References
    ----------
    .. [1] C. Hennig, "Cluster-wise assessment of cluster stability", Computational Statistics &
       Data Analysis 52(1), 2007. :doi:`10.1016/j.csda.2006.11.025`

    Examples
    --------
    >>> from consensa.selection import cluster_recovery
    >>> cluster_recovery([0, 0, 1, 1], [[0, 0], [0, 1], [1, 2], [1, 2]])
    array([0.75, 1.  ])
    """
    codes = read_labels(labels, "labels")
    others = Ensemble.from_labels(partitions)
    sums, seen = np.zeros(int(codes.max()) + 1), np.zeros(int(codes.max()) + 1)
    for column in others.codes.T:
        rows = np.flatnonzero(is_labeled(column))
        present = np.unique(codes[rows])
        sums[present] += jaccard_of_clusters(codes[rows], column[rows].astype(np.int64))[present]
        seen[present] += 1
    return np.asarray(sums / np.maximum(seen, 1))


def jaccard_of_clusters(codes: Array, others: Array) -> Array:
    """Largest Jaccard coefficient of each cluster with those of another partition."""
    count = int(others.max()) + 1
    table = np.bincount(codes * count + others, minlength=(int(codes.max()) + 1) * count)
    both = table.reshape(-1, count).astype(np.float64)
    either = both.sum(axis=1, keepdims=True) + both.sum(axis=0) - both
    return np.asarray((both / np.maximum(either, 1)).max(axis=1))
