"""Evidence accumulation: agglomerate the co-association matrix."""

from __future__ import annotations

from consensa._params import OneOf
from consensa._result import ConsensusResult
from consensa.consensus.base import BaseConsensus
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import LINKAGES, linkage_tree
from consensa.similarity import coassociation

__all__ = ["EAC", "eac"]


@consensus_method(
    MethodInfo(
        name="EAC",
        year=2005,
        reference="A. L. N. Fred and A. K. Jain, IEEE TPAMI 27(6)",
        time="n² (m + log n)",
        memory="2 n²",
        square_arrays=2,
        revision=2,
    ),
    linkage=(OneOf(LINKAGES),),
)
def eac(ensemble: Ensemble, n_clusters: int, *, linkage: str = "average") -> ConsensusResult:
    """Consensus of `ensemble` by evidence accumulation.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    linkage : {"average", "complete", "single"}, default="average"
        Definition of the distance between two clusters.

    Returns
    -------
    ConsensusResult
        Labels, the co-association matrix and its tree.

    See Also
    --------
    EAC : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, eac
    >>> eac(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    affinity = coassociation(ensemble)
    tree = linkage_tree(affinity, method=linkage, groups=ensemble.microclusters().labels)
    return ConsensusResult(tree.cut(n_clusters), ensemble, affinity=affinity, tree=tree)


class EAC(BaseConsensus):
    r"""Consensus by evidence accumulation.

    Samples that many base partitions put into the same cluster are similar. The co-association of
    samples
    :math:`i` and :math:`j` is

    .. math:: A_{ij} = \frac{1}{M_{ij}} \sum_{m} [\ell_{im} = \ell_{jm}],

    where the sum is over the :math:`M_{ij}` partitions that label both. The samples are
    agglomerated on the distance :math:`1 - A` [1]_, and the tree is cut into exactly
    `n_clusters` clusters.

    Parameters
    ----------
    %(n_clusters)s
    linkage : {"average", "complete", "single"}, default="average"
        Definition of the distance between two clusters. ``"single"`` follows chains and
        finds clusters of any shape; ``"average"`` is more robust to noise.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Co-association matrix, in the array library of the input.
    %(linkage_matrix_)s
    %(fitted)s

    See Also
    --------
    eac : The same for an existing `Ensemble`.
    LTA : Refines the co-association matrix first.

    Notes
    -----
    Time :math:`O(n^2 (m + \log n))`, memory for two n × n arrays.

    References
    ----------
    .. [1] A. L. N. Fred and A. K. Jain, "Combining multiple clusterings using evidence
       accumulation", IEEE TPAMI 27(6), 2005. :doi:`10.1109/TPAMI.2005.113`

    Examples
    --------
    Three partitions of five samples; the third one disagrees on one sample.

    >>> from consensa import EAC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> EAC(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(eac)
    linkage: str = "average"
