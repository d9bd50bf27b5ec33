"""LCE: agglomerate samples by the links of their clusters (Iam-on et al. 2011)."""

from __future__ import annotations

from consensa._params import OneOf, Real
from consensa._result import ConsensusResult
from consensa.consensus.base import BaseConsensus
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import LINKAGES, linkage_tree
from consensa.similarity import link_similarity

__all__ = ["LCE", "lce"]


@consensus_method(
    MethodInfo(
        name="LCE",
        year=2011,
        reference="N. Iam-on, T. Boongoen, S. Garrett and C. Price, IEEE TPAMI 33(12)",
        time="n² m + c³, c clusters in all",
        memory="4 n² + 6 c²",
        square_arrays=4,
        arrays=(Arrays(6, "cc"),),
    ),
    similarity=(OneOf(("cts", "srs", "asrs")),),
    decay=(Real(above=0, most=1),),
    linkage=(OneOf(LINKAGES),),
)
def lce(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    similarity: str = "cts",
    decay: float = 0.8,
    n_iter: int = 5,
    linkage: str = "average",
) -> ConsensusResult:
    """Consensus of `ensemble` by a link-based similarity.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    similarity : {"cts", "srs", "asrs"}, default="cts"
        Connected triples, SimRank, or approximate SimRank.
    decay : float, default=0.8
        Similarity of two clusters that differ, at most.
    n_iter : int, default=5
        Number of iterations of SimRank.
    linkage : {"average", "complete", "single"}, default="average"
        How the distance between two groups is measured.

    Returns
    -------
    ConsensusResult
        Labels, the link-based similarity and its tree.

    See Also
    --------
    LCE : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, lce
    >>> lce(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    affinity = link_similarity(ensemble, kind=similarity, decay=decay, n_iter=n_iter)
    tree = linkage_tree(affinity, method=linkage, groups=ensemble.microclusters().labels)
    return ConsensusResult(tree.cut(n_clusters), ensemble, affinity=affinity, tree=tree)


class LCE(BaseConsensus):
    r"""Consensus by a link-based similarity of the samples.

    The co-association of two samples counts the partitions that put them into the same cluster.
    LCE also counts different clusters, by how much they are linked through the clusters that
    overlap with both. With Jaccard coefficients :math:`J` of the base clusters and ``"cts"``, the
    similarity of two clusters of a partition is

    .. math:: T_{CD} = \sum_k \min(J_{Ck}, J_{Dk})

    over the largest of these in the ensemble, and that of two samples is the mean, over the
    partitions, of 1 for the same cluster and `decay` times the similarity for different ones. For
    ``"srs"``, SimRank, and ``"asrs"``, see `consensa.similarity.link_similarity`. The samples are
    agglomerated on 1 minus the similarity [1]_.

    Parameters
    ----------
    %(n_clusters)s
    similarity : {"cts", "srs", "asrs"}, default="cts"
        Connected triples, SimRank, or approximate SimRank.
    decay : float, default=0.8
        Similarity of two clusters that differ, at most. The default is the authors'.
    n_iter : int, default=5
        Number of iterations of SimRank. The default is the authors'.
    linkage : {"average", "complete", "single"}, default="average"
        How the distance between two groups is measured.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Link-based similarity, in the array library of the input.
    %(linkage_matrix_)s
    %(fitted)s

    See Also
    --------
    lce : The same for an existing `Ensemble`.
    EAC : Counts the same cluster only.
    ECPCSHC : Similarities of clusters by random walks.
    consensa.similarity.link_similarity : The three similarities, also with missing labels.

    Notes
    -----
    Time :math:`O(n^2 m + c^3)` for c clusters in all, memory for four n × n arrays and six of
    c × c. In the authors' program, the two clusters with the largest similarity count as the same
    cluster for ``"asrs"``, without the decay; here they do not.

    References
    ----------
    .. [1] N. Iam-on, T. Boongoen, S. Garrett and C. Price, "A link-based approach to the cluster
       ensemble problem", IEEE TPAMI 33(12), 2011. :doi:`10.1109/TPAMI.2011.84`

    Examples
    --------
    Three partitions of five samples; the third one disagrees on one sample.

    >>> from consensa import LCE
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> LCE(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(lce)
    similarity: str = "cts"
    decay: float = 0.8
    n_iter: int = 5
    linkage: str = "average"
