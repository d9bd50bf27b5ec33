"""The base classes of the generators, with the only `generate`."""

from __future__ import annotations

import copy
import hashlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import Parallel
from scipy import sparse
from sklearn.base import BaseEstimator

from consensa._array import to_library
from consensa._machine.memory import out_of_memory, require_bytes
from consensa._machine.progress import track
from consensa._machine.run_state import RunState, identity_of_files
from consensa._params import (
    Declaration,
    Integer,
    IntegerRange,
    JobCount,
    NoneType,
    ParameterFields,
    RandomState,
    check_params,
    completed,
)
from consensa._random import random_source
from consensa.ensemble import Ensemble
from consensa.ensemble.details import TEXT_COLUMNS
from consensa.exceptions import InvalidParameterError
from consensa.features import Features
from consensa.features.stored_features import StoredFeatures, features_of
from consensa.generation._cluster_counts import range_of_counts
from consensa.generation._labels_of_points import looked_up_ensemble
from consensa.generation._models import with_models
from consensa.generation.landmarks import passes_over

__all__ = [
    "LARGEST_SEED",
    "AnyGenerator",
    "BaseGenerator",
    "Partitions",
    "generated",
    "require_memory_of",
    "scaled_for",
]

LARGEST_SEED = np.iinfo(np.int32).max


class Partitions(NamedTuple):
    """What a generator made.

    Attributes
    ----------
    columns : list of ndarray of shape (n_samples,) or of LabelsOfPoints
        Labels of each partition; of points, if the samples are on disk.
    models : list
        Model of each partition for new samples; None for a partition that has none.
    details : mapping
        What the generator did, by name.
    names : tuple of str or None
        Names of the partitions, if they have any.
    """

    columns: list[Any]
    models: list[Any]
    details: Mapping[str, Any] = {}
    names: tuple[str, ...] | None = None


