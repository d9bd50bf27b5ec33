"""The other clusters of each sample: its rival, and its consensus with every cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import MISSING, is_labeled
from consensa.ensemble.rows import in_blocks, membership
from consensa.metrics.certainty import has_few_pairs, read_ensemble_and_labels

__all__ = [
    "RivalFinder",
    "SampleRivals",
    "Support",
    "item_consensus",
    "mean_support",
    "overlap_with",
    "rival_finder",
    "rivals_by_rows",
    "sample_rivals",
    "support",
]

_DIGITS = 12  # of a share; two clusters with equal shares tie
_ENTRIES = 2**22  # of a block of rows × clusters


class SampleRivals(NamedTuple):
    """The rival of each sample.

    Attributes
    ----------
    rival : ndarray of shape (n_samples,)
        The other cluster that the base partitions support most; -1 if they support none.
    share : ndarray of shape (n_samples,)
        Their support for it, in [0, 1].
    """

    rival: Array
    share: Array


def sample_rivals(ensemble: Ensemble, labels: Any) -> SampleRivals:
    """The other cluster that the base partitions support most for each sample, and how far.

    The support for a cluster is the probability that another sample of the sample's cluster in a
    random base partition is in that cluster. The support for its own cluster is its confidence.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    labels : array-like of shape (n_samples,)
        Consensus cluster of each sample.

    Returns
    -------
    SampleRivals
        Named tuple (rival, share); clusters are numbered in increasing order of the labels.

    See Also
    --------
    sample_confidence : The support for the sample's own cluster.
    item_consensus : The mean co-association with every cluster.

    Examples
    --------
    >>> from consensa.metrics import sample_rivals
    >>> found = sample_rivals([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]], [0, 0, 1, 1])
    >>> found.rival
    array([ 1,  1,  0, -1])
    >>> found.share.round(2)
    array([0.17, 0.17, 0.33, 0.  ])
    """
    return rivals_by_rows(*read_ensemble_and_labels(ensemble, labels))


def rivals_by_rows(ensemble: Ensemble, labels: Any, n_labels: int) -> SampleRivals:
    """Rivals of labels numbered from 0, by blocks of rows: the label matrix may stay on disk."""
    find = rival_finder(ensemble, labels, n_labels)
    rival, share = (
        np.asarray(ensemble.rows.score(_Rival(find, wanted), labels)) for wanted in (0, 1)
    )
    return SampleRivals(rival.astype(np.int64), share)


def rival_finder(ensemble: Ensemble, labels: Any, n_labels: int) -> RivalFinder:
    """What finds the rivals of samples, from all labels, numbered from 0."""
    return RivalFinder(*support(overlap_with(ensemble, labels, n_labels), ensemble.cluster_sizes))


def overlap_with(ensemble: Ensemble, labels: Any, n_labels: int) -> sparse.csr_array:
    """Number of samples that each base cluster shares with each label; few of them are not 0."""
    if has_few_pairs(ensemble, n_labels) or not isinstance(labels, np.ndarray):
        return sparse.csr_array(ensemble.rows.meetings(labels, n_labels)[:-1])
    ones = np.ones(len(labels))
    of_labels = sparse.csr_array((ones, (np.arange(len(labels)), labels)))
    return sparse.csr_array(ensemble.membership().T @ of_labels)


class Support(NamedTuple):
    """Support of each base cluster for each consensus cluster.

    Attributes
    ----------
    shares : CSR array of shape (n_base_clusters, n_clusters)
        Proportion of the other samples of a base cluster that are in a consensus cluster, for a
        sample that is in none of them.
    counts : ndarray of shape (n_base_clusters,)
        1 if the base cluster has other samples, else 0.
    """

    shares: sparse.csr_array
    counts: Array


def support(met: sparse.csr_array, sizes: Array, *, itself: int = 1) -> Support:
    """Support of base clusters with these overlaps and sizes.

    A sample of the fit is one of the samples of its base clusters itself; for a new sample
    `itself` is 0.
    """
    counts = sizes > itself
    shares = sparse.csr_array(sparse.diags_array(counts / np.maximum(sizes - itself, 1)) @ met)
    return Support(shares, counts.astype(float))


@dataclass(frozen=True)
class RivalFinder:
    """Rivals of samples, from their cluster ids and labels."""

    shares: sparse.csr_array
    counts: Array

    def __call__(self, ids: Array, labels: Array) -> SampleRivals:
        """The rivals of some samples, and their shares."""
        height = max(1, _ENTRIES // self.shares.shape[1])
        starts = range(0, len(ids), height)
        parts = [self._of(ids[s : s + height], labels[s : s + height]) for s in starts]
        return SampleRivals(*map(np.concatenate, zip(*parts, strict=True)))

    def _of(self, ids: Array, labels: Array) -> SampleRivals:
        mean = mean_support(ids, Support(self.shares, self.counts))
        mean[np.arange(len(ids)), labels] = 0  # the rival is another cluster
        share = mean.max(axis=1)
        return SampleRivals(np.where(share > 0, mean.argmax(axis=1), MISSING), share)


@dataclass(frozen=True)
class _Rival:
    """Number or share of the rival of samples, from their cluster ids and labels."""

    find: RivalFinder
    wanted: int

    def __call__(self, ids: Array, labels: Array) -> Array:
        return self.find(ids, labels)[self.wanted].astype(float)


def mean_support(ids: Array, table: Support) -> Array:
    """Mean support of the base clusters of each row for each consensus cluster."""
    member = membership(ids, len(table.counts))
    total = (member @ table.shares).toarray()
    return np.round(total / np.maximum(member @ table.counts, 1)[:, None], _DIGITS)


def item_consensus(ensemble: Ensemble, labels: Any) -> Array:
    r"""Mean co-association of each sample with the samples of each cluster.

    .. math:: m_i(c) = \frac{1}{M_{ic}} \sum_m
              \frac{|B_m(i) \cap c \setminus i|}{|L_m \cap c \setminus i|},

    where :math:`B_m(i)` is the cluster of sample :math:`i` in partition :math:`m`, :math:`L_m`
    the samples that the partition labels, and :math:`M_{ic}` the number of partitions that label
    :math:`i` and another sample of cluster :math:`c`: the item consensus of Monti et al. [1]_.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    labels : array-like of shape (n_samples,)
        Consensus cluster of each sample.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters)
        In [0, 1]; 0 in the column of a cluster that consists of the sample alone.

    See Also
    --------
    cluster_stability : The mean over the samples of a cluster is its cohesion.
    sample_rivals : The best of the other clusters.

    References
    ----------
    .. [1] S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering", Machine
       Learning 52, 2003. :doi:`10.1023/A:1023949509487`

    Examples
    --------
    >>> from consensa.metrics import item_consensus
    >>> item_consensus([[0, 0], [0, 0], [1, 0], [1, 1]], [0, 0, 1, 1])
    array([[1.  , 0.25],
           [1.  , 0.25],
           [0.5 , 0.5 ],
           [0.  , 0.5 ]])
    """
    ensemble, labels, n_labels = read_ensemble_and_labels(ensemble, labels)
    require_bytes(
        24.0 * ensemble.n_samples * n_labels,
        step="The item consensus",
        why=f"3 tables of {ensemble.n_samples} samples × {n_labels} clusters",
        remedy="Use fewer samples or clusters, or a machine with more memory.",
    )
    total = np.zeros((ensemble.n_samples, n_labels))
    counted = np.zeros((ensemble.n_samples, n_labels))
    for codes in ensemble.codes.T:
        rows = np.flatnonzero(is_labeled(codes))
        own, here = labels[rows], codes[rows].astype(np.int64)
        shape = (int(here.max(initial=0)) + 1, n_labels)
        met = sparse.coo_array((np.ones(len(rows)), (here, own)), shape=shape).toarray()
        sizes = np.bincount(own, minlength=n_labels).astype(float)
        for block in in_blocks(np.arange(len(rows))):
            together, most = met[here[block]], np.repeat(sizes[None], len(block), axis=0)
            itself = (np.arange(len(block)), own[block])
            together[itself] -= 1
            most[itself] -= 1
            total[rows[block]] += together / np.maximum(most, 1)
            counted[rows[block]] += most > 0
    return total / np.maximum(counted, 1)
