"""The default generator: base partitions of several kinds."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from consensa._defaults import DEFAULT_N_PARTITIONS
from consensa._params import Declaration, OneOf
from consensa.ensemble import Ensemble
from consensa.ensemble.details import AGREEMENT_OF_KINDS
from consensa.features import Features
from consensa.features.space import AUTO, METRICS, metrics_for
from consensa.generation._gaussian_mixtures import GaussianMixtures
from consensa.generation._genie_trees import GenieTrees
from consensa.generation._graph_cuts import GraphCuts
from consensa.generation._kind_weights import agreement_of_kinds, kind_weights
from consensa.generation._neighbor_embedding import NeighborEmbedding
from consensa.generation._neighborhood import Neighborhood
from consensa.generation.neighborhood_generator import (
    NeighborhoodGenerator,
    Partitions,
    kept_partitions,
    run_batches,
)

__all__ = ["DiverseKinds"]


class _Kind(NamedTuple):
    """A kind of partitions, and its share of their number in one space."""

    name: str
    generator: type[NeighborhoodGenerator]
    share: float


_IN_SPACE = (
    (
        _Kind("graph cut", GraphCuts, 16),
        _Kind("tree", GenieTrees, 12),
        _Kind("mixture", GaussianMixtures, 4),
        _Kind("embedding", NeighborEmbedding, 16),
    ),
    (  # Directions have no Gaussian distribution.
        _Kind("graph cut, by angles", GraphCuts, 8),
        _Kind("tree, by angles", GenieTrees, 8),
        _Kind("embedding, by angles", NeighborEmbedding, 8),
    ),
)


class DiverseKinds(NeighborhoodGenerator):
    r"""Partitions of several kinds, weighted by their agreement: the default generator.

    Every clustering algorithm fails on some data, and then all partitions of its kind fail. Four
    generators share the nearest neighbors: `GraphCuts`, `GenieTrees`,
    `GaussianMixtures` and `NeighborEmbedding`. With more than three columns, half of the
    partitions are by Euclidean distances, and half, without mixtures, by the angles between
    samples; these are kinds of their own. The weight of partition :math:`i` is

    .. math:: w_i \propto \frac{a_i^2}{d_i\, S_i},

    where :math:`a_i` is its mean agreement (adjusted Rand index) with the other kinds,
    :math:`d_i` the number of equal partitions of its kind, and :math:`S_i` balances kinds with
    different numbers of partitions. `TEA` uses these weights.

    Parameters
    ----------
    n_partitions : int, default=48
        Number of partitions. In one space, of 48 graph cuts are 16, trees 12, mixtures 4 and
        cuts of embeddings 16; in two, of the 24 by angles each kind has 8.
    weighted : bool, default=True
        Whether partitions have weights.
    %(n_clusters)s
    %(scaling)s
    metric : {"auto", "euclidean", "cosine", "precomputed"}, default="auto"
        Distance of two samples. "auto" uses the Euclidean distance and the angle, each for half of
        the partitions, if there are more than three columns that vary and none with text; else the
        Euclidean distance. "cosine" compares directions; "precomputed" takes a matrix of
        distances in place of features.
    %(pca_components)s
    %(max_samples)s
    %(device)s
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
    label of the nearest one. If there are more, these landmarks are those with the smallest hashes
    of their values, and the space is learned from them alone, each as often as it occurs: features
    on disk have the same partitions (`open_features`). Equal samples are never separated. The
    result is order-free, and does not depend on the number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import DiverseKinds
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]])
    >>> ensemble = DiverseKinds(12).generate(X, n_clusters=2, random_state=0)
    >>> ensemble
    Ensemble(n_samples=8, n_partitions=12, n_clusters=32)
    >>> ensemble.partition_names[:2]
    ('graph cut 1', 'graph cut 2')
    """

    n_partitions: int = field(default=DEFAULT_N_PARTITIONS, kw_only=False)
    metric: str = AUTO
    n_jobs: int | None = -1
    weighted: bool = True
    _declared: ClassVar[Declaration] = {
        **NeighborhoodGenerator._declared,
        "metric": (OneOf((AUTO, *METRICS)),),
    }

    def _generate(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Ensemble:
        made = super()._generate(features, n_clusters, rng)
        kinds = [name.rpartition(" ")[0] for name in made.partition_names or ()]
        weights = kind_weights(made, kinds) if self.weighted else None
        details = {**made.details, AGREEMENT_OF_KINDS: agreement_of_kinds(made, kinds)}
        return made._described(weights=weights, details=details)

    def _partitions(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Partitions:
        spaces = self._find_neighborhoods(features, rng)
        in_spaces: list[tuple[Neighborhood, list[Any]]] = []
        names: list[str] = []
        for found, shares in zip(spaces, self._shares(spaces), strict=True):
            counts = self._counts(found, n_clusters)
            batches: list[Any] = []
            for kind, count in shares:
                batches += kind.generator(count)._batches(found, counts, rng)
                names += [f"{kind.name} {number + 1}" for number in range(count)]
            in_spaces.append((found, batches))
        kept = kept_partitions(features, n_clusters)
        made = run_batches(in_spaces, self.n_partitions, self.n_jobs, kept)
        return made._replace(names=tuple(names))

    def _metrics(self, rows: Any, *, is_scaled: bool) -> tuple[str, ...]:
        if self.metric != AUTO or rows is None:
            return (self.metric,)
        # A single partition has no second half.
        return metrics_for(rows, is_scaled=is_scaled)[: self.n_partitions]

    def _shares(self, spaces: Sized) -> list[list[tuple[_Kind, int]]]:
        """The kinds in each space with their numbers of partitions."""
        n_spaces = len(spaces)
        counts = [(self.n_partitions + i) // n_spaces for i in reversed(range(n_spaces))]
        return [_shares(kinds, n) for kinds, n in zip(_IN_SPACE, counts, strict=False)]


def _shares(kinds: tuple[_Kind, ...], n_partitions: int) -> list[tuple[_Kind, int]]:
    """The kinds with their numbers of partitions, at least one each if there are enough."""
    shares = np.array([kind.share for kind in kinds])
    counts = (np.arange(len(kinds)) < n_partitions).astype(int)
    for _ in range(n_partitions - counts.sum()):
        counts[np.argmax(shares / (counts + 1))] += 1  # the method of D'Hondt
    return [(kind, int(n)) for kind, n in zip(kinds, counts, strict=True) if n > 0]
