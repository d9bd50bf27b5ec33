"""k-means on an embedding: the last step of the spectral methods."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._machine.threads import one_thread
from consensa._random import random_source
from consensa.ensemble.appearance import number_by_appearance
from consensa.partition._kmeans_kernels import best_of_runs

__all__ = [
    "best_kmeans",
    "draw_without_replacement",
    "kmeans_labels",
    "points_for_starts",
    "quick_kmeans",
    "sample_for_starts",
]

_SAMPLE = 20_000  # points in which the starts are tried when there are more
_SAMPLE_PER_CLUSTER = 50
_TOLERANCE = 1e-4  # of the steps of the centers, relative to the variance of the points


def kmeans_labels(
    points: Array, n_clusters: int, *, n_init: int = KMEANS_STARTS, random_state: Any = None
) -> Array:
    r"""Labels of the best of `n_init` runs of k-means.

    .. math:: \min_\ell \sum_i \| x_i - \mu_{\ell_i} \|^2.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Points to cluster.
    n_clusters : int
        Number of clusters.
    n_init : int, default=20
        Number of starts; the one with the smallest sum of squares is kept.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Returns
    -------
    ndarray of shape (n_samples,)
        Numbered in order of first appearance; fewer than `n_clusters` clusters if there
        are fewer distinct points.

    See Also
    --------
    cut_by_spectrum : Clusters the leading eigenvectors of an affinity.

    Notes
    -----
    Above 20,000 points and 50 points per cluster, the starts run on that many points drawn at
    random, and only the best of them is continued on all points until it converges.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import kmeans_labels
    >>> kmeans_labels(np.array([[0.0], [0.1], [5.0]]), 2, random_state=0)
    array([0, 0, 1])
    """
    rng = random_source(random_state)
    start: Any = "k-means++"
    if (sample := sample_for_starts(len(points), n_clusters, rng)) is not None:
        start, _ = best_kmeans(points[sample], n_clusters, n_init=n_init, rng=rng)
        n_init = 1
    _, labels = best_kmeans(points, n_clusters, n_init=n_init, rng=rng, init=start)
    return number_by_appearance(labels).astype(np.int64)


def best_kmeans(
    points: Array,
    n_clusters: int,
    *,
    n_init: int,
    rng: np.random.RandomState,
    init: Any = "k-means++",
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """Centers and labels of the best of `n_init` runs of k-means."""
    model = KMeans(n_clusters, init=init, n_init=n_init, random_state=rng)
    # One thread: scikit-learn adds partial sums in the order in which threads finish,
    # and the labels must not depend on the number of cores.
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than clusters
        model.fit(points, sample_weight=weights)
    return model.cluster_centers_, model.labels_


def quick_kmeans(
    points: Array,
    n_clusters: int,
    *,
    n_init: int,
    rng: np.random.RandomState,
    weights: Array | None = None,
) -> Array:
    """Labels of the best of `n_init` runs of k-means, for many problems of a few hundred points.

    Fewer than `n_clusters` clusters if there are fewer distinct points. Compiled: the checks of
    scikit-learn take several times as long as such a run. Its result is as good, not the same.
    """
    sizes = np.ones(len(points)) if weights is None else weights.astype(np.float64)
    draws = rng.random_sample((n_init, n_clusters, 2 + int(np.log(n_clusters))))
    tolerance = _TOLERANCE * float(points.var(axis=0).mean())
    return np.asarray(best_of_runs(np.ascontiguousarray(points), sizes, draws, tolerance))


def sample_for_starts(n_points: int, n_clusters: int, rng: np.random.RandomState) -> Array | None:
    """Points in which the starts are tried; None if there are few enough to try them in all.

    Time and memory do not grow with the number of points.
    """
    size = points_for_starts(n_points, n_clusters)
    return None if size == n_points else draw_without_replacement(n_points, size, rng)


def points_for_starts(n_points: int, n_clusters: int) -> int:
    """How many points the starts are tried in."""
    return min(n_points, max(_SAMPLE, _SAMPLE_PER_CLUSTER * n_clusters))


def draw_without_replacement(n_points: int, size: int, rng: np.random.RandomState) -> Array:
    """Numbers of `size` different points, without a list of all."""
    return np.array(random.Random(int(rng.randint(2**31))).sample(range(n_points), size))
