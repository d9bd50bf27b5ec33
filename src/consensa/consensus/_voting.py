"""Voting: partitions are matched to a reference and vote (Dimitriadou et al. 2002)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along
from consensa.consensus._result_warnings import warn_unless_converged
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.rows import cluster_slices
from consensa.metrics import normalized_mutual_information
from consensa.partition import linkage_tree, match_clusters

__all__ = ["Voting", "voting"]

_ROUNDING = 1e-12  # minimum relative gain of votes


@consensus_method(
    MethodInfo(
        name="Voting",
        year=2002,
        reference="E. Dimitriadou, A. Weingessel and K. Hornik, IJPRAI 16(7)",
        time="n m² + min(m, 20) × n m K",
        memory="n (m + K) + c²",
        arrays=(Arrays(4, "cK"), Arrays(6, "sK")),
        revision=4,
    ),
)
def voting(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    n_references: int = 20,
    max_iter: int = 100,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by voting after alignment.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    n_references : int, default=20
        Number of partitions to try as the reference.
    max_iter : int, default=100
        Maximum number of rounds of matching and voting.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of references, used if there are more than `n_references`
        partitions.

    Returns
    -------
    ConsensusResult
        Labels, and ``details`` with the keys ``"votes"``, ``"reference"``, ``"n_iter"`` and
        ``"converged"``.

    See Also
    --------
    Voting : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, voting
    >>> voting(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    poll = _Poll.of(ensemble, n_clusters)
    references = _references(ensemble.n_partitions, n_references, random_source(random_state))
    best = max(
        (_elect(poll, reference, max_iter) for reference in references),
        key=lambda election: _merit(ensemble, election.winners),
    )
    warn_unless_converged("Voting", best.converged, max_iter, "rounds of matching")
    details = {
        "votes": Along(_vote_shares(poll, best), ("sample", "label")),
        "reference": Along(best.reference, numbers="partition"),
        "n_iter": best.n_iter,
        "converged": best.converged,
    }
    return ConsensusResult(best.winners, ensemble, details=details)


class _Poll(NamedTuple):
    """Data of an ensemble for the rounds of voting."""

    n_clusters: int
    membership: sparse.csr_array  # B: (n, c)
    overlap: sparse.csr_array | _Unstored  # (c, c): samples, weighted by 1 / number of labels
    sizes: Array  # (c,)
    partitions: list[slice]  # clusters of each partition

    @classmethod
    def of(cls, ensemble: Ensemble, n_clusters: int) -> _Poll:
        """Memberships, and the overlaps of the clusters."""
        membership = ensemble.membership()
        partitions = cluster_slices(ensemble.cluster_counts)
        stored = ensemble.stores_overlap
        overlap = _shared_samples(membership) if stored else _Unstored(membership)
        return cls(n_clusters, membership, overlap, ensemble.cluster_sizes, partitions)

    def ballots(self, candidate: Array, voting: slice = slice(None)) -> sparse.csr_array:
        """Indicator of the consensus cluster for which each of these clusters votes: (c, K)."""
        voters = np.arange(len(self.sizes))[voting]
        shape = (len(self.sizes), self.n_clusters)
        return sparse.csr_array((np.ones(len(candidate)), (voters, candidate)), shape=shape)


def _shared_samples(membership: sparse.csr_array) -> sparse.csr_array:
    """Overlaps of the clusters, with each sample weighted by 1 / its number of labels.

    Integers are added for each number of labels, so that the sums are exactly order-free.
    """
    n_labels = np.diff(membership.indptr)
    total = sparse.csr_array((membership.shape[1],) * 2)
    for count in np.unique(n_labels[n_labels > 0]):
        rows = membership[n_labels == count]
        total = total + (rows.T @ rows) / count
    return sparse.csr_array(total)


class _Unstored:
    """The overlaps of so many clusters that they are not stored: products of the memberships."""

    def __init__(self, membership: sparse.csr_array) -> None:
        n_labels = np.diff(membership.indptr)
        counts = np.unique(n_labels[n_labels > 0])
        # Memberships of the samples with each number of labels.
        self.parts = [(int(count), membership[n_labels == count]) for count in counts]

    def __matmul__(self, ballots: sparse.csr_array) -> sparse.csr_array:
        # Sums of integers for each number of labels, so that they are exactly order-free.
        return sum(rows.T @ (rows @ ballots) / count for count, rows in self.parts)

    def __getitem__(self, clusters: slice) -> sparse.csr_array:
        """The rows of these clusters."""
        return sum(rows[:, clusters].T @ rows / count for count, rows in self.parts)


class _Election(NamedTuple):
    candidate: Array  # (c,): consensus cluster that each cluster votes for
    winners: Array  # (n,): consensus cluster of each sample
    reference: int
    n_iter: int
    converged: bool


def _references(n_partitions: int, wanted: int, rng: np.random.RandomState) -> Iterable[int]:
    if n_partitions <= wanted:
        return range(n_partitions)
    return np.sort(rng.choice(n_partitions, wanted, replace=False)).tolist()


def _elect(poll: _Poll, reference: int, max_iter: int) -> _Election:
    """Match all partitions to the votes and vote again, until the agreement does not increase."""
    here = poll.partitions[reference]
    support = (poll.overlap @ poll.ballots(_reference_clusters(poll, here), here)).toarray()
    agreed, n_iter, converged = -np.inf, 0, False
    while not converged and n_iter < max_iter:
        n_iter += 1
        aligned = np.concatenate([match_clusters(support[own]) for own in poll.partitions])
        recount = (poll.overlap @ poll.ballots(aligned)).toarray()
        now = recount[np.arange(len(aligned)), aligned].sum()
        converged = bool(now <= agreed * (1 + _ROUNDING))
        if not converged:
            agreed, candidate, support = now, aligned, recount
    return _Election(candidate, _winners(poll, candidate, support), reference, n_iter, converged)


def _reference_clusters(poll: _Poll, reference: slice) -> Array:
    """Consensus cluster of each cluster of the reference; merged if there are too many."""
    sizes = poll.sizes[reference]
    if len(sizes) <= poll.n_clusters:
        return np.arange(len(sizes))
    profiles = poll.overlap[reference]
    # Mean co-association of the samples of two clusters.
    together = (profiles @ profiles.T).toarray() * len(poll.partitions)
    return linkage_tree(together / np.outer(sizes, sizes), method="average").cut(poll.n_clusters)


def _winners(poll: _Poll, candidate: Array, support: Array) -> Array:
    """Cluster with the most votes; ties are decided by the support of the sample's clusters."""
    votes = (poll.membership @ poll.ballots(candidate)).toarray()
    supported = poll.membership @ (support / poll.sizes[:, None])
    leading = votes == votes.max(axis=1, keepdims=True)
    return np.where(leading, supported, -1).argmax(axis=1)


