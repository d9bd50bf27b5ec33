"""SPCE: a consensus graph learned from certain pairs to ambiguous ones (Zhou et al. 2021)."""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np

from consensa._array import Array, to_library
from consensa._machine.threads import over_row_blocks
from consensa._params import Real
from consensa._result import ConsensusResult
from consensa._result.wording import counted
from consensa.consensus import _spce_kernels as kernels
from consensa.consensus._component_number import merged_components
from consensa.consensus._in_order import Along
from consensa.consensus._laplacian_spectrum import Spectrum, bottom_of_spectrum
from consensa.consensus._partition_shares import shares_of_misfits
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.consensus.needs import groups_that_fit
from consensa.ensemble import Ensemble, Microclusters
from consensa.exceptions import ConvergenceWarning
from consensa.partition import linkage_tree
from consensa.similarity import coassociation

__all__ = ["SPCE", "spce"]

_PACES = (0.9, 0.8, 0.7, 0.6, 0.5)  # q: how ambiguous the pairs may be
_ROUNDS = 5  # maximum number for each pace
_LAST_ROUNDS = 20  # maximum number for the last pace
_CONNECTED = 1e-9  # above it, the graph has fewer than K components
_FEWER = "exact_k=False returns them, and a smaller threshold gives fewer"


@consensus_method(
    MethodInfo(
        name="SPCE",
        year=2021,
        reference="P. Zhou, L. Du, X. Liu, Y.-D. Shen, M. Fan and X. Li, IEEE TNNLS 32(4)",
        time="up to 40 × (n² m + K smallest eigenvectors of n × n)",
        memory="5 n²",
        square_arrays=5,
        missing=False,
        revision=2,
    ),
    threshold=(Real(least=0),),
)
def spce(
    ensemble: Ensemble, n_clusters: int, *, threshold: float = 0.1, exact_k: bool = True
) -> ConsensusResult:
    """Consensus of `ensemble` by self-paced learning of a graph.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    threshold : float, default=0.1
        Weights of the graph below about this value are set to 0.
    exact_k : bool, default=True
        Whether to merge or split components until there are `n_clusters`.

    Returns
    -------
    ConsensusResult
        Labels, the learned graph, and details: ``n_components``, ``converged``, ``n_iter``,
        ``partition_shares``, ``history``.

    See Also
    --------
    SPCE : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, spce
    >>> spce(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    groups = groups_that_fit(ensemble, arrays=5, step="SPCE's graph")
    learnt = _learn_graph(groups, n_clusters, threshold * ensemble.n_partitions)
    n_components = int(learnt.component.max()) + 1
    component = learnt.component
    if n_components > n_clusters and exact_k:
        component = merged_components("SPCE", component, groups, n_clusters, remedy=_FEWER)
    labels = component[groups.labels]
    graph = learnt.graph[np.ix_(groups.labels, groups.labels)]
    if n_components < n_clusters and exact_k:
        labels = _split_components(graph, labels, groups, n_clusters)
    details = {
        "n_components": n_components,
        "converged": n_components == n_clusters,
        "n_iter": len(learnt.history["factor"]),
        "partition_shares": Along(learnt.shares, ("partition",)),
        "history": learnt.history,
    }
    affinity = to_library(graph, like=ensemble.labels)
    return ConsensusResult(labels, ensemble, affinity=affinity, details=details)


class _Learnt(NamedTuple):
    graph: Array  # S, between microclusters
    component: Array  # of each microcluster
    shares: Array  # p, of each partition
    history: dict[str, Array]


def _learn_graph(groups: Microclusters, n_clusters: int, cutoff: float) -> _Learnt:
    """Alternate between the graph, its embedding and the shares of the partitions.

    Samples of a microcluster have weight 1 among themselves and equal weights to all others in
    every round, so the graph is stored between microclusters, and sums over samples are weighted
    by size. Different microclusters are never together in all partitions, so the pairs with a
    fixed weight of 1 are the diagonal here.
    """
    partitions = Ensemble(groups.rows)
    m = partitions.n_partitions
    by_partition = np.ascontiguousarray(partitions.labels.T, dtype=np.int32)
    sizes = groups.sizes.astype(np.float64)
    shares = np.full(m, 1 / m)
    evidence = coassociation(partitions)
    graph = evidence.copy()
    spectrum = bottom_of_spectrum(graph, groups.sizes, n_clusters)
    factor = 1.0  # lambda
    history: dict[str, list[float]] = {"pace": [], "factor": [], "n_components": []}
    for pace in _PACES:
        weights = _pair_weights(graph, evidence, shares, 2 * pace * (1 - pace) * m**2)
        for turn in range(_LAST_ROUNDS if pace == _PACES[-1] else _ROUNDS):
            del graph  # frees memory before the next one is computed
            graph = _update_graph(evidence, spectrum, shares, weights, factor, cutoff)
            previous = spectrum
            spectrum = bottom_of_spectrum(graph, groups.sizes, n_clusters)
            shares = _update_shares(graph, weights, by_partition, sizes)
            _update_evidence(by_partition, shares, evidence)
            n_components = int(spectrum.component.max()) + 1
            history["pace"].append(pace)
            history["factor"].append(factor)
            history["n_components"].append(n_components)
            component = spectrum.component
            if spectrum.tail > _CONNECTED:  # too few components: increase
                factor *= 2
            elif n_components > n_clusters:  # too many: decrease, from the previous value
                factor /= 2
                spectrum = previous
            elif turn > 0:
                break
    recorded = {name: np.asarray(values) for name, values in history.items()}
    return _Learnt(graph, component, shares, recorded)


def _pair_weights(graph: Array, evidence: Array, shares: Array, age: float) -> Array:
    """W = min(1, age / (2 Σ_j (S − A_j)² / p_j)): ambiguous pairs have smaller weights.

    With C the co-association weighted by 1/p and h = Σ 1/p, the sum is h (S² − 2 S C + C).
    """
    weights = -2 * evidence
    weights += graph
    weights *= graph
    weights += evidence
    weights *= 2 * (1 / shares).sum()  # the misfit
    certain = weights <= age
    np.divide(age, weights, out=weights, where=~certain)
    weights[certain] = 1
    return weights


def _update_graph(
    evidence: Array,
    spectrum: Spectrum,
    shares: Array,
    weights: Array,
    factor: float,
    cutoff: float,
) -> Array:
    """S = C − λ D / (2 h W²), 0 below cutoff / (W √h) and at most 1.

    Pairs that are together in no partition stay at 0, and the diagonal at 1.
    """
    total = float((1 / shares).sum())
    graph = np.empty_like(evidence)
    embedding = np.ascontiguousarray(spectrum.embedding.T)
    pull, least = factor / (2 * total), cutoff / math.sqrt(total)

    def block(start: int, stop: int) -> None:
        kernels.graph_rows(
            evidence, embedding, spectrum.spread, weights, pull, least, graph, start, stop
        )

    over_row_blocks(block, len(graph), kernels.BLOCK)
    return graph


def _update_evidence(partitions: Array, shares: Array, evidence: Array) -> None:
    """C, the co-association in which partition j counts by 1/p_j, over the old one."""
    importance = 1 / shares / (1 / shares).sum()

    def block(start: int, stop: int) -> None:
        kernels.evidence_rows(partitions, importance, evidence, start, stop)

    over_row_blocks(block, len(evidence), kernels.BLOCK)


def _update_shares(graph: Array, weights: Array, partitions: Array, sizes: Array) -> Array:
    """p_j ∝ ‖W ∘ (S − A_j)‖: a partition that fits badly has a large share, and the weight 1/p_j.

    No A_j is computed. `partitions` has one row for each partition.
    """

    def block(start: int, stop: int) -> Array:
        return kernels.misfit_rows(graph, weights, partitions, sizes, start, stop)

    return shares_of_misfits(np.sum(over_row_blocks(block, len(graph), kernels.BLOCK), axis=0))


def _split_components(
    graph: Array, component: Array, groups: Microclusters, n_clusters: int
) -> Array:
    """Average linkage on the graph, which joins the components last."""
    message = (
        f"SPCE found {counted(int(component.max()) + 1, 'component')} instead of {n_clusters}. "
        f"They are split by average linkage on the learned graph; exact_k=False returns them. "
        f"A larger threshold gives more components."
    )
    warnings.warn(message, ConvergenceWarning, stacklevel=5)
    apart = component[:, None] != component
    # Weights that only rounding tells apart are equal, whatever the number of threads.
    affinity = np.where(apart, -1, graph.round(9))
    return linkage_tree(affinity, groups=groups.labels).cut(n_clusters)


class SPCE(BaseConsensus):
    r"""Self-paced clustering ensemble.

    A graph with weights :math:`S` between the samples is learned from the connectivity matrices
    :math:`A^{(j)}` of the partitions, first from the pairs on which the partitions agree and then
    from the ambiguous ones, until it has K connected components [1]_:

    .. math::
        \min_{S, W, p} \; \sum_j \frac{1}{p_j} \| W \circ (S - A^{(j)}) \|_F^2
        + \gamma \|S\|_0 + \lambda \sum_{k=1}^{K} \sigma_k(L_S) - \rho \sum_{ab} W_{ab}, \quad
        \sum_j p_j = 1,

    where :math:`\sigma_k` are the smallest eigenvalues of the Laplacian :math:`L_S` and
    :math:`\gamma = (\mathtt{threshold} \cdot m)^2`. Pairs that are together in all partitions
    stay at 1, pairs that are together in none at 0. :math:`\lambda` is doubled or halved until the
    number of components is K; the age :math:`\rho` grows in five steps.

    Parameters
    ----------
    %(n_clusters)s
    threshold : float, default=0.1
        Weights below about this value are set to 0. The authors try 0, 0.1, …, 0.9 and give no
        default; above about 0.2 the graph often has more than `n_clusters` components.
    exact_k : bool, default=True
        Whether to merge components if the graph has more than `n_clusters`, by average linkage
        on their mean co-association, and to split them if it has fewer, by average linkage on
        the learned graph, with a warning. False returns the components, as in the authors'
        program.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        The learned graph, in the array library of the input.
    n_components_ : int
        Number of connected components of the graph.
    converged_ : bool
        Whether the graph has `n_clusters` components.
    n_iter_ : int
        Number of rounds, at most 40.
    partition_shares_ : ndarray of shape (n_partitions,)
        :math:`p`; partitions with larger values have smaller weights.
    history_ : dict
        For each round: ``"pace"`` q, ``"factor"`` λ, ``"n_components"``.
    %(fitted)s

    See Also
    --------
    spce : The same for an existing `Ensemble`.
    EAC : Agglomerates the co-association matrix.

    Notes
    -----
    At most 40 rounds; in each, the co-association of the microclusters and the K smallest
    eigenvectors of their Laplacian are computed. Memory for five n × n arrays if all rows are
    distinct.

    References
    ----------
    .. [1] P. Zhou, L. Du, X. Liu, Y.-D. Shen, M. Fan and X. Li, "Self-paced clustering
       ensemble", IEEE TNNLS 32(4), 2021. :doi:`10.1109/TNNLS.2020.2984814`

    Examples
    --------
    >>> from consensa import SPCE
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> model = SPCE(n_clusters=2, generator="precomputed").fit(partitions)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    >>> model.converged_
    True
    """

    _function = staticmethod(spce)
    threshold: float = 0.1
    exact_k: bool = True
    n_components_ = Detail()
    partition_shares_ = Detail()
    history_ = Detail()
    converged_ = Detail()
