"""Components of a learned graph that are more or fewer than the requested clusters."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._defaults import KMEANS_STARTS
from consensa._result.wording import counted
from consensa.ensemble import Ensemble, Microclusters
from consensa.ensemble.rows import sums_by_partition
from consensa.exceptions import ConvergenceWarning
from consensa.partition import sized_linkage
from consensa.partition.kmeans import best_kmeans

__all__ = ["merged_components", "split_components"]

_EPS = np.finfo(np.float64).eps


def merged_components(
    name: str, component: Array, groups: Microclusters, n_clusters: int, *, remedy: str = ""
) -> Array:
    """Components merged by average linkage on the mean co-association of their samples.

    `component` is that of each microcluster, and so is the answer. A warning says it, in the name
    of the method `name`, and what to do about it: the `remedy`, or another number of clusters.
    """
    sizes = np.bincount(component, groups.sizes)
    together = _mean_coassociation(component, groups)
    way = "merged by average linkage on the mean co-association"
    remedy = remedy or f"ask for n_clusters={len(sizes)} to keep that many"
    _warn(name, len(sizes), n_clusters, way, remedy)
    return sized_linkage(together, sizes).cut(n_clusters)[component]


def _mean_coassociation(component: Array, groups: Microclusters) -> Array:
    """How often the samples of two components are together, where both are labeled.

    The share of the pairs of samples that are together, over all partitions: a pair counts once
    for each partition that labels both.
    """
    rows = Ensemble(groups.rows)
    inside = sparse.csr_array(
        (groups.sizes.astype(np.float64), (component, np.arange(len(component))))
    )
    shared = (inside @ rows.membership()).toarray()
    labeled = sums_by_partition(shared, rows.cluster_counts, axis=1)
    return np.asarray(shared @ shared.T / np.maximum(labeled @ labeled.T, 1))


def split_components(
    name: str,
    component: Array,
    vectors: Array,
    sizes: Array,
    n_clusters: int,
    *,
    remedy: str = "raise max_iter",
) -> Array:
    """Clusters of the rows of the eigenvectors, as in spectral clustering, with a warning.

    Each row is divided by its length, so that rows may be multiplied by any numbers above 0. As
    many clusters as rows have one answer, which needs no warning.
    """
    if n_clusters == len(component):
        return np.arange(n_clusters)
    found = int(component.max()) + 1
    way = "split by k-means on the eigenvectors"
    _warn(name, found, n_clusters, way, remedy)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _EPS)
    rng = np.random.RandomState(0)
    return best_kmeans(
        vectors / lengths, n_clusters, n_init=KMEANS_STARTS, rng=rng, weights=sizes
    )[1]


def _warn(name: str, found: int, n_clusters: int, way: str, remedy: str) -> None:
    message = (
        f"{name} found {counted(found, 'component')} instead of {n_clusters}. They are {way}; "
        f"{remedy}."
    )
    warnings.warn(message, ConvergenceWarning, stacklevel=6)
