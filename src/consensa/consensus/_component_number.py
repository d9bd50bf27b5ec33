"""Components of a learned graph that are more or fewer than the requested clusters."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._result.wording import counted
from consensa.exceptions import ConvergenceWarning
from consensa.partition import sized_linkage
from consensa.partition.kmeans import best_kmeans

__all__ = ["merged_components", "split_components"]

_EPS = np.finfo(np.float64).eps


def merged_components(
    name: str, component: Array, rows: sparse.csr_array, sizes: Array, n_clusters: int
) -> Array:
    """Components merged by average linkage on the mean co-association of their samples.

    `rows` are the memberships of the distinct rows, `sizes` their numbers of samples. A warning
    says it, in the name of the method `name`.
    """
    inside = sparse.csr_array((sizes.astype(np.float64), (component, np.arange(len(sizes)))))
    shared = (inside @ rows).toarray()
    samples = np.bincount(component, sizes)
    labels = np.asarray(inside @ rows.sum(axis=1)) / samples
    together = shared @ shared.T / np.outer(samples * labels, samples * labels)
    _warn(name, len(samples), n_clusters, "merged by average linkage on the mean co-association")
    return sized_linkage(together, samples).cut(n_clusters)[component]


def split_components(
    name: str, component: Array, vectors: Array, sizes: Array, n_clusters: int
) -> Array:
    """Clusters of the rows of the eigenvectors, as in spectral clustering, with a warning."""
    found = int(component.max()) + 1
    _warn(name, found, n_clusters, "split by k-means on the eigenvectors; raise max_iter")
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _EPS)
    rng = np.random.RandomState(0)
    return best_kmeans(
        vectors / lengths, n_clusters, n_init=KMEANS_STARTS, rng=rng, weights=sizes
    )[1]


def _warn(name: str, found: int, n_clusters: int, remedy: str) -> None:
    message = (
        f"{name} found {counted(found, 'component')} instead of {n_clusters}. They are {remedy}."
    )
    warnings.warn(message, ConvergenceWarning, stacklevel=6)
