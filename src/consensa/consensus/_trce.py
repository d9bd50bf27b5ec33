"""TRCE: one graph of K components from the graphs of the partitions (Zhou et al. 2021)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consensa._array import Array, to_library
from consensa._machine.threads import over_row_blocks
from consensa._result import ConsensusResult
from consensa.consensus import _trce_kernels as kernels
from consensa.consensus._component_number import merged_components, split_components
from consensa.consensus._in_order import Along
from consensa.consensus._laplacian_spectrum import Spectrum, bottom_of_spectrum
from consensa.consensus._partition_shares import shares_of_misfits
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.consensus.needs import groups_that_fit
from consensa.ensemble import Ensemble, Microclusters
from consensa.ensemble.missing import is_labeled

__all__ = ["TRCE", "trce"]

_EASY = 10  # at first, one sample in so many has the weight 1
_GROWTH = 1.1  # of the age, in each round
_ROUNDING = 1e-12  # a difficulty that is 0


@consensus_method(
    MethodInfo(
        name="TRCE",
        year=2021,
        reference="P. Zhou, L. Du, Y.-D. Shen and X. Li, AAAI 2021",
        time="up to 30 × (n² (m + K) + K smallest eigenvectors of n × n)",
        memory="4 n²",
        square_arrays=4,
    ),
)
def trce(
    ensemble: Ensemble, n_clusters: int, *, noise_penalty: float = 10.0, max_iter: int = 30
) -> ConsensusResult:
    """Consensus of `ensemble` by tri-level robust learning of a graph.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    noise_penalty : float, default=10.0
        The paper's γ: how near the graph stays to the best mean of the graphs of the partitions.
    max_iter : int, default=30
        Maximum number of rounds.

    Returns
    -------
    ConsensusResult
        Labels, the learned graph, and ``details`` with the keys ``"partition_shares"``,
        ``"sample_weights"``, ``"n_components"``, ``"n_iter"`` and ``"converged"``.

    See Also
    --------
    TRCE : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, trce
    >>> trce(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    groups = groups_that_fit(ensemble, arrays=4, step="TRCE's graph")
    learnt = _learn(_Graphs.of(groups), n_clusters, noise_penalty, max_iter)
    component = learnt.spectrum.component
    found = int(component.max()) + 1
    if found > n_clusters:
        component = merged_components("TRCE", component, groups, n_clusters)
    elif found < n_clusters:
        vectors = learnt.spectrum.embedding
        component = split_components("TRCE", component, vectors, groups.sizes, n_clusters)
    details = {
        "partition_shares": Along(learnt.shares, ("partition",)),
        "sample_weights": Along(learnt.weights[groups.labels], ("sample",)),
        "n_components": found,
        "n_iter": learnt.n_iter,
        "converged": found == n_clusters,
    }
    affinity = learnt.graph[np.ix_(groups.labels, groups.labels)]
    return ConsensusResult(
        component[groups.labels],
        ensemble,
        affinity=to_library(affinity, like=ensemble.labels),
        details=details,
    )


class _Graphs(NamedTuple):
    """The graphs A^(k) of the partitions, between microclusters.

    The entries of a microcluster in A^(k) are 0 or its share there.
    """

    partitions: Array  # (m, microclusters)
    shares: Array  # (microclusters, m): one over the size of the cluster; 0 for a missing label
    sizes: Array  # (microclusters,)

    @classmethod
    def of(cls, groups: Microclusters) -> _Graphs:
        distinct, sizes = Ensemble(groups.rows), groups.sizes.astype(np.float64)
        in_clusters = distinct.membership().T @ sizes
        labeled = is_labeled(distinct.cluster_ids)
        shares = np.where(labeled, 1 / in_clusters[distinct.cluster_ids], 0)
        partitions = np.ascontiguousarray(distinct.cluster_ids.T, dtype=np.int32)
        return cls(partitions, shares, sizes)

    def consensus(
        self, weights: Array, vectors: Array, penalty: float, pull: float
    ) -> tuple[Array, Array]:
        """A, and the divergences KL(A^(k), B) of each row.

        The rows of B minimise penalty Σ G B − Σ H log B, and those of A then
        Σ (A − B)² + 2 pull Σ G A, where both have the sum 1. G are squared distances between
        `vectors`, and H = Σ weights A^(k).
        """
        graph = np.empty((len(self.sizes), len(self.sizes)))
        divergence = np.empty_like(self.shares)
        given, embedding = weights * self.shares, np.ascontiguousarray(vectors.T)

        def block(start: int, stop: int) -> None:
            kernels.graph_rows(
                self.partitions, self.shares, given, self.sizes, embedding, penalty, pull,
                graph, divergence, start, stop,
            )  # fmt: skip

        over_row_blocks(block, len(graph), kernels.BLOCK)
        return graph, divergence

    @property
    def coverage(self) -> tuple[Array, Array]:
        """Share of the labels that are not missing: of each microcluster, of each partition."""
        labeled = self.shares > 0
        return labeled.mean(axis=1), self.sizes @ labeled / self.sizes.sum()


class _Learnt(NamedTuple):
    graph: Array  # A, symmetric
    spectrum: Spectrum
    shares: Array  # 1/α, of each partition
    weights: Array  # w, of each microcluster
    n_iter: int


def _learn(graphs: _Graphs, n_clusters: int, noise_penalty: float, max_iter: int) -> _Learnt:
    """Alternate between the weights, the graph and its embedding until there are K components.

    Samples with equal rows have equal rows of A, so the graph is stored between microclusters,
    and sums over samples are weighted by size.
    """
    m, sizes = len(graphs.partitions), graphs.sizes
    of_rows, of_partitions = graphs.coverage
    shares, weights = np.full(m, 1 / m), np.ones(len(sizes))
    nowhere = np.zeros((len(sizes), 1))
    graph, divergence = graphs.consensus(np.ones((len(sizes), m)), nowhere, 0.0, 0.0)
    graph, spectrum = _symmetric(graph, sizes, n_clusters)
    if spectrum.component.max() + 1 >= n_clusters:
        return _Learnt(graph, spectrum, shares, weights, 0)  # nothing to learn
    vectors, penalty, age = spectrum.embedding, 1.0, 0.0
    for n_iter in range(1, max_iter + 1):
        difficulty = _difficulties(divergence, shares) / of_rows
        age = age * _GROWTH if n_iter > 1 else 2 * _easy_difficulty(difficulty, sizes)
        weights = _sample_weights(difficulty, age)
        given = weights[:, None] ** 2 / shares / of_rows[:, None]
        graph, divergence = graphs.consensus(
            given, vectors, penalty, penalty / (2 * noise_penalty)
        )
        graph, spectrum = _symmetric(graph, sizes, n_clusters)
        shares = shares_of_misfits((sizes * weights**2) @ divergence / of_partitions)
        found = spectrum.component.max() + 1
        if found < n_clusters:
            penalty *= 2
            vectors = spectrum.embedding
        elif found > n_clusters:
            penalty /= 2  # and again from the vectors before
        elif n_iter > 1:
            break
        else:
            vectors = spectrum.embedding
    return _Learnt(graph, spectrum, shares, weights, n_iter)


def _symmetric(graph: Array, sizes: Array, n_clusters: int) -> tuple[Array, Spectrum]:
    """(A + A') / 2 and the bottom of its spectrum."""
    graph = (graph + graph.T) / 2
    return graph, bottom_of_spectrum(graph, sizes, n_clusters, alike=True)


def _difficulties(divergence: Array, shares: Array) -> Array:
    """Sum of the divergences of each row over the partitions, divided by their shares."""
    return np.asarray((divergence / shares).sum(axis=1))


def _easy_difficulty(difficulty: Array, sizes: Array) -> float:
    """Difficulty below which a tenth of the samples are; if it is 0, the least above 0."""
    order = np.argsort(difficulty, kind="stable")
    wanted = max(sizes.sum() // _EASY, 1)
    least = difficulty[order[np.searchsorted(np.cumsum(sizes[order]), wanted)]]
    if least > _ROUNDING:
        return float(least)
    return float(np.min(difficulty[difficulty > _ROUNDING], initial=np.inf))


def _sample_weights(difficulty: Array, age: float) -> Array:
    """Age / (2 difficulty), at most 1."""
    easy = 2 * difficulty <= age
    return np.where(easy, 1, age / np.where(easy, 1, 2 * difficulty))


class TRCE(BaseConsensus):
    r"""Tri-level robust clustering ensemble with multiple graph learning.

    Partition :math:`k` is a random walk :math:`A^{(k)}`: from a sample to each sample of its
    cluster with the same probability. A walk :math:`B = A + E` near all of them is learned, so
    that :math:`A`, without the noise :math:`E`, has K connected components, which are the
    consensus [1]_:

    .. math::
        \min_{A, E, w, p} \; \sum_k \frac{1}{p_k} \sum_i w_i^2 \,
        \mathrm{KL}(A^{(k)}_i \,\|\, A_i + E_i) + \gamma \|E\|_F^2 - \lambda \sum_i w_i, \quad
        \sum_k p_k = 1, \quad 0 \le w_i \le 1,

    such that the rows of :math:`A` and of :math:`A + E` are probabilities and the Laplacian
    :math:`L` of :math:`(A + A^T) / 2` has K eigenvalues 0. Partitions that are far from the
    consensus have large shares :math:`p`, which count less, and samples on which the partitions
    disagree have small weights :math:`w` at first: the age :math:`\lambda` starts where a tenth of
    the samples have weight 1, and grows by a tenth in each round. The constraint is replaced by
    :math:`2 \rho \operatorname{tr} F^T L F`, where :math:`F` are the eigenvectors of the K
    smallest eigenvalues; :math:`\rho` is doubled while there are fewer components, and halved if
    there are more.

    Parameters
    ----------
    %(n_clusters)s
    noise_penalty : float, default=10.0
        :math:`\gamma`. The authors try powers of 10 from 1e-5 to 1e5 and give no default. This one
        was chosen by the mean NMI of three draws of MF and three of Semeion: it is the smallest
        power of 10 within 0.001 of the best. Below 0.01 results get worse.
    max_iter : int, default=30
        Maximum number of rounds. The authors' program stops after 10, which are too few for the
        K components if `noise_penalty` is above 10.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        The learned graph :math:`(A + A^T) / 2`, in the array library of the input.
    partition_shares_ : ndarray of shape (n_partitions,)
        :math:`p`; partitions with larger values count less. One over the paper's :math:`\alpha`.
    sample_weights_ : ndarray of shape (n_samples,)
        :math:`w`; samples with smaller values are harder.
    n_components_ : int
        Number of connected components of the graph.
    converged_ : bool
        Whether there are `n_clusters` components.
    n_iter_ : int
        Number of rounds.
    %(fitted)s

    See Also
    --------
    trce : The same for an existing `Ensemble`.
    SPCE : Learns such a graph with weights of pairs of samples.
    CESHL : Learns memberships in the base clusters with K components.

    Notes
    -----
    Memory for four n × n arrays if all rows are distinct: samples with equal rows are one row of
    the problem, with the same solution. In each round the rows of :math:`B` and :math:`A` have
    exact solutions, one equation in one unknown each, and K eigenvectors are computed.

    A missing label leaves its partition out for that sample, and the sums over the other
    partitions, or over the other samples, are scaled to the full number. If the mean of the walks
    has K or more components, nothing is learned. If there are too many components in the end, they
    are merged by average linkage on their mean co-association; if there are too few, k-means
    divides the rows of the eigenvectors; both with a warning. As many clusters as distinct rows
    are these rows.

    The authors' program measures how hard a sample is by the divergence of the last partition,
    m times, in place of the sum over all partitions as in the paper and here: one index in
    its loop. With this index corrected, graph, shares and weights are equal to those of the
    program.

    References
    ----------
    .. [1] P. Zhou, L. Du, Y.-D. Shen and X. Li, "Tri-level robust clustering ensemble with
       multiple graph learning", AAAI 2021. :doi:`10.1609/aaai.v35i12.17327`

    Examples
    --------
    >>> from consensa import TRCE
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> model = TRCE(n_clusters=2, generator="precomputed").fit(partitions)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    >>> model.converged_
    True
    """

    _function = staticmethod(trce)
    noise_penalty: float = 10.0
    max_iter: int = 30
    partition_shares_ = Detail()
    sample_weights_ = Detail()
    n_components_ = Detail()
    converged_ = Detail()
