"""Confidence of samples, stability of clusters and agreement of base partitions.

One definition for every method, from the ensemble and the labels alone, in one pass over the
label matrix and without n × n arrays, so that the values of two methods can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.memory import require_square
from consensa.ensemble import Ensemble
from consensa.ensemble.labels import read_labels
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import mean_company
from consensa.exceptions import InvalidInputError
from consensa.metrics.rand import rand_with

__all__ = [
    "ClusterStability",
    "PartitionAgreement",
    "cluster_stability",
    "company_shares",
    "confidence_by_rows",
    "has_few_pairs",
    "mean_affinity",
    "pair_counts",
    "partition_agreement",
    "read_ensemble_and_labels",
    "sample_confidence",
]

_TABLE_PER_LABEL = 200  # entries of a table of all pairs of clusters, for each sample


class ClusterStability(NamedTuple):
    """Stability and cohesion of each consensus cluster.

    Attributes
    ----------
    sizes : ndarray of shape (n_clusters,)
        Number of samples.
    stability : ndarray of shape (n_clusters,)
        Mean confidence of its samples, in [0, 1].
    cohesion : ndarray of shape (n_clusters,)
        Mean co-association of two of its samples (the cluster consensus of Monti et al.);
        1 for a cluster of one sample.
    rival : ndarray of shape (n_clusters,)
        The other cluster with the largest mean co-association; -1 if it is 0 for all of them.
    affinity : ndarray of shape (n_clusters, n_clusters)
        Mean co-association of a sample of one cluster and a sample of another; `cohesion` on
        the diagonal.
    """

    sizes: Array
    stability: Array
    cohesion: Array
    rival: Array
    affinity: Array


class PartitionAgreement(NamedTuple):
    """Agreement of each base partition with the consensus.

    Attributes
    ----------
    n_clusters : ndarray of shape (n_partitions,)
        Number of its clusters.
    n_labeled : ndarray of shape (n_partitions,)
        Number of samples that it labels.
    agreement : ndarray of shape (n_partitions,)
        Adjusted Rand index between it and the consensus, on the samples that it labels.
    weight : ndarray of shape (n_partitions,)
        Its agreement divided by the sum of the agreements, with negative values set to 0:
        weights for a vote of the partitions.
    """

    n_clusters: Array
    n_labeled: Array
    agreement: Array
    weight: Array


def sample_confidence(ensemble: Ensemble, labels: Any) -> Array:
    r"""Confidence of each sample: how far the base partitions support its cluster.

    .. math:: c_i = \frac{1}{|P_i|} \sum_{m \in P_i}
              \frac{|B_m(i) \cap C(i)| - 1}{|B_m(i)| - 1},

    where :math:`B_m(i)` is the cluster of sample :math:`i` in partition :math:`m`,
    :math:`C(i)` its consensus cluster, and :math:`P_i` the partitions in which its cluster has
    other samples. It is the probability that another sample of the cluster of :math:`i` in a
    random partition is also in its consensus cluster.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    labels : array-like of shape (n_samples,)
        Consensus cluster of each sample.

    Returns
    -------
    ndarray of shape (n_samples,)
        In [0, 1]. If a sample is alone in its cluster in every partition, its confidence is 0
        in a consensus cluster of several samples. If it is alone in the consensus, its
        confidence is the proportion of partitions in which it is alone too.

    See Also
    --------
    cluster_stability : The same for clusters.

    Notes
    -----
    Time and memory :math:`O(n m)` and :math:`O(n)` for n samples and m partitions.

    Examples
    --------
    Three partitions of four samples; one of them puts the third sample elsewhere.

    >>> from consensa.metrics import sample_confidence
    >>> sample_confidence([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]], [0, 0, 1, 1])
    array([0.83333333, 0.83333333, 0.66666667, 1.        ])
    """
    return confidence_by_rows(*read_ensemble_and_labels(ensemble, labels))


def confidence_by_rows(ensemble: Ensemble, labels: Any, n_labels: int) -> Any:
    """Confidence of labels numbered from 0, as a NumPy or Dask array like the labels."""
    if isinstance(labels, np.ndarray) and not has_few_pairs(ensemble, n_labels):
        return _confidence_by_columns(ensemble, labels)
    met = ensemble.rows.meetings(labels, n_labels)
    confidence = _Confidence(met, ensemble.cluster_sizes, met[-1] == 1)
    return ensemble.rows.score(confidence, labels)


def has_few_pairs(ensemble: Ensemble, n_labels: int) -> bool:
    """Whether a table of all pairs of base and consensus clusters is small beside the samples."""
    return ensemble.n_clusters * n_labels <= _TABLE_PER_LABEL * ensemble.n_samples


@dataclass(frozen=True)
class _Confidence:
    """Confidence of samples from their cluster ids and labels; each from its own row alone."""

    met: Array  # (c + 1, K): samples that a base cluster shares with a consensus cluster
    sizes: Array  # of the base clusters
    alone_in_consensus: Array  # (K,): consensus clusters of one sample

    def __call__(self, ids: Array, labels: Array) -> Array:
        # A partition in which a sample is alone counts only if it is alone in the consensus.
        return mean_company(ids, labels, self.met, self.sizes, self.alone_in_consensus)


def _confidence_by_columns(ensemble: Ensemble, labels: Array) -> Array:
    """The same where base and consensus clusters are too many for a table of all pairs."""
    alone_in_consensus = np.bincount(labels)[labels] == 1
    share = np.zeros(ensemble.n_samples)
    counted = np.zeros(ensemble.n_samples)
    for rows, codes in _partitions(ensemble):
        own = labels[rows]
        sizes = np.bincount(codes)[codes]
        together = pair_counts(codes, own)
        alone = sizes == 1
        part = np.where(alone, 1.0, (together - 1) / np.maximum(sizes - 1, 1))
        counts = ~alone | alone_in_consensus[rows]
        share[rows] += np.where(counts, part, 0.0)
        counted[rows] += counts
    return share / np.maximum(counted, 1)


def cluster_stability(ensemble: Ensemble, labels: Any) -> ClusterStability:
    r"""Stability of each consensus cluster, and the cluster with which it is mixed most.

    The mean co-association of the samples of clusters :math:`c` and :math:`d`,

    .. math:: S_{cd} = \frac{1}{M_{cd}} \sum_m
              \frac{\sum_B |B \cap c|\,|B \cap d|}{|L_m \cap c|\,|L_m \cap d|},

    with :math:`B` over the clusters of partition :math:`m`, :math:`L_m` the samples that it
    labels and :math:`M_{cd}` the number of partitions that label samples of both; a sample is
    not paired with itself.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    labels : array-like of shape (n_samples,)
        Consensus cluster of each sample.

    Returns
    -------
    ClusterStability
        Named tuple (sizes, stability, cohesion, rival, affinity), one entry per cluster in
        increasing order of the labels.

    See Also
    --------
    sample_confidence : The confidence, of which the stability is the mean.

    Examples
    --------
    >>> from consensa.metrics import cluster_stability
    >>> found = cluster_stability([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]], [0, 0, 1, 1])
    >>> found.cohesion, found.rival
    (array([1.        , 0.66666667]), array([1, 0]))
    >>> found.affinity[0, 1].round(2)
    np.float64(0.17)
    """
    ensemble, labels, n_labels = read_ensemble_and_labels(ensemble, labels)
    sizes = np.bincount(labels)
    stability = np.bincount(labels, sample_confidence(ensemble, labels)) / sizes
    step = "The affinity between clusters"
    require_square(n_labels, np.float64, arrays=6, step=step, of="clusters")
    affinity = mean_affinity(ensemble, labels, n_labels)
    return ClusterStability(sizes, stability, np.diag(affinity).copy(), _rival(affinity), affinity)


def partition_agreement(ensemble: Ensemble, labels: Any) -> PartitionAgreement:
    """Agreement of each base partition with the consensus.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    labels : array-like of shape (n_samples,)
        Consensus cluster of each sample.

    Returns
    -------
    PartitionAgreement
        Named tuple (n_clusters, n_labeled, agreement, weight), one entry per partition.

    See Also
    --------
    adjusted_rand_index : The agreement.
    sample_confidence : The confidence of each sample.

    Examples
    --------
    >>> from consensa.metrics import partition_agreement
    >>> found = partition_agreement([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    >>> found.agreement, found.weight
    (array([ 1. , -0.5]), array([1., 0.]))
    """
    ensemble, labels, _ = read_ensemble_and_labels(ensemble, labels)
    agreement = rand_with(ensemble, labels)
    positive = np.maximum(agreement, 0)
    total = positive.sum()
    equal = np.full(len(agreement), 1 / len(agreement))
    return PartitionAgreement(
        ensemble.cluster_counts,
        ensemble.labeled.sum(axis=0),
        agreement,
        positive / total if total > 0 else equal,
    )


def read_ensemble_and_labels(ensemble: Any, labels: Any) -> tuple[Ensemble, Array, int]:
    """An ensemble, labels numbered 0, 1, … in the order of their values, and their number."""
    ensemble = Ensemble.from_labels(ensemble)
    codes = read_labels(labels, "labels")
    if len(codes) != ensemble.n_samples:
        message = (
            f"labels must have one entry for each of the {ensemble.n_samples} samples of the "
            f"ensemble. Got {len(codes)}."
        )
        raise InvalidInputError(message)
    plain = np.asarray(labels)
    if plain.dtype.kind in "iu":  # keep the numbers of the clusters, so that entry c is cluster c
        codes = np.unique(plain, return_inverse=True)[1]
    return ensemble, codes.astype(np.int64), int(codes.max()) + 1


def _partitions(ensemble: Ensemble) -> Iterator[tuple[Any, Array]]:
    """Rows that each partition labels, and their codes."""
    for codes in ensemble.codes.T:
        rows = np.flatnonzero(is_labeled(codes)) if ensemble.has_missing else slice(None)
        yield rows, codes[rows].astype(np.int64)


def pair_counts(codes: Array, labels: Array) -> Array:
    """For each sample, how many samples share its clusters in both of two partitions."""
    pairs = codes * (int(labels.max()) + 1) + labels
    if pairs.max() <= 4 * pairs.size + 64:
        return np.bincount(pairs)[pairs]
    _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    return counts[inverse]


def mean_affinity(ensemble: Ensemble, labels: Array, n_labels: int) -> Array:
    """Mean co-association of samples with one label and samples with another.

    The labels are numbers from 0, each of which occurs; a sample is not paired with itself.
    """
    total = np.zeros((n_labels, n_labels))
    counted = np.zeros((n_labels, n_labels))
    for rows, codes in _partitions(ensemble):
        own = labels[rows]
        table = _table(codes, own, n_labels)
        sizes = np.bincount(own, minlength=n_labels).astype(float)
        together = (table.T @ table).toarray() - np.diag(sizes)
        pairs = np.outer(sizes, sizes) - np.diag(sizes)
        total += np.divide(together, pairs, out=np.zeros_like(pairs), where=pairs > 0)
        counted += pairs > 0
    mean = total / np.maximum(counted, 1)
    alone = np.bincount(labels) == 1
    mean[alone, alone] = 1.0
    return mean


def company_shares(ensemble: Ensemble, labels: Array, samples: Array) -> Array:
    """Support of the base partitions for each consensus cluster of some samples.

    `sample_confidence` for all clusters instead of the sample's own one: the probability that
    another sample of its cluster in a random partition is in each consensus cluster.
    Rows are `samples`, columns the labels, which are numbered from 0.
    """
    n_labels = int(labels.max()) + 1
    shares = np.zeros((len(samples), n_labels))
    counted = np.zeros(len(samples))
    for codes in ensemble.codes.T:
        known = np.flatnonzero(is_labeled(codes))
        table = _table(codes[known].astype(np.int64), labels[known], n_labels)
        here = np.flatnonzero(is_labeled(codes[samples]))
        company = table[codes[samples[here]]].toarray()
        company[np.arange(len(here)), labels[samples[here]]] -= 1
        companions = company.sum(axis=1)
        shares[here] += company / np.maximum(companions, 1)[:, None]
        counted[here] += companions > 0
    return shares / np.maximum(counted, 1)[:, None]


def _table(codes: Array, labels: Array, n_labels: int) -> sparse.csr_array:
    """Number of samples that each base cluster shares with each label."""
    shape = (int(codes.max()) + 1, n_labels)
    return sparse.coo_array((np.ones(len(codes)), (codes, labels)), shape=shape).tocsr()


def _rival(affinity: Array) -> Array:
    others = affinity - np.diag(np.diag(affinity) + 1)
    return np.where(others.max(axis=1) > 0, others.argmax(axis=1), -1)
