"""TEA: tempered evidence accumulation, the default method."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array, to_library
from consensa._machine.memory import require_square
from consensa._params import Integer, Real
from consensa._result import ConsensusResult
from consensa.consensus._representatives import LargestSum, Representatives, draw_rows
from consensa.consensus._tea_kernels import tempered_affinity
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.ensemble.equal_rows import adjacent_equal_rows
from consensa.ensemble.missing import is_labeled, is_missing
from consensa.partition import Dendrogram, sized_linkage
from consensa.similarity import cluster_certainty

__all__ = ["TEA", "tea"]

_MOST_SAMPLES = 200_000  # if there are more, that many distinct rows are used
_LEAST = 1e-300  # certainties may underflow if theta is tiny


def _n_seen(n_samples: int, n_clusters: int) -> int:
    """Number of samples from which microclusters are computed."""
    return min(n_samples, _MOST_SAMPLES)


@consensus_method(
    MethodInfo(
        name="TEA",
        year=2026,
        reference="Consensa; LWEA of D. Huang, C.-D. Wang and J.-H. Lai, tempered",
        time="n m² + g² m",
        memory="2 g² + n m",
        arrays=(Arrays(4, "cK"),),
        by_rows=True,
        dask=True,
        sample_size=_n_seen,
    ),
    normalization=(Real(least=0, most=0.5),),
    size_exponent=(Real(least=0, most=1),),
    max_groups=(Integer(2),),
)
def tea(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    theta: float = 0.25,
    normalization: float = 0.25,
    size_exponent: float = 0.1,
    max_groups: int = 8000,
) -> ConsensusResult:
    """Consensus of `ensemble` by tempered evidence accumulation.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    theta : float, default=0.25
        Scale of the decrease of certainty with entropy.
    normalization : float in [0, 0.5], default=0.25
        With larger values, uncertain samples count more like certain ones.
    size_exponent : float in [0, 1], default=0.1
        With larger values, small clusters merge earlier.
    max_groups : int, default=8000
        Maximum number of microclusters to agglomerate; above it, representatives are used.

    Returns
    -------
    ConsensusResult
        Labels; the tree for up to `max_groups` microclusters, and the affinity for up to as many
        samples; ``details["exact"]``.

    See Also
    --------
    TEA : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, tea
    >>> tea(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2).labels
    array([0, 0, 1])
    """
    seen = draw_rows(ensemble, _n_seen(ensemble.n_samples, n_clusters), seed=0)
    groups = _groups(seen)
    certainty = cluster_certainty(ensemble, theta=theta, weights=ensemble.weights)
    of_partitions = _weights(ensemble)
    limit = max(int(max_groups), 2 * n_clusters)
    chosen = _spread_over_groups(groups.sizes, limit)
    exact = seen.are_all and len(chosen) == len(groups.sizes)
    require_square(len(chosen), np.float64, arrays=2, step="TEA", of="microclusters")
    weights = np.add.reduceat(groups.sizes, np.r_[0, chosen[1:]])
    affinity = np.empty((len(chosen), len(chosen)))
    weighted = certainty * np.repeat(of_partitions, ensemble.cluster_counts)
    shared = np.where(ensemble.cluster_sizes > 1, weighted, 0)  # of one sample: of no pair
    scale = _own_affinity(groups.ids[chosen], shared, of_partitions) ** -normalization
    tempered_affinity(groups.ids[chosen], certainty, of_partitions, scale, affinity)
    small = exact and ensemble.n_samples <= limit  # the linkage overwrites the affinity
    kept = _of_samples(ensemble, affinity, groups.of_sample) if small else None
    tree = sized_linkage(affinity, weights, size_exponent=size_exponent)
    details = {"exact": exact}
    if exact:
        tree = Dendrogram(tree.merges, groups.of_sample)
        labels = tree.cut(n_clusters)
        return ConsensusResult(labels, ensemble, affinity=kept, tree=tree, details=details)
    of_chosen = tree.cut(n_clusters)
    table = _affinity_table(groups.ids[chosen], of_chosen, weights * scale, weights, weighted)
    if not seen.are_all:
        return ConsensusResult(ensemble.rows.label(LargestSum(table)), ensemble, details=details)
    of_group = _join_nearest(groups.ids, chosen, of_chosen, table)
    return ConsensusResult(of_group[groups.of_sample], ensemble, details=details)


def _weights(ensemble: Ensemble) -> Array:
    """Weight of each partition; 1 if they have none."""
    return np.ones(ensemble.n_partitions) if ensemble.weights is None else ensemble.weights


class _Groups(NamedTuple):
    """Microclusters, in canonical order."""

    of_sample: Array  # if all samples are used
    ids: Array  # (g, m): clusters, numbered as in `Ensemble.cluster_ids`
    sizes: Array


def _groups(seen: Representatives) -> _Groups:
    equal = adjacent_equal_rows(seen.ids)  # in canonical order
    of_sample = np.empty(len(seen.ids), np.int64)
    if seen.are_all:
        of_sample[seen.numbers] = equal.of_row
    sizes = np.add.reduceat(seen.weights, equal.first)
    return _Groups(of_sample, seen.ids[equal.first], sizes)


def _spread_over_groups(sizes: Array, limit: int) -> Array:
    """Representatives: all microclusters, or about `limit`, spread over their canonical order.

    Half of them are evenly spaced over the samples, so that large microclusters are included; the
    other half are evenly spaced over the microclusters. Neighbors in canonical order share their
    clusters in the first partitions: each represents those up to the next one.
    """
    n_groups, half = len(sizes), limit // 2
    if n_groups <= limit:
        return np.arange(n_groups)
    middles = (np.arange(half) + 0.5) / half
    by_samples = np.searchsorted(np.cumsum(sizes), middles * sizes.sum(), side="right")
    by_groups = (middles * n_groups).astype(np.int64)
    return np.union1d(by_samples, by_groups)


def _of_samples(ensemble: Ensemble, affinity: Array, group_of_sample: Array) -> Any:
    """The affinity of the samples, with unit diagonal, in the library of the ensemble."""
    require_square(ensemble.n_samples, np.float64, arrays=1, step="The affinity of TEA")
    full = np.empty((ensemble.n_samples,) * 2)
    for row, group in zip(full, group_of_sample, strict=True):  # a row fits in the cache
        affinity[group].take(group_of_sample, out=row, mode="clip")
    np.fill_diagonal(full, 1)
    return to_library(full, like=ensemble.labels)


def _join_nearest(ids: Array, chosen: Array, labels: Array, table: Array) -> Array:
    """Labels of all microclusters; others join the cluster with the largest mean affinity."""
    joined = np.empty(len(ids), np.int64)
    for start in range(0, len(ids), 4096):
        rows = slice(start, start + 4096)
        joined[rows] = LargestSum(table)(ids[rows])
    joined[chosen] = labels
    return joined


def _own_affinity(ids: Array, certainty: Array, of_partitions: Array) -> Array:
    """Mean certainty of the clusters of each row, whose weights are in `certainty` already."""
    own = np.where(is_missing(ids), 0, certainty[ids]).sum(axis=1)
    return np.maximum(own / (is_labeled(ids) @ of_partitions), _LEAST)


def _affinity_table(
    ids: Array, labels: Array, normalized: Array, weights: Array, certainty: Array
) -> Array:
    """Contribution of each base cluster to the mean affinity to each cluster: (c, K).

    The mean is over the representatives with these `ids`, `normalized` are their `weights` over
    the power of their own affinity; that of the other sample is the same for all clusters and
    omitted.
    """
    table = np.zeros((len(certainty) + 1, int(labels.max()) + 1))  # the last row: missing
    for column in ids.T:
        np.add.at(table, (column, labels), normalized)
    return table[:-1] * certainty[:, None] / np.bincount(labels, weights)


class TEA(BaseConsensus):
    r"""Consensus by tempered evidence accumulation, the default method.

    LWEA weights a base cluster :math:`C` by its certainty
    :math:`\mathrm{ECI}(C) = \exp(-H(C) / (\theta m))`, where :math:`H(C)` is the entropy of the
    parts into which the :math:`m` partitions split it, and agglomerates by average linkage
    [1]_. TEA changes three steps. The certainty is sharper (smaller :math:`\theta`). The
    affinity of two samples is partly normalized by their mean certainties,

    .. math::
        A_{ij} = \frac{E_{ij}}{(E_{ii} E_{jj})^{\beta}}, \qquad
        E_{ij} = \frac{1}{m} \sum_{C \ni i, j} \mathrm{ECI}(C),

    so that samples in uncertain clusters do not remain as outliers; in :math:`E_{ii}` a cluster of
    one sample counts 0. And clusters merge on

    .. math:: s(a, b) = \bar{A}_{ab}
              \left( \tfrac{1}{2 n_a} + \tfrac{1}{2 n_b} \right)^{\gamma},

    their mean affinity times a factor of their sizes :math:`n_a, n_b`, so that small clusters
    merge before large ones do. With :math:`\beta = \gamma = 0` it is LWEA, except that the samples
    of a microcluster are never separated.

    Parameters
    ----------
    %(n_clusters)s
    theta : float, default=0.25
        Scale of the decrease of certainty with entropy; LWEA has 0.4. With a
        large value all clusters have the same weight.
    normalization : float in [0, 0.5], default=0.25
        :math:`\beta`: with 0 the affinity is that of LWEA, with 0.5 it is a cosine.
    size_exponent : float in [0, 1], default=0.1
        :math:`\gamma`: 0 is average linkage; larger values give clusters of more similar size.
    max_groups : int, default=8000
        Maximum number of microclusters to agglomerate. If there are more, about as many
        representatives are used, and the other samples join the cluster with which
        they have the largest mean affinity. Two arrays of that size squared are needed. The
        limit does not depend on the available memory, so that the labels are the same on every
        machine. Raise it for the exact result if the arrays fit in memory.
    %(generator)s
    %(random_state)s

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        The tempered affinity, in the array library of the input; up to `max_groups` samples.
    linkage_matrix_ : ndarray of shape (n_groups - 1, 4)
        The tree of the microclusters, in SciPy's form; up to `max_groups` of them.
    leaf_of_sample_ : ndarray of shape (n_samples,)
        Microcluster of each sample: its leaf in the tree.
    exact_ : bool
        Whether all samples were used: the base partitions were computed without landmarks, and all
        microclusters were agglomerated, rather than representatives.
    %(fitted)s

    See Also
    --------
    tea : The same for an existing `Ensemble`.
    LWEA : The method from which it is derived.

    Notes
    -----
    Time :math:`O(n m^2 + g^2 m)` and memory for two g × g arrays, for :math:`g` microclusters, at
    most `max_groups`. If the ensemble has `weights`, entropies and means over partitions are
    weighted by them. With missing labels, means are over the partitions that label both samples.
    Above 200,000 samples, that many distinct rows are drawn by a hash of their labels, always the
    same, and all samples are assigned by their mean affinity, in blocks: labels may be larger than
    memory.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang and J.-H. Lai, "Locally weighted ensemble clustering", IEEE
       Transactions on Cybernetics 48(5), 2018. :doi:`10.1109/TCYB.2017.2702343`

    Examples
    --------
    The third partition disagrees on the third sample.

    >>> from consensa import TEA
    >>> labels = [[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]]
    >>> TEA(n_clusters=2, generator="precomputed").fit_predict(labels)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(tea)
    theta: float = 0.25
    normalization: float = 0.25
    size_exponent: float = 0.1
    max_groups: int = 8000
    exact_ = Detail()
