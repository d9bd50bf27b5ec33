"""Data for `number_of_clusters.py`: noise without clusters, and sets with known numbers of them.

`sets` are those on which the rule was chosen; `fresh_sets` were simulated when it was fixed.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn import datasets

__all__ = ["MOST_ROWS", "fresh_sets", "noise", "sets"]

MOST_ROWS = 500  # of a data set with a known number


def noise(kind, n, d, seed):
    """Data without clusters."""
    rng = np.random.RandomState(seed)
    simple = {
        "uniform": lambda: rng.uniform(size=(n, d)),
        "normal": lambda: rng.normal(size=(n, d)),
        "correlated": lambda: rng.normal(size=(n, d)) @ rng.normal(size=(d, d)),
        "t3": lambda: rng.standard_t(3, size=(n, d)),
        "t3 jointly": lambda: rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(3, (n, 1)) / 3),
        "lognormal": lambda: rng.lognormal(size=(n, d)),
        "exponential": lambda: rng.exponential(size=(n, d)),
        "gamma": lambda: rng.gamma(2.0, size=(n, d)),
        "poisson": lambda: rng.poisson(rng.lognormal(1, 0.7, d), size=(n, d)).astype(float),
    }
    if kind in simple:
        return simple[kind]()
    points = np.zeros((n, d))
    if kind == "ring":
        angle = rng.uniform(0, 2 * np.pi, n)
        points[:, 0], points[:, 1] = np.cos(angle), np.sin(angle)
    else:  # a curved sheet; in two columns, a curve
        angle = rng.uniform(0, 1.5 * np.pi, n)
        points[:, 0], points[:, 1] = np.sin(angle), np.cos(angle) * (1 + angle / 4)
        if d > 2:
            points[:, 2] = rng.uniform(0, 2, n)
    if d > 2:
        points = points @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    return points + rng.normal(scale=0.05, size=(n, d))


def centers(k, d, gap, rng):
    """Centers at least `gap` apart."""
    half = 1.0
    while True:
        drawn = rng.uniform(-half, half, (k, d))
        apart = np.linalg.norm(drawn[:, None] - drawn, axis=2) + 1e9 * np.eye(k)
        if apart.min() >= gap:
            return drawn
        half *= 1.03


def blobs(seed):
    """Blobs of equal or unequal sizes and spreads."""
    rng = np.random.RandomState(seed)
    k = int(rng.choice([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 18, 20, 24, 28, 30]))
    d = int(rng.choice([2, 2, 2, 3, 5, 10, 20, 50]))
    n = max(int(rng.choice([200, 400, 800])), 25 * k)
    places = centers(k, d, rng.uniform(3.5, 8) * (1 if d < 10 else 1.2), rng)
    sizes = rng.dirichlet(np.full(k, 2.0)) if rng.rand() < 0.5 else np.full(k, 1 / k)
    sizes = np.maximum(sizes, 8 / n)
    own = rng.choice(k, n, p=sizes / sizes.sum())
    spread = rng.uniform(0.4, 1.1, k) if rng.rand() < 0.5 else np.ones(k)
    return places[own] + rng.normal(size=(n, d)) * spread[own][:, None], [k]


def shapes(seed):
    """Moons, circles, stripes and squares."""
    rng = np.random.RandomState(1000 + seed)
    n = int(rng.choice([200, 400, 800]))
    kind = seed % 4
    if kind == 0:
        return datasets.make_moons(n, noise=rng.uniform(0.03, 0.09), random_state=seed)[0], [2]
    if kind == 1:
        return datasets.make_circles(n, noise=0.04, factor=rng.uniform(0.3, 0.6),
                                     random_state=seed)[0], [2]  # fmt: skip
    k = rng.randint(2, 6)
    own = rng.randint(k, size=n)
    if kind == 2:
        return np.c_[rng.uniform(0, 6, n), own + rng.normal(scale=0.12, size=n)], [k]
    return rng.uniform(size=(n, 2)) * rng.uniform(0.5, 1, k)[own][:, None] + centers(
        k, 2, 1.7, rng
    )[own], [k]


def counts(seed):
    """Counts of a few types of cells."""
    rng = np.random.RandomState(2000 + seed)
    n, d, k = int(rng.choice([300, 600])), 300, int(rng.choice([2, 3, 4, 5, 6, 8]))
    fold = np.ones((k, d))
    for row in fold:
        row[rng.choice(d, 30, replace=False)] = rng.lognormal(1.2, 0.5, 30)
    own = rng.choice(k, n, p=rng.dirichlet(np.full(k, 4.0)))
    rate = rng.lognormal(-0.5, 1.2, d) * fold[own] * rng.lognormal(0, 0.3, n)[:, None]
    return rng.poisson(rng.gamma(2.0, rate / 2)).astype(float), [k]


def stretched(seed):
    """Clusters with covariances of their own and, half the time, heavy tails."""
    rng = np.random.RandomState(3000 + seed)
    k, d, n = int(rng.choice([2, 3, 4, 5, 7, 9, 12])), int(rng.choice([2, 3, 6, 15])), 500
    places = centers(k, d, rng.uniform(6, 9), rng)
    own = rng.choice(k, n, p=rng.dirichlet(np.full(k, 5.0)))
    axes = [np.linalg.qr(rng.normal(size=(d, d)))[0] * rng.uniform(0.4, 1.5, d) for _ in range(k)]
    drawn = rng.normal(size=(n, d))
    if rng.rand() < 0.5:
        drawn /= np.sqrt(rng.chisquare(8, (n, 1)) / 8)
    return places[own] + np.array([axes[c] @ row for c, row in zip(own, drawn, strict=True)]), [k]


def curves(seed):
    """Nested rings, spirals and pairs of moons."""
    rng = np.random.RandomState(4000 + seed)
    k, n = (3, 3, 4)[seed % 3], int(rng.choice([400, 500]))
    own, along = rng.randint(k, size=n), rng.uniform(size=n)
    if seed % 3 == 0:
        radius, angle = 1.0 + own, 2 * np.pi * along
    elif seed % 3 == 1:
        radius, angle = 0.4 + 2 * along, 2 * np.pi * (along + own / k)
    else:
        moons = datasets.make_moons(n, noise=0.05, random_state=seed)
        return moons[0] + np.outer(rng.rand(n) < 0.5, [0, 3.0]), [k]
    places = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    return places + rng.normal(scale=rng.uniform(0.05, 0.1), size=(n, 2)), [k]


def fresh_sets():
    """The same as `sets`, simulated when the rule was fixed."""
    for name, make, count in (("blobs", blobs, 12), ("stretched", stretched, 10),
                              ("shapes", shapes, 8), ("curves", curves, 6),
                              ("counts", counts, 4)):  # fmt: skip
        for seed in range(100, 100 + count):
            yield (
                "fresh",
                f"fresh {name} {seed}",
                lambda make=make, seed=seed: _few_rows(*make(seed)),
            )


def sets():
    """Battery, name, and a function that gives features and the right numbers; batteries mixed."""
    found = {"known": [(name, lambda name=name: _known(name))
                       for name in ("iris", "wine", "breast_cancer", "digits")]}  # fmt: skip
    for battery, make, count in (("blobs", blobs, 24), ("shapes", shapes, 12),
                                 ("counts", counts, 6)):  # fmt: skip
        found[battery] = [
            (f"{battery} {seed}", lambda make=make, seed=seed: make(seed)) for seed in range(count)
        ]
    folder = os.environ.get("CONSENSA_DATA")
    for file in sorted(Path(folder).glob("shapes/*.npz")) if folder else ():
        found.setdefault(file.stem.partition("_")[0], []).append(
            (file.stem, lambda file=file: _stored(file))
        )
    names = ("semeion", "mf", "mnist5k", "texture", "caltech20", "isolet", "binalpha")
    found["seven"] = [
        (name, lambda name=name: _stored(Path(folder) / f"{name}.npz")) for name in names if folder
    ]
    placed = [((place + 0.5) / len(own), battery, *one)
              for battery, own in found.items() for place, one in enumerate(own)]  # fmt: skip
    for _, battery, name, make in sorted(placed, key=lambda one: one[:3]):
        yield battery, name, lambda make=make: _few_rows(*make())


def _few_rows(X, known):
    rows = np.random.RandomState(0).permutation(len(X))[:MOST_ROWS]
    return X[np.sort(rows)], known


def _known(name):
    data = getattr(datasets, f"load_{name}")()
    return data.data, [len(data.target_names)]


def _stored(file):
    data = np.load(file)
    if "labels" in data:
        known = [len(set(column) - {0}) for column in data["labels"].T]
    else:
        known = [len(np.unique(data["y"]))]
    return data["X"].astype(float), known
