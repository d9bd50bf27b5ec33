"""Base partitions of several generators and clusterers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from consensa._array import Array
from consensa._machine.progress import track
from consensa._params import Declaration, HasMethod, JobCount, ListOf, NoneType
from consensa.features import Features
from consensa.generation._clusterer import cluster_rows, seeded
from consensa.generation.base import LARGEST_SEED, AnyGenerator, Partitions, generated

__all__ = ["Mixed"]


class Mixed(AnyGenerator):
    r"""Partitions of several generators and clusterers, side by side.

    The label matrix is :math:`L = [L_1, \dots, L_g]`, where :math:`L_j` holds the partitions
    of generator :math:`j`, or the one partition of clusterer :math:`j`.

    Parameters
    ----------
    generators : list of objects with ``generate`` or ``fit_predict``
        Generators of Consensa, each with its own number of partitions, and scikit-learn's
        clusterers, each for one partition. The noise label -1 of a clusterer, such as
        DBSCAN's, is a missing label.
    n_jobs : int or None, default=None
        Number of threads of each of them that has this parameter; None is its own. The
        partitions do not depend on it.

    See Also
    --------
    Bootstrap : One clusterer on resampled rows.

    Notes
    -----
    Each generator and each clusterer with ``random_state`` gets its own seed, drawn in this
    order. Clusterers are cloned, not modified.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import DBSCAN
    >>> from consensa import Mixed, RandomKMeans
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [99.0]])
    >>> Mixed([RandomKMeans(2, n_clusters=3), DBSCAN(min_samples=2)]).generate(
    ...     X, random_state=0
    ... ).labels
    array([[ 0,  0,  0],
           [ 0,  0,  0],
           [ 1,  1,  1],
           [ 1,  1,  1],
           [ 2,  2, -1]], dtype=int32)
    """

    generators: Sequence[Any] = field(kw_only=False)
    n_jobs: int | None = None
    _declared: ClassVar[Declaration] = {
        "n_jobs": (JobCount(), NoneType()),
        "generators": (ListOf((HasMethod("generate"), HasMethod("fit_predict"))),),
    }

    def _partitions(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Partitions:
        columns: list[Array] = []
        models: list[Any] = []
        with track("generators", len(self.generators)) as advance:
            for source in self.generators:
                own = _with_jobs(source, self.n_jobs)
                made = _partitions_of(own, features, n_clusters, rng.randint(LARGEST_SEED))
                columns += made[0]
                models += made[1]
                advance()
        return Partitions(columns, models)


def _with_jobs(source: Any, n_jobs: int | None) -> Any:
    """A copy with this number of threads, if it has such a parameter."""
    has_it = hasattr(source, "get_params") and "n_jobs" in source.get_params(deep=False)
    return clone(source).set_params(n_jobs=n_jobs) if n_jobs is not None and has_it else source


def _partitions_of(
    source: Any, features: Features, n_clusters: int | None, seed: int
) -> tuple[list[Array], list[Any]]:
    """Partitions of one generator or clusterer, and their models."""
    if hasattr(source, "generate"):
        ensemble = generated(source, features, n_clusters, seed)
        models = ensemble.models or (None,) * ensemble.n_partitions
        return list(ensemble.codes.T), list(models)
    labels, model = cluster_rows(features.points, seeded(source, seed))
    return [labels], [model]
