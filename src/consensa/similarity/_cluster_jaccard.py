"""Jaccard coefficient of base clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.memory import require_square
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import offsets
from consensa.similarity._cluster_overlap import cluster_overlap

__all__ = ["cluster_jaccard"]


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
    shared = cluster_overlap(ensemble).toarray().astype(np.float64)  # (c, c)
    # A sample that partition q labels lies in one cluster of q, so the part of cluster a that
    # q labels is the sum of the overlaps of a with the clusters of q.
    labeled = np.add.reduceat(shared, offsets(ensemble.cluster_counts), axis=1)  # (c, m)
    sizes = np.repeat(labeled, ensemble.cluster_counts, axis=1)
    union = sizes + sizes.T - shared
    return np.divide(shared, union, out=shared, where=union > 0)
