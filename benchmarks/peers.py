"""What people run instead: other libraries' clusterers, at the asked number of clusters.

All with their defaults, except as follows. UMAP has the minimum distance 0, as its guide
recommends for clustering. Leiden runs on the graph of 15 nearest neighbors, with the resolution
found by bisection at which the number of communities is that asked for, or the nearest that there
is. Of HDBSCAN's minimum sizes of a cluster, that is taken at which the number of clusters is
nearest to the one asked for; scikit-learn's HDBSCAN keeps its default and chooses the number
itself. Samples that HDBSCAN or EVoC call noise get the label of the nearest sample that is none.
The libraries are the extra `bench`; a row whose library is missing is left out.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    Birch,
    BisectingKMeans,
    KMeans,
    SpectralClustering,
)
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

_N_NEIGHBORS = 15
_MIN_SAMPLES = 10
_ROUNDS = 25  # of the bisection


class Peer(NamedTuple):
    """A function of X, k and seed to labels and seconds of each of its rows."""

    rows: tuple[str, ...]
    run: Callable
    seeds: int = 5  # 1 if nothing is random, 3 if it is slow
    library: str = "sklearn"


def timed(act):
    """The result of a function, and its seconds of processor time."""
    start = time.process_time()
    result = act()
    return result, time.process_time() - start


def _embedded(n_components):
    """UMAP, its embedding cut in three ways."""

    def run(X, k, seed):
        umap = import_module("umap")
        model = umap.UMAP(
            n_components=n_components, n_neighbors=_N_NEIGHBORS, min_dist=0.0, random_state=seed
        )
        points, spent = timed(lambda: np.asarray(model.fit_transform(X), np.float64))
        cuts = (
            lambda: KMeans(k, n_init=10, random_state=seed).fit_predict(points),
            lambda: GaussianMixture(k, n_init=3, random_state=seed).fit_predict(points),
            lambda: density_clusters(points, k),
        )
        return [(labels, spent + seconds) for labels, seconds in map(timed, cuts)]

    names = ("k-means", "Gaussian mixture", "HDBSCAN")
    rows = tuple(f"UMAP to {n_components} dimensions + {name}" for name in names)
    return Peer(rows, run, 3, "umap")


def _plain(name, make, *, library="sklearn", seeds=5):
    """A row of its own: ``make(X, k, seed)`` returns labels."""
    return Peer((name,), lambda X, k, seed: [timed(lambda: make(X, k, seed))], seeds, library)


def density_clusters(X, k):
    """HDBSCAN, with the minimum size of a cluster at which their number is nearest to k."""
    library = import_module("fast_hdbscan.hdbscan")
    points = np.ascontiguousarray(X, np.float64)
    tree, *_ = library.compute_minimum_spanning_tree(
        points, min_samples=min(_MIN_SAMPLES, len(X) - 1), reproducible=True
    )
    sizes = np.unique(np.geomspace(5, max(6, len(X) // 2), 15).astype(int))
    found = [library.clusters_from_spanning_tree(tree, min_cluster_size=s)[0] for s in sizes]
    return without_noise(X, min(found, key=lambda labels: abs(labels.max() + 1 - k)))


def without_noise(X, labels):
    """Noise gets the label of the nearest sample that is none."""
    noise = labels < 0
    if noise.all() or not noise.any():
        return np.maximum(labels, 0)
    nearest = NearestNeighbors(n_neighbors=1).fit(X[~noise]).kneighbors(X[noise])[1][:, 0]
    whole = np.array(labels)
    whole[noise] = labels[~noise][nearest]
    return whole


def leiden(X, k, seed):
    """Communities of the graph of nearest neighbors, at the asked number if there is such."""
    igraph = import_module("igraph")
    near = kneighbors_graph(X, min(_N_NEIGHBORS, len(X) - 1))
    edges = sparse.triu(near + near.T, 1).tocoo()
    graph = igraph.Graph(n=len(X), edges=np.column_stack(edges.coords).tolist())
    igraph.set_random_number_generator(random.Random(seed))
    low, high, best = np.log(1e-4), np.log(1e3), None
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        found = graph.community_leiden("modularity", resolution=np.exp(middle), n_iterations=5)
        labels = np.array(found.membership)
        count = labels.max() + 1
        if best is None or abs(count - k) < abs(best.max() + 1 - k):
            best = labels
        if count == k:
            break
        low, high = (low, middle) if count > k else (middle, high)
    return best


def _genie(X, k, _):
    return import_module("genieclust").Genie(n_clusters=k).fit_predict(X)


def _evoc(X, k, seed):
    model = import_module("evoc").EVoC(approx_n_clusters=k, random_state=seed)
    return without_noise(X, np.asarray(model.fit_predict(X.astype(np.float32))))


def _on_components(make):
    def run(X, k, seed):
        return make(PCA(min(50, *X.shape), random_state=seed).fit_transform(X), k, seed)

    return run


def _kmeans(X, k, seed):
    return KMeans(k, n_init=10, random_state=seed).fit_predict(X)


def _spectral(X, k, seed):
    model = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=10, random_state=seed)
    return model.fit_predict(X)


def _ward(X, k, _):
    return AgglomerativeClustering(k).fit_predict(X)


def _diagonal_mixture(X, k, seed):
    return GaussianMixture(k, covariance_type="diag", random_state=seed).fit_predict(X)


def _full_mixture(X, k, seed):
    return GaussianMixture(k, random_state=seed).fit_predict(X)


def _hdbscan(X, *_):
    return without_noise(X, HDBSCAN(copy=True).fit_predict(X))


def _birch(X, k, _):
    return Birch(n_clusters=k).fit_predict(X)


def _bisecting(X, k, seed):
    return BisectingKMeans(k, n_init=3, random_state=seed).fit_predict(X)


ALL_PEERS = {
    "genie": _plain("Genie", _genie, library="genieclust", seeds=1),
    "leiden": _plain("Leiden", leiden, library="igraph"),
    "umap2": _embedded(2),
    "umap10": _embedded(10),
    "evoc": _plain("EVoC", _evoc, library="evoc"),
    "fast_hdbscan": _plain(
        "FastHDBSCAN", lambda X, k, _: density_clusters(X, k), library="fast_hdbscan", seeds=1
    ),
    "kmeans": _plain("scikit-learn KMeans", _kmeans),
    "pca_kmeans": _plain("PCA to 50 components + k-means", _on_components(_kmeans)),
    "pca_mixture": _plain(
        "PCA to 50 components + Gaussian mixture", _on_components(_full_mixture)
    ),
    "spectral": _plain("scikit-learn SpectralClustering", _spectral),
    "ward": _plain("scikit-learn Ward", _ward, seeds=1),
    "mixture": _plain("scikit-learn GaussianMixture, diagonal", _diagonal_mixture),
    "hdbscan": _plain("scikit-learn HDBSCAN", _hdbscan, seeds=1),
    "birch": _plain("scikit-learn Birch", _birch, seeds=1),
    "bisecting": _plain("scikit-learn BisectingKMeans", _bisecting),
}  # fmt: skip
PEERS = {name: peer for name, peer in ALL_PEERS.items() if find_spec(peer.library)}