def _merit(ensemble: Ensemble, labels: Array) -> tuple[int, float]:
    """Number of clusters, then mean normalized mutual information with the partitions."""
    scores = [
        normalized_mutual_information(codes[known], labels[known], normalization="geometric")
        for codes, known in zip(ensemble.codes.T, ensemble.labeled.T, strict=True)
    ]
    return len(np.unique(labels)), float(np.mean(scores))


def _vote_shares(poll: _Poll, election: _Election) -> Array:
    """Proportion of the votes on each sample for each cluster."""
    votes = (poll.membership @ poll.ballots(election.candidate)).toarray()
    return votes / votes.sum(axis=1, keepdims=True)


class Voting(BaseConsensus):
    r"""Consensus by voting after alignment.

    Each cluster :math:`C` of each partition votes, for all its samples, for one of
    `n_clusters` consensus clusters :math:`\pi(C)`. With :math:`V_{ik}`, the proportion of the
    :math:`m_i` votes on sample :math:`i` for cluster :math:`k`, the partitions are relabeled to
    agree with the votes as much as possible,

    .. math:: \min_{\pi, V} \sum_i \sum_{C \ni i} \| e_{\pi(C)} - V_i \|^2,

    in alternation: given the votes, the Hungarian method matches the clusters of each partition to
    the consensus clusters by the votes on their samples; given the matches, the votes are counted
    again. Neither step increases the sum, so that the alternation converges. A sample is assigned
    to the cluster with the most votes [1]_.

    The partitions need not have `n_clusters` clusters. If a partition has fewer, they are matched
    to different consensus clusters; if it has more, every consensus cluster is matched, and the
    other clusters vote where they agree most.

    The first votes are those of a reference partition; if it has more than `n_clusters`
    clusters, they are merged by average linkage on their mean co-association. Every partition
    is tried as the reference. Of the results with the most clusters, at best all `n_clusters`,
    the one whose mean normalized mutual information with the partitions is largest is kept,
    the criterion of [2]_.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    n_references : int, default=20
        Number of partitions to try as the reference; if there are more, they are
        drawn at random.
    max_iter : int, default=100
        Maximum number of rounds of matching and voting.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the choice of references.

    Attributes
    ----------
    %(labels_)s
    votes_ : ndarray of shape (n_samples, number of clusters)
        Proportion of the votes on each sample for each cluster.
    reference_ : int
        Number of the reference partition.
    n_iter_ : int
        Number of rounds of matching and voting.
    converged_ : bool
        Whether the votes converged before `max_iter`.
    %(fitted)s

    See Also
    --------
    voting : The same for an existing `Ensemble`.
    HBGF : Partitions samples and base clusters together, without matching.
    consensa.partition.match_clusters : Match the clusters of one partition.

    Notes
    -----
    Needs no n × n array. All rounds work on the overlaps of the :math:`c` clusters:
    time :math:`O(n m^2)` once, and :math:`O(n m K)` for each reference; memory
    :math:`O(n (m + K) + c^2)`. Between clusters with equal numbers of votes, a sample is assigned
    to the one with the largest mean support of its base clusters. A missing label is no vote. A
    consensus cluster for which no sample has the most votes, for example if the partitions have
    fewer clusters, gets the distinct row that fits worst in its cluster, with a warning.

    References
    ----------
    .. [1] E. Dimitriadou, A. Weingessel and K. Hornik, "A combination scheme for fuzzy
       clustering", International Journal of Pattern Recognition and Artificial Intelligence
       16(7), 2002. :doi:`10.1142/S0218001402002052`
    .. [2] A. Strehl and J. Ghosh, "Cluster ensembles: a knowledge reuse framework for combining
       multiple partitions", Journal of Machine Learning Research 3, 2002.

    Examples
    --------
    >>> from consensa import Voting
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> model = Voting(n_clusters=2, generator="precomputed").fit(partitions)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    >>> model.votes_[2].round(2)
    array([0.67, 0.33])
    """

    _function = staticmethod(voting)
    n_references: int = 20
    max_iter: int = 100
    votes_ = Detail()
    reference_ = Detail()
    converged_ = Detail()
