"""What all generators share: one `generate`, of which each makes the partitions its own way."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel
from scipy import sparse
from sklearn.base import BaseEstimator

from consensa._array import to_library, to_numpy
from consensa._machine.progress import track
from consensa._params import Declaration, Integer, NoneType, RandomState, check_params
from consensa._random import random_source
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidParameterError
from consensa.features.frames import has_words, row_names
from consensa.features.matrix import read_matrix
from consensa.generation._cluster_counts import range_of_counts
from consensa.generation._models import with_models

__all__ = ["LARGEST_SEED", "BaseGenerator", "collected", "generated", "suited"]

LARGEST_SEED = np.iinfo(np.int32).max


class BaseGenerator(BaseEstimator):
    """Generator of base partitions; a subclass says which calls make them.

    The calls are joblib's ``delayed(function)(arguments)``, one a partition; each returns
    labels and the model that places new samples, or None for the model.
    """

    _declared: ClassVar[Declaration]
    n_partitions: int
    n_jobs: int | None

    def generate(
        self, X: Any, *, n_clusters: int | None = None, random_state: Any = None
    ) -> Ensemble:
        """Make the partitions.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            Features, finite. Columns of words in a frame become indicators.
        n_clusters : int or None, default=None
            Number of clusters that the consensus will be asked for; consensus estimators
            pass it on. Generators that need it say so.
        random_state : int, RandomState instance or None, default=None
            Seed of everything that is drawn.

        Returns
        -------
        Ensemble
            The partitions, in the array library of `X`; its models place new samples.

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
        check_params(type(self).__name__, self._declared, self.get_params(deep=False))
        check_params(
            "generate",
            {"n_clusters": (Integer(1), NoneType()), "random_state": (RandomState(),)},
            {"n_clusters": n_clusters, "random_state": random_state},
        )
        features = read_matrix(X, accept_sparse=True)
        points = features if sparse.issparse(features) else to_numpy(features)
        calls = suited(self, X)._calls(points, n_clusters, random_source(random_state))
        columns, models = [], []
        with track("base partitions", self.n_partitions) as advance:
            for labels, model in Parallel(n_jobs=self.n_jobs, return_as="generator")(calls):
                columns.append(labels)
                models.append(model)
                advance()
        return collected(columns, models, features, names=row_names(X))

    def _calls(
        self, points: Any, n_clusters: int | None, rng: np.random.RandomState
    ) -> Iterable[Any]:
        raise NotImplementedError

    def _without_scaling(self) -> BaseGenerator:
        """The same for features whose columns count alike already."""
        return self

    def _draw_counts(self, given: Any, n_samples: int, rng: np.random.RandomState) -> list[int]:
        """Number of clusters of each partition, drawn uniformly, ends included."""
        low, high = range_of_counts(given, n_samples, owner=type(self).__name__)
        return [int(k) for k in rng.randint(low, high + 1, size=self.n_partitions)]

    def _draw_seeds(self, rng: np.random.RandomState) -> list[int]:
        """Seed of each partition, so that they can be made in any order."""
        return [int(seed) for seed in rng.randint(LARGEST_SEED, size=self.n_partitions)]


def collected(
    columns: Sequence[np.ndarray[Any, Any]], models: Sequence[Any], features: Any, *, names: Any
) -> Ensemble:
    """Partitions and their models as an ensemble, in the array library of the features."""
    labels = np.stack(columns, axis=1)
    if not sparse.issparse(features):
        labels = to_library(labels, like=features)
    ensemble = replace(Ensemble.from_labels(labels), sample_names=names)
    return with_models(ensemble, columns, models)


def suited(generator: Any, X: Any) -> Any:
    """The generator for the features of `X`: what the reading of words scaled is scaled once."""
    if has_words(X) and hasattr(generator, "_without_scaling"):
        return generator._without_scaling()
    return generator


def generated(generator: Any, X: Any, n_clusters: int | None, random_state: Any) -> Ensemble:
    """Partitions of any generator, told the number of clusters if its `generate` takes it."""
    takes = inspect.signature(generator.generate).parameters
    asked = {"n_clusters": n_clusters} if "n_clusters" in takes else {}
    ensemble = generator.generate(X, random_state=random_state, **asked)
    if not isinstance(ensemble, Ensemble):
        message = (
            f"A generator must generate an Ensemble. {type(generator).__name__}.generate "
            f"returned {type(ensemble).__name__}."
        )
        raise InvalidParameterError(message)
    return ensemble
