"""PTA: agglomerate microclusters on the similarity of random walks (Huang et al. 2016)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._params import Integer, OneOf
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus._papers import PROBABILITY_TRAJECTORIES
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import LINKAGES, Dendrogram, linkage_tree
from consensa.similarity import coassociation, probability_trajectories

__all__ = ["PTA", "pta"]

_TIE_BREAK = 1e-12  # weight of the co-association: too small to have an effect except for ties
_DIGITS = 12  # significant digits of a similarity


@consensus_method(
    MethodInfo(
        name="PTA",
        **PROBABILITY_TRAJECTORIES,
        time="n m log n + q² (m + T k), q microclusters, at most 20 steps T and neighbors k",
        memory="6 q²",
        missing=False,
    ),
    linkage=(OneOf(LINKAGES),),
    n_neighbors=(Integer(1), OneOf(("auto", "paper"))),
    walk_length=(Integer(1), OneOf(("auto", "paper"))),
)
def pta(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    linkage: str = "average",
    n_neighbors: int | str = "auto",
    walk_length: int | str = "auto",
) -> ConsensusResult:
    """Consensus of `ensemble` by probability trajectory accumulation.

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions, without missing labels.
    %(n_clusters)s
    linkage : {"average", "complete", "single"}, default="average"
        How the distance between two groups of microclusters is measured.
    n_neighbors : int, "auto" or "paper", default="auto"
        Number of neighbors of a microcluster.
    walk_length : int, "auto" or "paper", default="auto"
        Number of steps of the random walks.

    Returns
    -------
    ConsensusResult
        Labels, the tree, and ``details["microcluster_affinity"]``.

    See Also
    --------
    PTA : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, pta
    >>> pta(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    affinity = probability_trajectories(ensemble, n_neighbors=n_neighbors, walk_length=walk_length)
    tree = _trajectory_tree(ensemble, affinity, linkage)
    details = {"microcluster_affinity": Along(affinity, ("microcluster", "microcluster"))}
    return ConsensusResult(tree.cut(n_clusters), ensemble, tree=tree, details=details)


def _trajectory_tree(ensemble: Ensemble, affinity: Any, linkage: str) -> Dendrogram:
    """Agglomerate the microclusters; the co-association decides between equal trajectories."""
    groups = ensemble.microclusters()
    decisive = coassociation(Ensemble(groups.rows))
    decisive *= _TIE_BREAK
    decisive += np.round(affinity, _DIGITS)  # equal up to rounding is a tie
    merges = linkage_tree(decisive, method=linkage).merges
    return Dendrogram(merges, leaf_of_sample=groups.labels)


class PTA(BaseConsensus):
    r"""Consensus by probability trajectory accumulation.

    Samples with equal labels in every partition form microclusters. With :math:`A` the
    co-association of the microclusters and :math:`s_j` their sizes, each keeps its links to
    the k nearest others, and a random walk goes from :math:`i` to :math:`j` with probability
    :math:`P_{ij} \propto s_j A_{ij}`. Two microclusters are similar if the random walks from them
    have similar distributions in the first T steps:

    .. math::
        \mathrm{PTS}_{ij} = \frac{G_{ij}}{\sqrt{G_{ii} G_{jj}}}, \quad
        G = \sum_{t=1}^{T} P^t (P^t)^\top.

    The microclusters are agglomerated on the distance :math:`1 - \mathrm{PTS}`, without weights,
    and the tree is cut into exactly `n_clusters` clusters [1]_.

    Parameters
    ----------
    %(n_clusters)s
    linkage : {"average", "complete", "single"}, default="average"
        How the distance between two groups is measured: the paper's PTA-AL, PTA-CL, PTA-SL.
    n_neighbors : int, "auto" or "paper", default="auto"
        Number of neighbors k; links tied with the k-th are kept. For q microclusters the
        paper uses :math:`\lfloor\sqrt q/2\rfloor` (``"paper"``). The authors' program uses
        the same but at most 20 (``"auto"``): the two differ from q = 1764.
    walk_length : int, "auto" or "paper", default="auto"
        Number of steps T of the walks, with the same two rules.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    microcluster_affinity_ : ndarray of shape (n_microclusters, n_microclusters)
        Similarity of the trajectories, in the order of ``ensemble_.microclusters()``.
    linkage_matrix_ : ndarray of shape (n_microclusters - 1, 4)
        The tree of the microclusters, in SciPy's format.
    leaf_of_sample_ : ndarray of shape (n_samples,)
        Microcluster of each sample: its leaf in the tree.
    %(fitted)s

    See Also
    --------
    pta : The same for an existing `Ensemble`.
    PTGP : Partitions a graph of the same similarity.
    consensa.similarity.probability_trajectories : The similarity.

    Notes
    -----
    Time :math:`O(n m \log n)` for the q microclusters, then :math:`O(q^2 (m + T k))`, more
    if many links tie. Memory for six q × q arrays, which is checked before they are allocated;
    q is at most n, and much smaller if the partitions agree.

    A microcluster that shares no cluster with another has no random walk: its similarity is 1 to
    itself and 0 to all others. Random walks between two microclusters without other neighbors
    alternate, so that their similarity is 0 too: for equal similarities, the larger co-association
    decides.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Robust ensemble clustering using probability
       trajectories", IEEE TKDE 28(5), 2016. :doi:`10.1109/TKDE.2015.2503753`

    Examples
    --------
    Six partitions of eight samples; each of the first four is wrong about two samples.

    >>> import numpy as np
    >>> from consensa import PTA
    >>> partitions = np.repeat([[0], [1]], 4, axis=0) + np.zeros(6, int)
    >>> partitions[range(8), [0, 1, 2, 3] * 2] = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> PTA(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    _function = staticmethod(pta)
    linkage: str = "average"
    n_neighbors: int | str = "auto"
    walk_length: int | str = "auto"
    microcluster_affinity_ = Detail()