class AnyGenerator(ParameterFields, BaseEstimator):
    """Base class of any generator; a subclass returns its partitions and their models."""

    _declared: ClassVar[Declaration]
    _copies_of_x: ClassVar[float] = 0  # at the peak; 0 if members of it check themselves

    def generate(
        self, X: Any, *, n_clusters: int | None = None, random_state: Any = None
    ) -> Ensemble:
        """Generate the base partitions.

        Parameters
        ----------
        X : array-like, frame, sparse matrix, Features or stored features
            Finite features, of shape (n_samples, n_features). Text columns of a frame are one-hot
            encoded.
        n_clusters : int or None, default=None
            Number of clusters of the consensus; consensus estimators pass it on. Some
            generators, such as `RandomKMeans`, ignore it.
        random_state : int, RandomState instance or None, default=None
            Seed.

        Returns
        -------
        Ensemble
            The partitions, in the array library of `X`, with models for new samples.

        See Also
        --------
        consensa.cluster : Generates and combines in one call.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa import RandomKMeans
        >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
        >>> RandomKMeans(2, n_clusters=2).generate(X, random_state=0).labels
        array([[0, 0],
               [0, 0],
               [1, 1],
               [1, 1]], dtype=int32)
        """
        check_params(
            "generate",
            {"n_clusters": (Integer(1), NoneType()), "random_state": (RandomState(),)},
            {"n_clusters": n_clusters, "random_state": random_state},
        )
        with out_of_memory(type(self).__name__):
            return self._generate(features_of(X), n_clusters, random_source(random_state))

    def _generate(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Ensemble:
        """Generate the partitions from features that were read."""
        check_params(type(self).__name__, self._declared, self.get_params(deep=False))
        if isinstance(features, StoredFeatures):
            if self._reads_blocks(features):
                return self._generate_stored(features, n_clusters, rng)
            features = features.load()
        self._require_memory(features)
        made = self._partitions(features, n_clusters, rng)
        labels = np.stack(made.columns, axis=1)
        if not sparse.issparse(features.array):
            labels = to_library(labels, like=features.array)
        ensemble = Ensemble.from_labels(labels)._described(
            partition_names=made.names, details=made.details
        )
        return with_models(_described(ensemble, features), made.columns, made.models)

    def _reads_blocks(self, features: StoredFeatures) -> bool:
        """Whether the generator reads these features in blocks, and not at once."""
        return False

    def _generate_stored(
        self, features: Any, n_clusters: int | None, rng: np.random.RandomState
    ) -> Ensemble:
        """Generate partitions of features on disk, whose labels are looked up when needed."""
        self._require_memory_of_blocks(features)
        made = self._partitions(self._with_state(features, rng), n_clusters, rng)
        ensemble, of_points = looked_up_ensemble(made.columns, passes_over(features).look_up)
        ensemble = ensemble._described(partition_names=made.names, details=made.details)
        raw = [column.labels for column in made.columns]
        return with_models(_described(ensemble, features), raw, made.models, of_points)

    def _require_memory_of_blocks(self, features: Any) -> None:
        """Raise an error if the least that is needed for features on disk does not fit."""

    def _with_state(self, features: Any, rng: np.random.RandomState) -> Any:
        """The features with the state of the run in which they are read, if it has one."""
        if features.resume is None:
            return features
        params = {k: v for k, v in self.get_params(deep=False).items() if k != "n_jobs"}
        identity = {
            "data": identity_of_files(features.name),
            "columns": repr(features.column_names or features.n_columns)
            + (f" with {sorted(features.fills.items())}" if features.fills else ""),
            "generator": f"{type(self).__name__} {sorted(params.items())}",
            "seed": hashlib.sha256(repr(rng.get_state()).encode()).hexdigest(),
        }
        read = copy.copy(features)
        read.state = RunState(features.resume, identity)
        read.passes = passes_over(features).with_state(read.state)
        return read

    def _require_memory(self, features: Features) -> None:
        """Raise an error if the copies that the generator makes of X do not fit in memory."""
        n_samples, n_features = features.array.shape
        dense = not sparse.issparse(features.array)
        entries = n_samples * n_features if dense else features.array.nnz
        copied = float(self._copies_of_x) * self._copied_samples(n_samples) / n_samples
        require_bytes(
            copied * entries * getattr(features.array.dtype, "itemsize", 8),
            step=f"{type(self).__name__} of {n_samples} samples and {n_features} features",
            why=f"{self._copies_of_x:g} copies of X",
            remedy="Use fewer features or samples, float32, or a machine with more memory.",
            often=True,
        )

    def _copied_samples(self, n_samples: int) -> int:
        """Number of samples whose features are copied."""
        return n_samples

    def _partitions(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Partitions:
        """Labels of each partition, and their models."""
        raise NotImplementedError

    def _scaled(self, features: Features) -> Features:
        """The features as scaled by the generator: not scaled, by default."""
        return features


class BaseGenerator(AnyGenerator):
    """Base class of generators of `n_partitions` partitions of one kind.

    A subclass has its own parameters, in `_declared` those that are not just positive numbers,
    and `_calls`: joblib's ``delayed(function)(arguments)``, one for each partition; each returns
    labels and the model for new samples, or None for the model.
    """

    n_partitions: int = field(default=20, kw_only=False)
    n_jobs: int | None = None
    _declared: ClassVar[Declaration] = {
        "n_clusters": (Integer(1), IntegerRange(1), NoneType()),
        "n_jobs": (JobCount(), NoneType()),
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._declared = completed(
            {**BaseGenerator._declared, **cls._declared},
            inspect.signature(cls).parameters.values(),
        )

    def _partitions(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Partitions:
        calls = self._calls(features, n_clusters, rng)
        columns, models = [], []
        with track("base partitions", self.n_partitions) as advance:
            for labels, model in Parallel(n_jobs=self.n_jobs, return_as="generator")(calls):
                columns.append(labels)
                models.append(model)
                advance()
        return Partitions(columns, models)

    def _calls(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterable[Any]:
        raise NotImplementedError

    def _draw_counts(self, given: Any, n_samples: int, rng: np.random.RandomState) -> list[int]:
        """Number of clusters of each partition, drawn uniformly from the range, inclusive."""
        low, high = range_of_counts(given, n_samples, owner=type(self).__name__)
        return [int(k) for k in rng.randint(low, high + 1, size=self.n_partitions)]

    def _draw_seeds(self, rng: np.random.RandomState) -> list[int]:
        """Seed of each partition, so that they can be computed in any order."""
        return [int(seed) for seed in rng.randint(LARGEST_SEED, size=self.n_partitions)]


def generated(
    generator: Any, features: Features, n_clusters: int | None, random_state: Any
) -> Ensemble:
    """Partitions of any generator; it gets the number of clusters if its `generate` takes it.

    A generator that does not inherit `generate` from `AnyGenerator` gets the plain array.
    """
    if getattr(type(generator), "generate", None) is AnyGenerator.generate:
        made: Ensemble = generator._generate(features, n_clusters, random_source(random_state))
        return made
    if isinstance(features, StoredFeatures):
        features = features.load()
    takes = inspect.signature(generator.generate).parameters
    asked = {"n_clusters": n_clusters} if "n_clusters" in takes else {}
    ensemble = generator.generate(features.array, random_state=random_state, **asked)
    if not isinstance(ensemble, Ensemble) or ensemble.n_samples != features.n_samples:
        got = (
            f"an ensemble of {ensemble.n_samples} samples"
            if isinstance(ensemble, Ensemble)
            else type(ensemble).__name__
        )
        message = (
            f"A generator must return an Ensemble of all {features.n_samples} samples. "
            f"{type(generator).__name__}.generate returned {got}."
        )
        raise InvalidParameterError(message)
    return _described(ensemble, features)


def require_memory_of(generator: Any, features: Features) -> None:
    """Raise an error if a generator of this library needs more memory than there is."""
    if isinstance(generator, BaseGenerator):
        generator._require_memory(features)


def scaled_for(generator: Any, features: Features) -> Features:
    """The features as scaled by a generator."""
    return generator._scaled(features) if isinstance(generator, AnyGenerator) else features


def _described(ensemble: Ensemble, features: Features) -> Ensemble:
    """The ensemble, with the sample names if it has none yet, and what was done with text."""
    if features.encoding is not None:
        text = {TEXT_COLUMNS: features.encoding.describe()}
        ensemble = ensemble._described(details={**text, **ensemble.details})
    if features.sample_names is None or ensemble.sample_names is not None:
        return ensemble
    return ensemble._described(sample_names=features.sample_names)
