"""CumulativeVoting: clusters give shares of their votes to a reference (Ayad and Kamel 2008)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus._representatives import Representatives, draw_rows
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.ensemble.rows import add_rows_of_table, cluster_slices
from consensa.partition import linkage_tree
from consensa.partition.kmeans import points_for_starts

__all__ = ["CumulativeVoting", "cumulativevoting"]

_TINY = np.finfo(np.float64).tiny


@consensus_method(
    MethodInfo(
        name="CumulativeVoting",
        year=2008,
        reference="H. G. Ayad and M. S. Kamel, IEEE TPAMI 30(1)",
        time="n r (m + r), r clusters of the reference",
        memory="n (m + K) + (n + c) r",
        arrays=(Arrays(4, "nK"), Arrays(2, "cK")),
    ),
)
def cumulativevoting(ensemble: Ensemble, n_clusters: int) -> ConsensusResult:
    """Consensus of `ensemble` by cumulative voting.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s

    Returns
    -------
    ConsensusResult
        Labels, and ``details`` with the keys ``"votes"`` and ``"reference"``.

    See Also
    --------
    CumulativeVoting : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, cumulativevoting
    >>> cumulativevoting(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    entropies = _entropies(ensemble)
    reference = _reference(ensemble.cluster_counts, entropies, n_clusters)
    first = np.arange(len(entropies)) != reference
    order = np.lexsort((-entropies, first))  # the reference, then the largest entropies
    size = int(ensemble.cluster_counts[reference])
    chosen = draw_rows(ensemble, points_for_starts(ensemble.n_samples, n_clusters), 0)
    _require_tables(ensemble, len(chosen.ids), size)
    poll = _count(ensemble, chosen, order, size)
    merged = poll.table @ _shares_of_groups(poll, n_clusters)
    given = add_rows_of_table(ensemble.cluster_ids, merged)
    votes = given / ensemble.labeled.sum(axis=1, keepdims=True)
    details = {
        "votes": Along(votes, ("sample", "label")),
        "reference": Along(reference, numbers="partition"),
    }
    return ConsensusResult(np.argmax(given, axis=1), ensemble, details=details)


class _Poll(NamedTuple):
    """Votes for the r clusters of the reference."""

    table: Array  # (c, r): shares of the votes of each base cluster
    votes: Array  # (samples, r): shares of the votes on each sample
    weights: Array  # (samples,)


def _entropies(ensemble: Ensemble) -> Array:
    """Entropy of each partition, of its labeled samples."""
    found = []
    for own in cluster_slices(ensemble.cluster_counts):
        sizes = np.sort(ensemble.cluster_sizes[own])  # sums of equal sizes are equal
        found.append(-_f(sizes / sizes.sum()).sum())
    return np.array(found)


def _reference(cluster_counts: Array, entropies: Array, n_clusters: int) -> int:
    """The partition with the largest entropy, of those with enough clusters if there are any."""
    enough = cluster_counts >= n_clusters
    return int(np.argmax(np.where(enough | ~enough.any(), entropies, -1)))


def _require_tables(ensemble: Ensemble, n_rows: int, size: int) -> None:
    require_bytes(
        8.0 * size * (6 * n_rows + 2 * ensemble.n_clusters + 4 * size),
        step="CumulativeVoting",
        why=f"votes on {n_rows} samples for the {size} clusters of the reference",
        remedy="Use partitions with fewer clusters, or a machine with more memory.",
    )


def _count(ensemble: Ensemble, chosen: Representatives, order: Array, size: int) -> _Poll:
    """Let the partitions vote in this order, each for the mean of the votes before it."""
    clusters = cluster_slices(ensemble.cluster_counts)
    sizes = ensemble.cluster_sizes[clusters[order[0]]]
    table = np.zeros((ensemble.n_clusters, size))
    table[clusters[order[0]]] = np.eye(size)
    total, n_votes = np.zeros((len(chosen.ids), size)), np.zeros((len(chosen.ids), 1))
    for partition in order:
        ids = chosen.ids[:, partition]
        here = is_labeled(ids)
        if partition != order[0]:
            mean = total / np.maximum(n_votes, 1)
            counted = chosen.weights * (n_votes[:, 0] > 0)
            shape = (ensemble.n_clusters, len(ids))
            members = sparse.csr_array((counted[here], (ids[here], np.flatnonzero(here))), shape)
            members = members[clusters[partition]]
            weight = np.asarray(members.sum(axis=1)).reshape(-1, 1)
            # Clusters without a sample that has votes know the sizes of the reference only.
            table[clusters[partition]] = np.where(
                weight > 0, members @ mean / np.maximum(weight, 1), sizes / sizes.sum()
            )
        total[here] += table[ids[here]]
        n_votes[here] += 1
    return _Poll(table, total / n_votes, chosen.weights)


def _shares_of_groups(poll: _Poll, n_clusters: int) -> Array:
    """How a vote for each cluster of the reference counts for the consensus clusters: (r, K).

    It counts for one of them. A cluster of the reference of which no row was drawn has no
    distribution to compare: its vote is divided like their sizes.
    """
    sums = poll.weights @ poll.votes
    known = sums > 0
    shares = np.zeros((len(sums), n_clusters))
    shares[known] = np.eye(n_clusters)[_groups(poll, known, n_clusters)]
    shares[~known] = sums @ shares / sums.sum()
    return shares


def _groups(poll: _Poll, known: Array, n_clusters: int) -> Array:
    """Consensus cluster of each known cluster of the reference, by average linkage."""
    size = int(known.sum())
    if size <= n_clusters:
        return np.arange(size)
    votes = np.compress(known, poll.votes, axis=1)
    return linkage_tree(1 - _divergences(votes, poll.weights)).cut(n_clusters)


def _divergences(votes: Array, weights: Array) -> Array:
    """Generalized Jensen-Shannon divergence, in bits, of the clusters as distributions of samples.

    With f(u) = u log u it is the sum over the samples of f(u) + f(v) − f(u + v), less the same of
    the sums of u and v, divided by the sum of both.
    """
    sums, own = weights @ votes, weights @ _f(votes)
    pairs = np.add.outer(sums, sums)
    found = np.zeros_like(pairs)
    for q in range(len(sums) - 1):
        rest = slice(q + 1, None)
        together = weights @ _f(votes[:, rest] + votes[:, q, None])
        whole = _f(sums[q]) + _f(sums[rest]) - _f(pairs[q, rest])
        found[q, rest] = (own[q] + own[rest] - together - whole) / pairs[q, rest]
    return np.clip((found + found.T) / np.log(2), 0, 1)


def _f(u: Array) -> Array:
    """The values u log u; 0 where u is 0."""
    return np.asarray(u * np.log(np.maximum(u, _TINY)))


class CumulativeVoting(BaseConsensus):
    r"""Consensus by cumulative voting.

    A base cluster divides its vote among the :math:`r` clusters of a reference partition, in place
    of voting for one of them: no one-to-one matching is needed, and the numbers of clusters may
    differ. The reference is the partition with the largest entropy, of those with at least
    `n_clusters` clusters. The others vote one after the other, in decreasing order of their
    entropy. With :math:`U_{iq}`, the mean of the votes on sample :math:`i` so far, a cluster
    :math:`C` of the next partition gives cluster :math:`q` of the reference the share

    .. math:: w_{Cq} = \frac{1}{|C|} \sum_{i \in C} U_{iq},

    which is the least-squares fit of the votes by the partition. At the end
    :math:`U_{iq} / \sum_i U_{iq}` is the distribution :math:`p_q` of the samples in cluster
    :math:`q`, and :math:`\pi_q = \sum_i U_{iq}` its weight. The clusters of the reference
    are merged by average linkage on the generalized Jensen-Shannon divergence

    .. math:: H\left(\frac{\pi_q p_q + \pi_s p_s}{\pi_q + \pi_s}\right)
        - \frac{\pi_q H(p_q) + \pi_s H(p_s)}{\pi_q + \pi_s},

    and a sample is assigned to the cluster with the most votes [1]_ [2]_.

    Parameters
    ----------
    %(n_clusters)s
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    %(labels_)s
    votes_ : ndarray of shape (n_samples, number of clusters)
        Share of the votes on each sample for each cluster.
    reference_ : int
        Number of the reference partition.
    %(fitted)s

    See Also
    --------
    cumulativevoting : The same for an existing `Ensemble`.
    Voting : One vote per base cluster, after a one-to-one matching.

    Notes
    -----
    Needs no n × n array: time :math:`O(n r (m + r))` and memory :math:`O(n (m + r))` for a
    reference of :math:`r` clusters. The votes of every partition preserve the sizes of the
    reference, :math:`\sum_i U_{iq}`. A missing label is no vote; a cluster whose samples have no
    votes yet divides its vote like the sizes of the reference. Partitions with equal entropies
    vote in canonical order. If no partition has `n_clusters` clusters, or a cluster has the most
    votes on no sample, it gets the distinct row that fits worst in its cluster, with a warning.
    Above 20,000 samples, and 50 per cluster, the shares are computed from that many distinct rows,
    drawn by a hash of their labels. A vote for a cluster of the reference of which no row is drawn
    is divided like the sizes of the merged clusters.

    References
    ----------
    .. [1] H. G. Ayad and M. S. Kamel, "Cumulative voting consensus method for partitions with
       variable number of clusters", IEEE Transactions on Pattern Analysis and Machine
       Intelligence 30(1), 2008. :doi:`10.1109/TPAMI.2007.1138`
    .. [2] H. G. Ayad and M. S. Kamel, "On voting-based consensus of cluster ensembles", Pattern
       Recognition 43(5), 2010. :doi:`10.1016/j.patcog.2009.11.012`

    Examples
    --------
    >>> from consensa import CumulativeVoting
    >>> partitions = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 1], [2, 1, 1], [2, 1, 1]]
    >>> model = CumulativeVoting(n_clusters=2, generator="precomputed").fit(partitions)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.votes_[3].round(2)
    array([0.25, 0.75])
    """

    _function = staticmethod(cumulativevoting)
    votes_ = Detail()
    reference_ = Detail()
