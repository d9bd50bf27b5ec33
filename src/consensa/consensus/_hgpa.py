"""HGPA: KaHyPar partitions the hypergraph of the base clusters (Strehl and Ghosh 2002)."""

from __future__ import annotations

from typing import Any

from consensa._defaults import IMBALANCE
from consensa._params import OneOf
from consensa._result import ConsensusResult
from consensa.consensus._papers import CLUSTER_ENSEMBLES
from consensa.consensus.base import BaseConsensus
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import HYPERGRAPH_OBJECTIVES, cut_by_kahypar

__all__ = ["HGPA", "hgpa"]


@consensus_method(
    MethodInfo(
        name="HGPA",
        **CLUSTER_ENSEMBLES,
        time="n m, with a large factor",
        memory="n m, with a large factor",
        missing=False,
        revision=2,
    ),
    objective=(OneOf(HYPERGRAPH_OBJECTIVES),),
)
def hgpa(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    objective: str = "cut",
    imbalance: float = IMBALANCE,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by hypergraph partitioning.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    objective : {"cut", "connectivity"}, default="cut"
        Whether to count the base clusters that are cut, or the additional parts of each.
    imbalance : float, default=0.05
        Maximum relative excess of a cluster over the mean size.
    random_state : int, RandomState instance or None, default=None
        Seed of the partitioner.

    Returns
    -------
    ConsensusResult
        Labels.

    See Also
    --------
    HGPA : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, hgpa
    >>> hgpa(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    groups = ensemble.microclusters()
    membership = Ensemble(groups.rows).membership()
    part = cut_by_kahypar(
        membership,
        n_clusters,
        sizes=groups.sizes,
        objective=objective,
        imbalance=imbalance,
        random_state=random_state,
    )
    return ConsensusResult(part[groups.labels], ensemble)


class HGPA(BaseConsensus):
    r"""Hypergraph partitioning algorithm.

    The samples are the vertices of a hypergraph, each base cluster :math:`C` is a hyperedge.
    It is partitioned into `n_clusters` parts of nearly equal size such that few base clusters are
    cut [1]_:

    .. math::
        \min_\ell \sum_C [\lambda_C > 1] \quad \text{s.t. }
        |\{i : \ell_i = k\}| \le (1 + \epsilon) \frac{n}{K},

    where :math:`\lambda_C` is the number of parts that share :math:`C`.

    ***The clusters have nearly equal sizes.** Use another method for clusters of different sizes.
    The cost of a base cluster that is cut is the same for one separated sample and for half of
    them, so that HGPA is the weakest of the three methods of its paper for noisy partitions.

    Each microcluster is one vertex, weighted by its size, so that its samples stay together.

    Parameters
    ----------
    %(n_clusters)s
    objective : {"cut", "connectivity"}, default="cut"
        Objective to minimize: ``"cut"``, as in the paper, is the number of base clusters that are
        cut; ``"connectivity"`` is :math:`\sum_C (\lambda_C - 1)`, which also depends on the
        number of parts.
    imbalance : float, default=0.05
        Maximum relative excess :math:`\epsilon` of a cluster over the mean size. The paper's
        value.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the partitioner.

    Attributes
    ----------
    %(labels_)s
    %(fitted)s

    See Also
    --------
    hgpa : The same for an existing `Ensemble`.
    MCLA : Usually better, from the same paper.
    HBGF : Partitions the graph of samples and base clusters, for clusters of any size.

    Notes
    -----
    Needs Mt-KaHyPar: ``pip install 'consensa[graph]'``; the authors used hMETIS. No n × n array
    is needed. Vertices and hyperedges are in canonical order: the method is order-free.

    References
    ----------
    .. [1] A. Strehl and J. Ghosh, "Cluster ensembles: a knowledge reuse framework for
       combining multiple partitions", JMLR 3, 2002.
       https://www.jmlr.org/papers/v3/strehl02a.html

    Examples
    --------
    >>> from consensa import HGPA
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1], [1, 0, 1]]
    >>> HGPA(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1])
    """

    _function = staticmethod(hgpa)
    objective: str = "cut"
    imbalance: float = IMBALANCE
