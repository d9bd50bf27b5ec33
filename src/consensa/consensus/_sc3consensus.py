"""SC3Consensus: samples that are together with the same others (Kiselev et al. 2017)."""

from __future__ import annotations

import numpy as np

from consensa._array import Array, to_library, to_numpy
from consensa._params import OneOf
from consensa._result import ConsensusResult
from consensa.consensus.base import BaseConsensus
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import membership
from consensa.partition import LINKAGES, linkage_tree
from consensa.similarity import coassociation

__all__ = ["SC3Consensus", "sc3consensus"]

_DIGITS = 6  # of a squared distance, times m²


@consensus_method(
    MethodInfo(
        name="SC3Consensus",
        year=2017,
        reference="V. Y. Kiselev et al., Nature Methods 14(5)",
        time="n² (m + log n) + n c m, c clusters in all; n³ if labels are missing",
        memory="3 n² + n c",
        square_arrays=3,
        arrays=(Arrays(2, "nc"),),
    ),
    linkage=(OneOf(LINKAGES),),
)
def sc3consensus(
    ensemble: Ensemble, n_clusters: int, *, linkage: str = "complete"
) -> ConsensusResult:
    """Consensus of `ensemble` by distances between the rows of the co-association matrix.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    linkage : {"average", "complete", "single"}, default="complete"
        How the distance between two groups is measured.

    Returns
    -------
    ConsensusResult
        Labels, the affinity and its tree.

    See Also
    --------
    SC3Consensus : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, sc3consensus
    >>> sc3consensus(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    squares = _squared_distances(ensemble)
    affinity = 1 - np.sqrt(squares / ensemble.n_samples) / ensemble.n_partitions
    tree = linkage_tree(affinity, method=linkage, groups=ensemble.microclusters().labels)
    returned = to_library(affinity, like=ensemble.labels)
    return ConsensusResult(tree.cut(n_clusters), ensemble, affinity=returned, tree=tree)


def _squared_distances(ensemble: Ensemble) -> Array:
    """Squared distances between the rows of the co-association matrix, times m².

    Equal distances are equal to the last bit: rounding hides what the order of a sum decides.
    """
    products = _products_with_gaps(ensemble) if ensemble.has_missing else _products(ensemble)
    own = np.diagonal(products)
    squares = own[:, None] + own[None, :] - 2 * products
    return np.maximum(np.round(squares, _DIGITS, out=squares), 0, out=squares)


def _products(ensemble: Ensemble) -> Array:
    """Products of the rows of m A: sums of overlaps of clusters, whole numbers."""
    members = membership(ensemble.cluster_ids, ensemble.n_clusters)
    sums = np.asarray((members @ ensemble.overlap.astype(np.float64)).todense())
    return np.asarray(members @ sums.T)


def _products_with_gaps(ensemble: Ensemble) -> Array:
    """The same if labels are missing, so that each pair has a denominator of its own."""
    matrix = ensemble.n_partitions * to_numpy(coassociation(ensemble))
    return matrix @ matrix.T


class SC3Consensus(BaseConsensus):
    r"""Consensus by distances between the rows of the co-association matrix.

    Two samples are alike if the partitions put them together with the same other samples. With the
    co-association matrix :math:`A`, their distance is

    .. math:: d_{ij} = \Bigl( \sum_k (A_{ik} - A_{jk})^2 \Bigr)^{1/2},

    and the samples are agglomerated by complete linkage. This is the consensus step of SC3, a
    program for single cells [1]_.

    Parameters
    ----------
    %(n_clusters)s
    linkage : {"average", "complete", "single"}, default="complete"
        How the distance between two groups is measured. The default is that of SC3.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        :math:`1 - d_{ij} / \sqrt n`, in [0, 1].
    %(linkage_matrix_)s
    %(fitted)s

    See Also
    --------
    sc3consensus : The same for an existing `Ensemble`.
    EAC : Agglomerates on the co-association itself.

    Notes
    -----
    Time :math:`O(n^2 (m + \log n) + n c m)` for c clusters in all, memory for three n × n arrays
    and two n × c arrays: products of two rows of :math:`A` are sums of overlaps of clusters. If
    labels are missing, :math:`A` is that of `EAC`, and the time is :math:`O(n^3)`.

    References
    ----------
    .. [1] V. Y. Kiselev et al., "SC3: consensus clustering of single-cell RNA-seq data", Nature
       Methods 14(5), 2017, pages 483 to 486. :doi:`10.1038/nmeth.4236`

    Examples
    --------
    >>> from consensa import SC3Consensus
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> SC3Consensus(n_clusters=2, generator="precomputed").fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(sc3consensus)
    linkage: str = "complete"
