"""Vote of the base clusters: assign each sample to a meta-cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import add_rows_of_table, offsets

__all__ = ["vote_by_metaclusters"]


def vote_by_metaclusters(
    ensemble: Ensemble, metacluster_of_cluster: Any, n_clusters: int
) -> Array:
    r"""Assign each sample to the meta-cluster whose clusters contain it most often.

    A meta-cluster :math:`q` is a group of base clusters. Its score for sample :math:`i` is the
    proportion of its clusters that contain the sample,

    .. math:: s_{iq} = \frac{1}{|q_i|} \sum_{C \in q_i} [i \in C],

    where :math:`q_i` are the clusters of :math:`q` that belong to partitions which label
    sample :math:`i` (all of :math:`q` if no label is missing). The meta-cluster with the highest
    score is taken, the lowest number on ties. A meta-cluster without clusters has the score 0.

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions.
    metacluster_of_cluster : array-like of int of shape (n_base_clusters,)
        Meta-cluster of each base cluster, from 0, in the order of `Ensemble.cluster_ids`.
    n_clusters : int
        Number of meta-clusters.

    Returns
    -------
    ndarray of shape (n_samples,)
        Meta-cluster of each sample. A meta-cluster without samples does not occur.

    See Also
    --------
    consensa.Ensemble.cluster_ids : How the base clusters are numbered.

    Notes
    -----
    Time :math:`O(n m K)`, in one pass over blocks of rows.

    Examples
    --------
    Three partitions of four samples have six clusters; the third partition disagrees on
    sample 1.

    >>> from consensa import Ensemble
    >>> from consensa.partition import vote_by_metaclusters
    >>> ensemble = Ensemble.from_labels([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]])
    >>> vote_by_metaclusters(ensemble, [0, 1, 0, 1, 0, 1], 2)
    array([0, 0, 1, 1])
    """
    belongs = np.eye(n_clusters)[np.asarray(metacluster_of_cluster)]  # (c, K)
    # Number of clusters of each partition in each meta-cluster.
    offered = np.add.reduceat(belongs, offsets(ensemble.cluster_counts), axis=0)  # (m, K)
    return ensemble.rows.label(_Vote(belongs, offered))


@dataclass(frozen=True)
class _Vote:
    belongs: Array
    offered: Array

    def __call__(self, ids: Array) -> Array:
        # Whole numbers: equal shares stay equal.
        votes = add_rows_of_table(ids, self.belongs)  # (rows, K)
        voting = is_labeled(ids)
        chances = self.offered.sum(axis=0) if voting.all() else voting @ self.offered
        return np.argmax(votes / np.maximum(chances, 1), axis=1)
