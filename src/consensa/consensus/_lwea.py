"""LWEA: agglomerate the locally weighted co-association matrix (Huang et al. 2018)."""

from __future__ import annotations

from consensa._defaults import ENTROPY_SCALE
from consensa._result import ConsensusResult
from consensa.consensus._papers import LOCALLY_WEIGHTED
from consensa.consensus.base import BaseConsensus
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.partition import linkage_tree
from consensa.similarity import locally_weighted_coassociation

__all__ = ["LWEA", "lwea"]


@consensus_method(
    MethodInfo(
        name="LWEA",
        **LOCALLY_WEIGHTED,
        time="n m² + n² m",
        memory="2 n²",
        square_arrays=2,
    ),
)
def lwea(ensemble: Ensemble, n_clusters: int, *, theta: float = ENTROPY_SCALE) -> ConsensusResult:
    """Consensus of `ensemble` by locally weighted evidence accumulation.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy.

    Returns
    -------
    ConsensusResult
        Labels, the locally weighted co-association matrix and its tree.

    See Also
    --------
    LWEA : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, lwea
    >>> lwea(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    affinity = locally_weighted_coassociation(ensemble, theta=theta)
    tree = linkage_tree(affinity, method="average", groups=ensemble.microclusters().labels)
    return ConsensusResult(tree.cut(n_clusters), ensemble, affinity=affinity, tree=tree)


class LWEA(BaseConsensus):
    r"""Consensus by locally weighted evidence accumulation.

    Evidence accumulation in which base clusters are weighted by their certainty, which is high if
    the other partitions do not split them. The entropy of a cluster :math:`C` over the parts into
    which each partition :math:`\pi` splits it, and its certainty for :math:`m` partitions, are

    .. math::
        H(C) = -\sum_{\pi} \sum_{C' \in \pi} \frac{|C \cap C'|}{|C|}
               \log_2 \frac{|C \cap C'|}{|C|}, \qquad
        \mathrm{ECI}(C) = \exp \left( -\frac{H(C)}{\theta m} \right).

    The affinity of two samples is the mean, over the partitions, of the certainty of the cluster
    that contains both, 0 if there is none:

    .. math:: A_{ij} = \frac{1}{m} \sum_{C \ni i, j} \mathrm{ECI}(C).

    The samples are agglomerated on the distance :math:`1 - A` by average linkage [1]_, and the
    tree is cut into exactly `n_clusters` clusters.

    Parameters
    ----------
    %(n_clusters)s
    theta : float, default=0.4
        Scale of the decrease of certainty with entropy. The authors use 0.4 and
        advise 0.2 to 1. With a large value the method is EAC.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Locally weighted co-association matrix, in the array library of the input.
    %(linkage_matrix_)s
    %(fitted)s

    See Also
    --------
    lwea : The same for an existing `Ensemble`.
    LWGP : The same weights without an n × n array.
    EAC : All base clusters have the same weight.
    consensa.similarity.cluster_certainty : The certainty, also with missing labels.

    Notes
    -----
    Time :math:`O(n m^2)` for the certainties and :math:`O(n^2 m)` for the matrix; memory for
    two n × n arrays.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang and J.-H. Lai, "Locally weighted ensemble clustering", IEEE
       Transactions on Cybernetics 48(5), 2018. :doi:`10.1109/TCYB.2017.2702343`

    Examples
    --------
    Three partitions of five samples; the third one disagrees on one sample.

    >>> from consensa import LWEA
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> LWEA(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(lwea)
    theta: float = ENTROPY_SCALE
