"""One call for people who do not want to choose."""

from __future__ import annotations

from typing import Any

from consensa._params import check_params
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus.base import BaseConsensus
from consensa.consensus.catalogue import read_method
from consensa.ensemble import Ensemble
from consensa.generation import LandmarkSpectral
from consensa.generation.base import generated

__all__ = ["cluster", "combine"]


def cluster(
    X: Any, n_clusters: int, *, generator: Any = None, random_state: Any = None
) -> ConsensusResult:
    """Cluster samples by their features: many base partitions, and their consensus.

    Base partitions are cuts of graphs of nearest neighbors, made by
    :class:`LandmarkSpectral`, which scales the columns by itself. The consensus is the
    default method: `consensa methods` marks it. Neither depends on the order of the samples.

    Parameters
    ----------
    X : array-like, frame, sparse matrix, label matrix or Ensemble
        Features, of shape (n_samples, n_features); columns of words in a frame become
        indicators. With ``generator="precomputed"`` labels, of shape
        (n_samples, n_partitions).
    n_clusters : int
        Number of clusters.
    generator : object with ``generate``, "precomputed" or None, default=None
        Makes the base partitions; None is ``LandmarkSpectral()``.
    random_state : int, RandomState instance or None, default=None
        Seed: the same seed gives the same answer.

    Returns
    -------
    ConsensusResult
        Labels, the base partitions, and what the method made of them.

    See Also
    --------
    combine : The same from partitions that you already have.
    consensa.LandmarkSpectral : The base partitions.

    Examples
    --------
    >>> import consensa as cs, numpy as np
    >>> X = np.array([[0.0, 0.1], [0.2, 0.0], [0.1, 0.2], [9.0, 8.8], [8.9, 9.1], [9.1, 9.0]])
    >>> cs.cluster(X, 2, random_state=0).labels
    array([0, 0, 0, 1, 1, 1])
    """
    given = {"n_clusters": n_clusters, "generator": generator, "random_state": random_state}
    check_params("cluster", BaseConsensus._declared, given)
    rng = random_source(random_state)
    if isinstance(generator, str) or isinstance(X, Ensemble):
        ensemble = Ensemble.from_labels(X)
    else:
        maker = LandmarkSpectral() if generator is None else generator
        ensemble = generated(maker, X, int(n_clusters), rng)
    method = read_method(None, owner="cluster").set_params(n_clusters=n_clusters)
    return method._combine(ensemble, rng)


def combine(labels: Any, n_clusters: int, *, random_state: Any = None) -> ConsensusResult:
    """Combine partitions that you already have into one, by the default method.

    Parameters
    ----------
    labels : array-like, frame or Ensemble of shape (n_samples, n_partitions)
        Rows are samples, columns are partitions: integers, words or categories; -1, NaN and
        None mean that a partition leaves a sample out.
    n_clusters : int
        Number of clusters.
    random_state : int, RandomState instance or None, default=None
        Seed, where the method draws anything.

    Returns
    -------
    ConsensusResult
        Labels, and what the method made of the partitions.

    See Also
    --------
    cluster : From features.

    Examples
    --------
    >>> import consensa as cs
    >>> cs.combine([["a", 1, 5], ["a", 1, 5], ["b", 1, 6], ["b", 2, 6], ["b", 2, 6]], 2).labels
    array([0, 0, 1, 1, 1])
    """
    return cluster(labels, n_clusters, generator="precomputed", random_state=random_state)
