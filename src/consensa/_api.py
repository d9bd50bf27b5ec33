"""Clustering in one call, with defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from consensa._machine.progress import showing_if
from consensa._params import OneOf, check_params
from consensa._result import ConsensusResult
from consensa.consensus.catalogue import read_method
from consensa.ensemble.details import MISSING_VALUES
from consensa.exceptions import InvalidParameterError
from consensa.features.missing_values import MISSING, Complete, complete
from consensa.features.space import PRECOMPUTED
from consensa.generation.default import with_parameter

__all__ = ["cluster", "combine"]


def cluster(
    X: Any,
    n_clusters: int | Literal["auto"] | Sequence[int],
    *,
    method: Any = None,
    generator: Any = None,
    metric: str | None = None,
    missing: str = "error",
    random_state: Any = None,
    verbose: bool = False,
) -> ConsensusResult:
    """Cluster samples by features: generate base partitions and combine them.

    By default, :class:`DiverseKinds` scales the columns if necessary and generates base
    partitions of several kinds, and :class:`TEA` combines them. Both are order-free.
    ``TEA(n_clusters).fit(X)`` has the same labels.

    Parameters
    ----------
    X : array-like, frame, sparse matrix, stored features, label matrix or Ensemble
        Features, of shape (n_samples, n_features); text columns of a frame are one-hot
        encoded. Features larger than memory are opened with `consensa.open_features`. With
        ``generator="precomputed"``, labels of shape (n_samples, n_partitions).
    n_clusters : int, "auto" or list of int
        Number of clusters. "auto" chooses it as `consensa.select_n_clusters` does, and a list or
        range has the numbers to choose from.
    method : name, estimator or None, default=None
        Consensus method, such as ``"lwea"`` or ``LWEA(theta=0.5)``; None is ``TEA()``.
    generator : object with ``generate``, "precomputed" or None, default=None
        Generates the base partitions. None is the generator of `method` if it has one, else
        ``DiverseKinds()``.
    metric : {"auto", "euclidean", "cosine", "precomputed"} or None, default=None
        Distance of the samples, for a generator with this parameter, as the default one has it.
        With ``"precomputed"``, X is the square matrix of the distances of the samples. None is
        the metric of the generator.
    missing : {"error", "impute", "drop"}, default="error"
        What to do with missing values of a frame or an array: raise an error, fill them with the
        median or the most frequent entry of their column, or leave out their rows, so that the
        result has fewer samples than X. The samples are then named by their index or row number.
        Features on disk are filled by further passes over their rows; rows are not left out.
    random_state : int, RandomState instance or None, default=None
        Seed; pass an integer for reproducible labels. None is the seed of `method`, if any.
    verbose : bool, default=False
        Whether to print the progress of each step to standard error.

    Returns
    -------
    ConsensusResult
        Labels, confidence and base partitions.

    See Also
    --------
    combine : Combine existing partitions.
    open_features : Features on disk.
    consensa.DiverseKinds : The default generator.
    consensa.TEA : The default method.

    Examples
    --------
    >>> import consensa as cs, numpy as np
    >>> X = np.array([[0.0, 0.1], [0.2, 0.0], [0.1, 0.2], [9.0, 8.8], [8.9, 9.1], [9.1, 9.0]])
    >>> cs.cluster(X, 2, random_state=0).labels
    array([0, 0, 0, 1, 1, 1])

    178 wines of three growers, by their chemistry; the names of the wines to look at again:

    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine(as_frame=True)
    >>> result = cs.cluster(wine.data, 3, random_state=0)
    >>> bool(cs.metrics.adjusted_rand_index(wine.target, result.labels) > 0.7)
    True
    >>> doubtful = wine.data.index[result.confidence < 0.6]
    >>> 0 < len(doubtful) < 40
    True

    Distances in place of features:

    >>> distances = np.abs(np.subtract.outer(X[:, 0], X[:, 0]))
    >>> cs.cluster(distances, 2, metric="precomputed", random_state=0).labels
    array([0, 0, 0, 1, 1, 1])
    """
    if metric is not None:
        method = read_method(method, owner="cluster")
        given = method.generator if generator is None else generator
        generator = with_parameter(given, "metric", metric, owner="cluster")
    X, note = _without_gaps(X, missing, generator, metric)
    settings = {"generator": generator, "random_state": random_state}
    with showing_if(verbose):
        result = _answer("cluster", X, n_clusters, method, settings)
    if note is None:
        return result
    return replace(result, details={**result.details, MISSING_VALUES: note})


def combine(
    labels: Any,
    n_clusters: int | Literal["auto"] | Sequence[int],
    *,
    method: Any = None,
    random_state: Any = None,
    verbose: bool = False,
) -> ConsensusResult:
    """Combine existing partitions into one.

    Parameters
    ----------
    labels : array-like, frame or Ensemble of shape (n_samples, n_partitions)
        Rows are samples, columns are partitions: integers, text or categories; -1, NaN and
        None are missing labels.
    n_clusters : int, "auto" or list of int
        Number of clusters. "auto" chooses it as `consensa.select_n_clusters` does, and a list or
        range has the numbers to choose from.
    method : name, estimator or None, default=None
        Consensus method, such as ``"lwea"`` or ``LWEA(theta=0.5)``; None is ``TEA()``.
    random_state : int, RandomState instance or None, default=None
        Seed of the method. None is the seed of `method`, if any.
    verbose : bool, default=False
        Whether to print the progress of each step to standard error.

    Returns
    -------
    ConsensusResult
        Labels, confidence and base partitions.

    See Also
    --------
    cluster : Cluster by features.

    Examples
    --------
    >>> import consensa as cs
    >>> cs.combine([["a", 1, 5], ["a", 1, 5], ["b", 1, 6], ["b", 2, 6], ["b", 2, 6]], 2).labels
    array([0, 0, 1, 1, 1])

    Clusterers that disagree on the number of clusters, one of which calls samples noise (-1):

    >>> import numpy as np
    >>> from sklearn.cluster import DBSCAN, KMeans
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> runs = [KMeans(k, n_init=1, random_state=0) for k in (3, 4, 5)] + [DBSCAN(eps=0.6)]
    >>> table = np.column_stack([run.fit_predict(X) for run in runs])
    >>> cs.combine(table, 3).cluster_sizes
    array([50, 68, 32])
    """
    given = {"generator": "precomputed", "random_state": random_state}
    with showing_if(verbose):
        return _answer("combine", labels, n_clusters, method, given)


def _without_gaps(X: Any, missing: str, generator: Any, metric: str | None) -> Complete:
    """X without missing values, if that is asked for."""
    check_params("cluster", {"missing": (OneOf(MISSING),)}, {"missing": missing})
    kind = "labels" if generator == PRECOMPUTED else "distances"
    if missing != "error" and PRECOMPUTED in (generator, metric):
        message = f"missing={missing!r} completes features. X holds {kind}; use missing='error'."
        raise InvalidParameterError(message)
    return complete(X, missing)


def _answer(
    owner: str, X: Any, n_clusters: Any, method: Any, given: dict[str, Any]
) -> ConsensusResult:
    """Fit the method with the given parameters and return the result."""
    model = read_method(method, owner=owner)
    model.set_params(n_clusters=n_clusters)
    model.set_params(**{name: value for name, value in given.items() if value is not None})
    return model._fit(X, owner=owner).result_
