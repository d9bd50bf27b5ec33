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
from consensa.study.draws import dataset_of, draw_of, scores

# Methods that are quick enough on every set; the others are in the tables from labels.
CONSENSUS = ("tea", "lwea", "eac", "lwgp", "lwsc", "ecpcsmc", "ecpcshc", "hbgf", "voting")

# Many co-associations are equal. Here certainties that differ in the ninth digit settle which of
# them merge first, so the labels are not those of `eac`.
EAC_BY_TEA = "EAC, as a setting of TEA"
# TEA's steps removed in turn, its parameters moved, and fewer representatives.
TEA = {
    "TEA": {},
    "TEA, without the sizes": {"size_exponent": 0},
    "TEA, without the normalization": {"normalization": 0},
    "TEA, with the certainty of LWEA": {"theta": 0.4},
    "LWEA": {"theta": 0.4, "normalization": 0, "size_exponent": 0},
    EAC_BY_TEA: {"theta": 1e9, "normalization": 0, "size_exponent": 0},
    "TEA, theta 0.2": {"theta": 0.2},
    "TEA, theta 0.3": {"theta": 0.3},
    "TEA, normalization 0.15": {"normalization": 0.15},
    "TEA, normalization 0.35": {"normalization": 0.35},
    "TEA, normalization 0.5": {"normalization": 0.5},
    "TEA, size_exponent 0.05": {"size_exponent": 0.05},
    "TEA, size_exponent 0.2": {"size_exponent": 0.2},
    "TEA, size_exponent 1": {"size_exponent": 1},
    "TEA, max_groups 500": {"max_groups": 500},
    "TEA, max_groups 250": {"max_groups": 250},
}
# A rival whose authors' parameters were set for other ensembles: with a higher threshold.
RIVALS = {
    "TEA": ("tea", {}),
    "LWEA": ("lwea", {}),
    "EC-CMS, threshold 0.9": ("eccms", {"threshold": 0.9}),
}
ADAPTED = {
    "TEA": ("tea", {}),
    "EAC": ("eac", {}),
    "LTA, adapted penalty, spectral": ("lta", {"random_state": 0}),
    "LTA, adapted penalty, average linkage": ("lta", {"partition": "average"}),
}
VARIANTS = {
    "tea": {name: ("tea", parameters) for name, parameters in TEA.items()},
    "eccms": RIVALS,
    "lta": ADAPTED,
}
LANDMARKS = (10_000, 2000, 1000, 500)


def find_generators():
    """Every generator with its own number of partitions; `Mixed` joins two scalings."""
    made = {}
    for name in cs.generation.__all__:
        try:
            made[name.lower()] = getattr(cs, name)()
        except TypeError:
            continue
    halves = [cs.LandmarkSpectral(n_partitions=10, scaling=how) for how in ("none", "standard")]
    return made | {"mixed": cs.Mixed(halves)}


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


def compute(cell, options):
    """Scores and seconds of each row: one generator with all methods, or one clusterer."""
    X, truth, k = shuffled_features(cell, options)
    kind, _, name = cell.method.partition(":")
    run = {"generator": _combine, "raw": _raw, "standardized": _standardized}[kind]
    return _quietly_scored(truth, run, name, X, k, cell.draw)


def compute_variants(cell, options):
    """Methods with other parameters, on a draw of the tables from labels."""
    dataset = dataset_of(cell, options)
    drawn = draw_of(cell, dataset)

    def fit(name, parameters):
        method = getattr(cs, name)
        place = {"device": options.device} if method.info.gpu else {}
        return method(drawn.ensemble, dataset.n_classes, **parameters, **place).labels

    def run():
        return {
            row: _timed(lambda asked=asked: fit(*asked))
            for row, asked in VARIANTS[cell.method].items()
        }

    return _quietly_scored(drawn.truth, run)


def compute_landmarks(cell, options):
    """The default with fewer landmarks."""
    X, truth, k = shuffled_features(cell, options)

    def run():
        generators = {n: cs.LandmarkSpectral(n_partitions=20, n_landmarks=n) for n in LANDMARKS}
        return {
            f"{n} landmarks": _timed(
                lambda g=g: cs.cluster(X, k, generator=g, random_state=cell.draw).labels
            )
            for n, g in generators.items()
        }

    return _quietly_scored(truth, run)


def compute_agreement(cell, options):
    """How far the default agrees with itself on other rows and with another seed."""
    X, _, k = shuffled_features(cell, options)
    rows = np.random.RandomState([2, cell.draw]).permutation(len(X))
    first = cs.cluster(X, k, random_state=cell.draw).labels

    def run():
        moved, moved_s = _timed(lambda: cs.cluster(X[rows], k, random_state=cell.draw).labels)
        back = np.empty_like(moved)
        back[rows] = moved
        other = _timed(lambda: cs.cluster(X, k, random_state=cell.draw + 1000).labels)
        return {"another order of the rows": (back, moved_s), "another seed": other}

    return _quietly_scored(first, run)


def shuffled_features(cell, options):
    """Features and classes of a cell's set in the order of its draw; number of classes."""
    dataset = load_set(cell.dataset, options.folder)
    rows = np.random.RandomState([1, cell.draw]).permutation(dataset.n_samples)
    X = np.asarray(dataset.X, dtype=np.float64)[rows]
    return X, dataset.y[rows], dataset.n_classes


def _quietly_scored(truth, run, *given):
    """Scores and seconds of the rows that ``run(*given)`` finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(*given)
    return {
        "rows": {row: scores(truth, labels) for row, (labels, _) in found.items()},
        "details": {row: round(seconds, 3) for row, (_, seconds) in found.items()},
    }


def _timed(act):
    start = time.perf_counter()
    labels = act()
    return labels, time.perf_counter() - start


def _combine(name, X, k, seed):
    start = time.perf_counter()
    generator = find_generators()[name]
    ensemble = generator.generate(X, n_clusters=k, random_state=seed)
    made = time.perf_counter() - start
    found = {}
    for method in CONSENSUS:
        function = getattr(cs, method)
        seeded = {"random_state": seed} if "random_state" in function.declared else {}
        labels, seconds = _timed(lambda f=function, s=seeded: f(ensemble, k, **s).labels)
        found[f"{type(generator).__name__} + {function.info.name}"] = labels, made + seconds
    return found


def _raw(name, X, k, seed, *, scaling="raw"):
    model = clusterers(k, seed)[name]
    return {f"scikit-learn {name}, {scaling}": _timed(lambda: model.fit_predict(X))}


def _standardized(name, X, k, seed):
    return _raw(name, StandardScaler().fit_transform(X), k, seed, scaling="standardized")
