"""What a cell of the leaderboard from features computes; in a module, so that workers find it."""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    Birch,
    BisectingKMeans,
    KMeans,
    SpectralClustering,
)
from sklearn.datasets import load_digits
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import consensa as cs
from consensa.datasets import Dataset, load
from consensa.study._protocol import scores

# Methods that are quick enough on every set; the others are in the tables from labels.
CONSENSUS = ("tea", "lwea", "eac", "lwgp", "lwsc", "ecpcsmc", "ecpcshc", "hbgf", "voting")


def find_generators():
    """Every generator that can be made without being told how, with 20 partitions."""
    made = {}
    for name in cs.generation.__all__:
        try:
            made[name.lower()] = getattr(cs, name)(n_partitions=20)
        except TypeError:
            continue
    return made


def clusterers(k, seed):
    """scikit-learn's clusterers; HDBSCAN chooses the number of clusters itself."""
    return {
        "KMeans": KMeans(k, n_init=10, random_state=seed),
        "SpectralClustering": SpectralClustering(
            k, affinity="nearest_neighbors", n_neighbors=10, random_state=seed
        ),
        "Ward": AgglomerativeClustering(k),
        "GaussianMixture": GaussianMixture(k, covariance_type="diag", random_state=seed),
        "HDBSCAN": HDBSCAN(copy=True),
        "Birch": Birch(n_clusters=k),
        "BisectingKMeans": BisectingKMeans(k, n_init=3, random_state=seed),
    }


def load_set(name, folder=None):
    """One of the seven sets, or scikit-learn's digits."""
    if name != "digits":
        return load(name, folder=folder)
    X, y = load_digits(return_X_y=True)
    return Dataset("digits", X, y, None, "scikit-learn")


def compute(cell, *, folder=None):
    """Scores and seconds of each row: one generator with all methods, or one clusterer."""
    dataset = load_set(cell.dataset, folder)
    rows = np.random.RandomState([1, cell.draw]).permutation(dataset.n_samples)
    X, truth = np.asarray(dataset.X, dtype=np.float64)[rows], dataset.y[rows]
    kind, _, name = cell.method.partition(":")
    run = {"generator": _combine, "raw": _raw, "standardised": _standardised}[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(name, X, dataset.n_classes, cell.draw)
    return {
        "rows": {row: scores(truth, labels) for row, (labels, _) in found.items()},
        "details": {row: round(seconds, 3) for row, (_, seconds) in found.items()},
    }


def _combine(name, X, k, seed):
    start = time.perf_counter()
    generator = find_generators()[name]
    model = cs.EAC(k, generator=generator, random_state=seed)
    ensemble = model._read_ensemble(X, np.random.RandomState(seed))
    made = time.perf_counter() - start
    found = {}
    for method in CONSENSUS:
        function = getattr(cs, method)
        seeded = {"random_state": seed} if "random_state" in function.declared else {}
        start = time.perf_counter()
        labels = function(ensemble, k, **seeded).labels
        label = f"{type(generator).__name__} + {function.info.name}"
        found[label] = labels, made + time.perf_counter() - start
    return found


def _raw(name, X, k, seed, *, scaling="raw"):
    start = time.perf_counter()
    labels = clusterers(k, seed)[name].fit_predict(X)
    return {f"scikit-learn {name}, {scaling}": (labels, time.perf_counter() - start)}


def _standardised(name, X, k, seed):
    return _raw(name, StandardScaler().fit_transform(X), k, seed, scaling="standardised")
