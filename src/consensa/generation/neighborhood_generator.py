"""The base class of generators that work on the nearest neighbors of the samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone

from consensa._array import DEVICES, Array, torch_device
from consensa._docs import GENERATOR, filled
from consensa._machine.memory import require_bytes
from consensa._machine.progress import track
from consensa._machine.run_state import RunState
from consensa._machine.threads import n_threads, results_of_threads
from consensa._params import Declaration, Integer, NoneType, OneOf
from consensa.ensemble.details import LANDMARKS, SPACE
from consensa.features import Features
from consensa.features.space import METRICS, PRECOMPUTED, SPACE_SCALINGS, describe_spaces
from consensa.features.stored_features import StoredFeatures
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._neighborhood import Neighborhood, find_neighborhoods
from consensa.generation.base import BaseGenerator, Partitions

__all__ = ["NeighborhoodGenerator", "Partitions", "kept_partitions", "run_batches"]

# Measured, at the peak:
_BYTES_OF_POINT = 55_000  # neighbors, trees, embeddings
_BYTES_OF_SAMPLE = (64, 4)  # numbers of points, labels, confidence; the first alone if deferred
_COPIES_OF_BLOCK = 6


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
        kept = kept_partitions(features, n_clusters)
        return run_batches([(found, batches)], self.n_partitions, self.n_jobs, kept)

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
        return find_neighborhoods(
            features,
            partial(self._metrics, is_scaled=features.is_scaled),
            scaling=self.scaling,
            n_components=self.pca_components,
            max_samples=self.max_samples,
            n_jobs=self.n_jobs,
            rng=rng,
            device=torch_device(self.device, getattr(features, "array", None)),
        )

    def _metrics(self, rows: Any, *, is_scaled: bool) -> tuple[str, ...]:
        """Metrics of the spaces of these rows; of any rows if they are None."""
        return (self.metric,)

    def _copied_samples(self, n_samples: int) -> int:
        return n_samples if self.metric == PRECOMPUTED else min(n_samples, self.max_samples)

    def _require_memory_of_blocks(self, features: Any) -> None:
        points = min(features.n_samples, self.max_samples)
        samples = features.n_samples if features.passes is None else 0  # they are elsewhere
        each = _BYTES_OF_SAMPLE[features.deferred]
        require_bytes(
            points * _BYTES_OF_POINT
            + samples * each
            + _COPIES_OF_BLOCK * n_threads() * 8 * features.height * features.width,
            step=f"{type(self).__name__} of {features.n_samples} samples on disk",
            why=f"{points} points, and a few numbers of each sample",
            remedy="Allow more memory, or lower max_samples.",
        )

    def _reads_blocks(self, features: StoredFeatures) -> bool:
        return self.metric != PRECOMPUTED and features.n_samples > self.max_samples

    def _counts(self, found: Neighborhood, n_clusters: int | None) -> ClusterCounts:
        owner = type(self).__name__
        counts = ClusterCounts.of(self.n_clusters, n_clusters, found.n_points, owner=owner)
        return counts if self._shared is None else counts._replace(steady=True)

    def _batches(
        self, found: Neighborhood, counts: ClusterCounts, rng: np.random.RandomState
    ) -> Iterable[Any]:
        raise NotImplementedError


def run_batches(
    in_spaces: Sequence[tuple[Neighborhood, Iterable[Any]]],
    n_partitions: int,
    n_jobs: int | None,
    kept: KeptPartitions | None = None,
) -> Partitions:
    """Run the batches of each space in threads; labels of all samples and models of partitions.

    Partitions of the points that were `kept` by an earlier run are not computed again.
    """
    spaces = [(found, list(batches)) for found, batches in in_spaces]
    of_points = None if kept is None else kept.load()
    if of_points is None:
        of_points = _run(spaces, n_partitions, n_jobs)
        if kept is not None:
            kept.save(of_points)
    made = [spaces[number][0].labels_and_model(labels) for number, labels in of_points]
    columns, models = zip(*made, strict=True)
    details: dict[str, Any] = {SPACE: describe_spaces([found.space for found, _ in spaces])}
    if (drawn := spaces[0][0].n_landmarks) is not None:
        details[LANDMARKS] = drawn
    return Partitions(list(columns), list(models), details)


def _run(
    spaces: Sequence[tuple[Neighborhood, Sequence[Any]]], n_partitions: int, n_jobs: int | None
) -> list[tuple[int, Array]]:
    """Labels of the points in each partition, with the number of its space."""
    # The last kinds take longest: they start first, so that no thread waits for a late one.
    work = [(number, batch) for number, (_, own) in enumerate(spaces) for batch in own][::-1]
    done: list[list[tuple[int, Array]]] = []
    with track("base partitions", n_partitions) as advance:
        results = results_of_threads((batch for _, batch in work), n_jobs)
        for (number, _), batch in zip(work, results, strict=True):
            done.append([])
            for of_points in batch:
                done[-1].append((number, of_points))
                advance()
    return [one for batch in reversed(done) for one in batch]


class KeptPartitions(NamedTuple):
    """Partitions of the points, in a file of the state of a run."""

    state: RunState
    name: str

    def load(self) -> list[tuple[int, Array]] | None:
        """The partitions that were saved, with the numbers of their spaces; None if none were."""
        saved = self.state.load(self.name)
        if saved is None:
            return None
        return [(int(number), saved[f"labels {i}"]) for i, number in enumerate(saved["spaces"])]

    def save(self, of_points: Sequence[tuple[int, Array]]) -> None:
        """Save partitions."""
        labels = {f"labels {i}": own for i, (_, own) in enumerate(of_points)}
        self.state.save(self.name, {"spaces": np.array([n for n, _ in of_points]), **labels})


def kept_partitions(features: Any, n_clusters: int | None) -> KeptPartitions | None:
    """Where the partitions of features on disk are kept, if their run has a state."""
    state = getattr(features, "state", None)
    return None if state is None else KeptPartitions(state, f"partitions-{n_clusters}")
