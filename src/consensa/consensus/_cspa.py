"""CSPA: METIS partitions the graph of co-associations (Strehl and Ghosh 2002)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._defaults import IMBALANCE
from consensa._result import ConsensusResult
from consensa.consensus._papers import CLUSTER_ENSEMBLES
from consensa.consensus.base import BaseConsensus
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.consensus.needs import groups_that_fit
from consensa.ensemble import Ensemble
from consensa.partition import cut_by_metis

__all__ = ["CSPA", "cspa"]

_ARRAYS = 9  # maximum number of g × g arrays, those of METIS included


@consensus_method(
    MethodInfo(
        name="CSPA",
        **CLUSTER_ENSEMBLES,
        time="g² m, g microclusters",
        memory="9 g²",
        missing=False,
        revision=3,
    ),
)
def cspa(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    imbalance: float = IMBALANCE,
    n_init: int = 10,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by cluster-based similarity partitioning.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    imbalance : float, default=0.05
        Maximum relative excess of a cluster over the mean size.
    n_init : int, default=10
        Number of runs of METIS.
    random_state : int, RandomState instance or None, default=None
        Seed of METIS.

    Returns
    -------
    ConsensusResult
        Labels.

    See Also
    --------
    CSPA : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, cspa
    >>> cspa(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    groups = groups_that_fit(ensemble, arrays=_ARRAYS, step="CSPA's graph", dtype=np.int64)
    weighted = Ensemble(groups.rows).membership(np.int64) * groups.sizes[:, None]
    # Number of partitions that put two samples into the same cluster: METIS needs integers.
    meetings = weighted @ weighted.T
    part = cut_by_metis(
        meetings,
        n_clusters,
        sizes=groups.sizes,
        imbalance=imbalance,
        n_init=n_init,
        random_state=random_state,
    )
    return ConsensusResult(part[groups.labels], ensemble)


class CSPA(BaseConsensus):
    r"""Cluster-based similarity partitioning algorithm.

    The samples are the vertices of a graph whose edges are weighted by the co-associations
    :math:`A_{ij}`. METIS partitions it into `n_clusters` clusters of nearly equal size with a
    small cut [1]_:

    .. math::
        \min_\ell \sum_{i < j} A_{ij} [\ell_i \neq \ell_j] \quad \text{s.t. }
        |\{i : \ell_i = k\}| \le (1 + \epsilon) \frac{n}{K}.

    ***The clusters have nearly equal sizes.** Use another method for clusters of different sizes.

    Each microcluster is one vertex, weighted by its size, so that its samples stay together.

    Parameters
    ----------
    %(n_clusters)s
    imbalance : float, default=0.05
        Maximum relative excess :math:`\epsilon` of a cluster over the mean size. A large value
        does not remove the preference for equal sizes: METIS bisects the graph recursively.
    n_init : int, default=10
        Number of runs of METIS; the cut with the smallest weight is kept.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of METIS.

    Attributes
    ----------
    %(labels_)s
    %(fitted)s

    See Also
    --------
    cspa : The same for an existing `Ensemble`.
    MCLA : Partitions the graph of the base clusters.
    EAC : Agglomerates the same matrix, for clusters of any size.

    Notes
    -----
    Needs METIS: ``pip install 'consensa[graph]'``. Time and memory grow with the square of the
    number g of microclusters, sets of samples with equal labels in every partition. METIS
    breaks ties by the order of the vertices, which are in canonical order: the method is
    order-free. A part that METIS leaves empty gets the distinct row that fits worst in its
    cluster, with a warning.

    References
    ----------
    .. [1] A. Strehl and J. Ghosh, "Cluster ensembles: a knowledge reuse framework for
       combining multiple partitions", JMLR 3, 2002.
       https://www.jmlr.org/papers/v3/strehl02a.html

    Examples
    --------
    >>> from consensa import CSPA
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1], [1, 0, 1]]
    >>> CSPA(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1])
    """

    _function = staticmethod(cspa)
    imbalance: float = IMBALANCE
    n_init: int = 10
