"""The sets on which the default from features was developed, by battery, and how they are scored.

The seven sets of the paper and the shapes (`shapes/*.npz`: X, and labels with a column for each
reference labeling, 0 = noise) are read from CONSENSA_DATA; the others come with scikit-learn or
are simulated here.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn import datasets

from consensa.datasets import SETS, load
from consensa.study.draws import scores

BATTERIES = {
    "seven": tuple(sorted(SETS)),
    "digits": ("digits",),
    "tables": ("breast_cancer", "iris", "wine"),
    "fcps": (
        "atom", "chainlink", "engytime", "hepta", "lsun", "target", "tetra", "twodiamonds",
        "wingnut",
    ),
    "graves": (
        "dense", "fuzzyx", "line", "parabolic", "ring", "ring_noisy", "ring_outliers", "zigzag",
        "zigzag_noisy", "zigzag_outliers",
    ),
    "other": (
        "chameleon_t4_8k", "chameleon_t5_8k", "chameleon_t7_10k", "chameleon_t8_8k", "hdbscan",
        "iris", "iris5", "square",
    ),
    "counts": ("counts", "logarithms_of_counts"),
}  # fmt: skip
SHAPES = ("fcps", "graves", "other")
TITLES = {
    "seven": "The seven sets of the paper",
    "digits": "Digits",
    "tables": "Breast cancer, iris, wine",
    "shapes": "Shapes: fcps, graves, other",
    "fcps": "Shapes, fcps",
    "graves": "Shapes, graves",
    "other": "Shapes, other",
    "counts": "Simulated counts",
    "all": "All sets",
}


class DevSet(NamedTuple):
    """Features, and the reference labelings: one a column, 0 = noise."""

    X: np.ndarray
    labels: np.ndarray

    @property
    def fingerprint(self) -> str:
        """Hash of the data, twelve letters long."""
        parts = (np.ascontiguousarray(part).tobytes() for part in self)
        return hashlib.sha256(b"".join(parts)).hexdigest()[:12]

    def shuffled(self, seed):
        """The same set in another order of the rows."""
        rows = np.random.RandomState([1, seed]).permutation(len(self.X))
        return DevSet(self.X[rows], self.labels[rows])

    def numbers(self):
        """Distinct numbers of classes of the labelings."""
        return sorted({_n_classes(column) for column in self.labels.T})

    def score(self, labels_of):
        """Scores by the labeling with the best ARI; `labels_of` maps numbers of classes."""
        found = []
        for truth in self.labels.T:
            known = truth > 0
            found.append(scores(truth[known], labels_of[_n_classes(truth)][known]))
        return max(found, key=lambda each: each["ari"])


def _n_classes(truth):
    return len(np.unique(truth[truth > 0]))


def names_of(battery):
    """Full names of the sets of a battery, of all shapes, or of all batteries."""
    parts = {"shapes": SHAPES, "all": tuple(BATTERIES)}.get(battery, (battery,))
    return [f"{part}/{name}" for part in parts for name in BATTERIES[part]]


@cache
def load_dev(full_name):
    """A set by its battery and name, such as ``fcps/atom``."""
    battery, _, name = full_name.partition("/")
    if battery in SHAPES:
        with np.load(Path(os.environ["CONSENSA_DATA"]) / f"shapes/{battery}_{name}.npz") as file:
            return DevSet(file["X"], file["labels"])
    if battery == "counts":
        return simulated_counts(logarithms=name != "counts")
    if battery == "seven":
        found = load(name)
        X, classes = np.asarray(found.X, np.float64), found.y
    else:
        X, classes = getattr(datasets, f"load_{name}")(return_X_y=True)
    _, numbers = np.unique(classes, return_inverse=True)
    return DevSet(X, 1 + numbers[:, None])


def simulated_counts(n=2000, d=1000, *, logarithms, seed=0):
    """Counts of d molecules in n cells of six types, from 5 to 30 % of the cells each.

    Forty molecules of each type are more frequent than elsewhere; the depth of the cells varies.
    Counts are negative binomial. Logarithms are those of counts scaled to equal depth.
    """
    rng = np.random.RandomState(seed)
    frequency = rng.lognormal(-1.0, 1.2, d)
    factors = np.ones((6, d))
    for of_type in factors:
        of_type[rng.choice(d, 40, replace=False)] = rng.lognormal(1.0, 0.5, 40)
    types = rng.choice(6, n, p=[0.3, 0.25, 0.2, 0.12, 0.08, 0.05])
    depth = rng.lognormal(0, 0.35, n)
    mean = frequency * factors[types] * depth[:, None]
    X = rng.poisson(rng.gamma(2.0, mean / 2.0)).astype(np.float64)
    if logarithms:
        X = np.log1p(1000 * X / X.sum(axis=1, keepdims=True))
    return DevSet(X, 1 + types[:, None])
