"""Base partitions from several sources, joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scipy import sparse
from sklearn.base import BaseEstimator

from consensa._array import Array, to_numpy
from consensa._machine.progress import track
from consensa._params import (
    Declaration,
    HasMethod,
    Integer,
    ListOf,
    NoneType,
    RandomState,
    check_params,
)
from consensa._random import random_source
from consensa.ensemble import Ensemble
from consensa.features.frames import row_names
from consensa.features.matrix import read_matrix
from consensa.generation._clusterer import cluster_rows, seeded
from consensa.generation.base import LARGEST_SEED, collected, generated, suited

__all__ = ["Mixed"]


class Mixed(BaseEstimator):
    r"""Partitions of several generators and clusterers, side by side.

    The label matrix is :math:`L = [L_1, \dots, L_g]`, where :math:`L_j` holds the partitions
    of generator :math:`j`, or the one partition of clusterer :math:`j`.

    Parameters
    ----------
    generators : list of objects with ``generate`` or ``fit_predict``
        Generators of Consensa, each with its own number of partitions, and scikit-learn's
        clusterers, each for one partition. The noise label -1 of a clusterer, such as
        DBSCAN's, means that the sample is missing from that partition.

    See Also
    --------
    Bootstrap : One clusterer on resampled rows.

    Notes
    -----
    Each source gets a seed of its own, drawn in their order; clusterers without
    ``random_state`` need none. Clusterers are cloned, never changed.

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

    _declared: ClassVar[Declaration] = {
        "generators": (ListOf((HasMethod("generate"), HasMethod("fit_predict"))),),
    }

    def __init__(self, generators: Sequence[Any]) -> None:
        self.generators = generators

    def generate(
        self, X: Any, *, n_clusters: int | None = None, random_state: Any = None
    ) -> Ensemble:
        """Make the partitions.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            Features, finite. Columns of words in a frame become indicators.
        n_clusters : int or None, default=None
            Number of clusters that the consensus will be asked for, handed to the generators
            that take it.
        random_state : int, RandomState instance or None, default=None
            Seed of everything that is drawn.

        Returns
        -------
        Ensemble
            The partitions, in the array library of `X`, with the models that there are.

        See Also
        --------
        consensa.cluster : Generates and combines in one call.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa import Mixed, RandomKMeans, RandomProjection
        >>> X = np.arange(18.0).reshape(9, 2)
        >>> Mixed([RandomKMeans(2), RandomProjection(3)]).generate(X, random_state=0).n_partitions
        5
        """
        check_params("Mixed", self._declared, self.get_params(deep=False))
        check_params(
            "generate",
            {"n_clusters": (Integer(1), NoneType()), "random_state": (RandomState(),)},
            {"n_clusters": n_clusters, "random_state": random_state},
        )
        features = read_matrix(X, accept_sparse=True)
        rng = random_source(random_state)
        columns: list[Array] = []
        models: list[Any] = []
        with track("sources of partitions", len(self.generators)) as advance:
            for source in suited(self, X).generators:
                made = _partitions(source, features, n_clusters, rng.randint(LARGEST_SEED))
                columns += made[0]
                models += made[1]
                advance()
        return collected(columns, models, features, names=row_names(X))

    def _without_scaling(self) -> Mixed:
        return Mixed(
            [
                source._without_scaling() if hasattr(source, "_without_scaling") else source
                for source in self.generators
            ]
        )


def _partitions(
    source: Any, features: Any, n_clusters: int | None, seed: int
) -> tuple[list[Array], list[Any]]:
    """Partitions of one source, and their models."""
    if hasattr(source, "generate"):
        ensemble = generated(source, features, n_clusters, seed)
        models = ensemble.models or (None,) * ensemble.n_partitions
        return list(ensemble.codes.T), list(models)
    points = features if sparse.issparse(features) else to_numpy(features)
    labels, model = cluster_rows(points, seeded(source, seed))
    return [labels], [model]
