"""The default generator: base partitions of several kinds."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, NamedTuple

import numpy as np

from consensa._defaults import DEFAULT_N_PARTITIONS
from consensa.ensemble import Ensemble
from consensa.ensemble.details import AGREEMENT_OF_KINDS
from consensa.features import Features
from consensa.generation._gaussian_mixtures import GaussianMixtures
from consensa.generation._genie_trees import GenieTrees
from consensa.generation._graph_cuts import GraphCuts
from consensa.generation._kind_weights import agreement_of_kinds, kind_weights
from consensa.generation._neighbor_embedding import NeighborEmbedding
from consensa.generation.neighborhood_generator import (
    NeighborhoodGenerator,
    Partitions,
    run_batches,
)

__all__ = ["DiverseKinds"]


class _Kind(NamedTuple):
    """A kind of partitions, and its share of their number."""

    generator: type[NeighborhoodGenerator]
    share: float
    names: tuple[str, ...]  # of its partitions, in turn


_KINDS = (
    _Kind(GraphCuts, 12, ("graph cut",)),
    _Kind(GenieTrees, 12, ("tree",)),
    _Kind(GaussianMixtures, 4, ("mixture",)),
    _Kind(NeighborEmbedding, 20, NeighborEmbedding.kinds),
)


class DiverseKinds(NeighborhoodGenerator):
    r"""Partitions of several kinds, weighted by their agreement: the default generator.

    Every clustering algorithm fails on some data, and then all partitions of its kind fail. Four
    generators share one search for nearest neighbors: `GraphCuts`, `GenieTrees`,
    `GaussianMixtures` and `NeighborEmbedding`, whose partitions by centers and by trees are two
    kinds. The weight of partition :math:`i` is

    .. math:: w_i \propto \frac{a_i}{d_i\, S_i},

    where :math:`a_i` is its mean agreement (adjusted Rand index) with the other kinds,
    :math:`d_i` the number of equal partitions of its kind, and :math:`S_i` balances kinds with
    different numbers of partitions. `TEA` uses these weights.

    Parameters
    ----------
    n_partitions : int, default=48
        Number of partitions: of 48, graph cuts are 12, trees 12, mixtures 4 and cuts of
        embeddings 20.
    weighted : bool, default=True
        Whether partitions have weights.
    %(n_clusters)s
    %(scaling)s
    %(metric)s
    %(pca_components)s
    %(max_samples)s
    n_jobs : int or None, default=-1
        Number of threads, as in joblib; -1 uses all cores. The partitions do not depend
        on it.

    See Also
    --------
    GraphCuts, GenieTrees, GaussianMixtures, NeighborEmbedding : The kinds.
    Mixed : Any generators side by side.

    Notes
    -----
    All partitions are computed on at most `max_samples` distinct samples; the others have the
    label of the nearest one. Equal samples are never separated. The result is order-free, and does
    not depend on the number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import DiverseKinds
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]])
    >>> ensemble = DiverseKinds(12).generate(X, n_clusters=2, random_state=0)
    >>> ensemble
    Ensemble(n_samples=8, n_partitions=12, n_clusters=29)
    >>> ensemble.partition_names[:2]
    ('graph cut 1', 'graph cut 2')
    """

    n_partitions: int = field(default=DEFAULT_N_PARTITIONS, kw_only=False)
    n_jobs: int | None = -1
    weighted: bool = True

    def _generate(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Ensemble:
        made = super()._generate(features, n_clusters, rng)
        kinds = [name for kind, count in self._shares() for name in _names(kind, count)]
        numbers = [kinds[: i + 1].count(name) for i, name in enumerate(kinds)]
        names = tuple(f"{name} {number}" for name, number in zip(kinds, numbers, strict=True))
        weights = kind_weights(made, kinds) if self.weighted else None
        details = {**made.details, AGREEMENT_OF_KINDS: agreement_of_kinds(made, kinds)}
        return replace(made, partition_names=names, weights=weights, details=details)

    def _partitions(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Partitions:
        found = self._find_neighborhood(features, rng)
        counts = self._counts(found, n_clusters)
        batches: list[Any] = []
        for kind, count in self._shares():
            batches += kind.generator(count)._batches(found, counts, rng)
        return run_batches(found, batches, self.n_partitions, self.n_jobs)

    def _shares(self) -> list[tuple[_Kind, int]]:
        """The kinds with their numbers of partitions, at least one each if there are enough."""
        shares = np.array([kind.share for kind in _KINDS])
        counts = (np.arange(len(_KINDS)) < self.n_partitions).astype(int)
        for _ in range(self.n_partitions - counts.sum()):
            counts[np.argmax(shares / (counts + 1))] += 1  # the method of D'Hondt
        return [(kind, int(n)) for kind, n in zip(_KINDS, counts, strict=True) if n > 0]


def _names(kind: _Kind, count: int) -> list[str]:
    return [kind.names[i % len(kind.names)] for i in range(count)]
