"""The base class of generators that work on the nearest neighbors of the samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from consensa._array import DEVICES, Array, torch_device
from consensa._docs import GENERATOR, filled
from consensa._machine.progress import track
from consensa._machine.threads import results_of_threads
from consensa._params import Declaration, Integer, NoneType, OneOf
from consensa.ensemble.details import SPACE
from consensa.features import Features
from consensa.features.space import METRICS, SPACE_SCALINGS, describe_spaces
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._neighborhood import Neighborhood, find_neighborhood
from consensa.generation.base import BaseGenerator, Partitions

__all__ = ["NeighborhoodGenerator", "Partitions", "run_batches"]


class NeighborhoodGenerator(BaseGenerator):
    """Base class of generators of partitions of a `Neighborhood`.

    A subclass has `_batches`: joblib's ``delayed(function)(arguments)``, each of which returns a
    list of partitions of the points.
    """

    n_clusters: int | tuple[int, int] | None = None
    scaling: str = "auto"
    metric: str = "euclidean"
    pca_components: int | None = None
    max_samples: int = 10_000
    device: str | None = None
    _copies_of_x: ClassVar[float] = 8
    _shared: ClassVar[tuple[Neighborhood, ...] | None] = None  # of a copy made by `shared`
    _declared: ClassVar[Declaration] = {
        "scaling": (OneOf(SPACE_SCALINGS),),
        "metric": (OneOf(METRICS),),
        "pca_components": (Integer(1), NoneType()),
        "max_samples": (Integer(2),),
        "device": (OneOf(DEVICES), NoneType()),
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = filled(cls.__doc__, GENERATOR)

    def _partitions(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Partitions:
        (found,) = self._find_neighborhoods(features, rng)
        batches = self._batches(found, self._counts(found, n_clusters), rng)
        return run_batches([(found, batches)], self.n_partitions, self.n_jobs)

    def shared(self, features: Features, rng: np.random.RandomState) -> NeighborhoodGenerator:
        """A copy that finds the neighbors, trees and embeddings of these features only once.

        With the same seed, its embeddings are the same for every number of clusters.
        """
        copy: NeighborhoodGenerator = clone(self)
        vars(copy)["_shared"] = copy._find_neighborhoods(features, rng)
        return copy

    def _find_neighborhoods(
        self, features: Features, rng: np.random.RandomState
    ) -> tuple[Neighborhood, ...]:
        """The points and neighbors in each space."""
        if self._shared is not None:
            return self._shared
        there = torch_device(self.device, features.array)
        return tuple(
            find_neighborhood(
                features,
                scaling=self.scaling,
                metric=metric,
                n_components=self.pca_components,
                max_samples=self.max_samples,
                n_jobs=self.n_jobs,
                rng=rng,
                device=there,
            )
            for metric in self._metrics(features)
        )

    def _metrics(self, features: Features) -> tuple[str, ...]:
        return (self.metric,)

    def _counts(self, found: Neighborhood, n_clusters: int | None) -> ClusterCounts:
        owner = type(self).__name__
        counts = ClusterCounts.of(self.n_clusters, n_clusters, found.n_points, owner=owner)
        return counts if self._shared is None else counts._replace(steady=True)

    def _batches(
        self, found: Neighborhood, counts: ClusterCounts, rng: np.random.RandomState
    ) -> Iterable[Any]:
        raise NotImplementedError


def run_batches(
    in_spaces: Sequence[tuple[Neighborhood, Iterable[Any]]], n_partitions: int, n_jobs: int | None
) -> Partitions:
    """Run the batches of each space in threads; labels of all samples and models of partitions."""
    # The last kinds take longest: they start first, so that no thread waits for a late one.
    work = [(found, batch) for found, batches in in_spaces for batch in batches][::-1]
    done: list[list[tuple[Array, Any]]] = []
    with track("base partitions", n_partitions) as advance:
        results = results_of_threads((batch for _, batch in work), n_jobs)
        for (found, _), batch in zip(work, results, strict=True):
            done.append([])
            for of_points in batch:
                done[-1].append(found.labels_and_model(of_points))
                advance()
    columns, models = zip(*(one for batch in reversed(done) for one in batch), strict=True)
    space = describe_spaces([found.space for found, _ in in_spaces])
    return Partitions(list(columns), list(models), {SPACE: space})
