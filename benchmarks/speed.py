"""How long the default takes, beside what people run instead and beside the older default.

Seconds of the clock with all cores, and of all processors together in parentheses; after
compilation, one after the other in one run, so that the ratios compare like with like. Run it on a
machine that does nothing else; ratios of processor seconds mean something on a busy one too.

    python benchmarks/speed.py umap     # 10,000 × 64, beside UMAP + k-means (extra `bench`)
    python benchmarks/speed.py sets     # every development set, beside the older default
    python benchmarks/speed.py large    # 100,000 × 20, with the quality beside the exact answer
    python benchmarks/speed.py stages   # where the time goes: --shape 10000x64
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import time
import warnings
from importlib import import_module
from typing import NamedTuple

import numpy as np
from dev_sets import BATTERIES, load_dev, names_of
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import consensa as cs
from consensa.metrics import adjusted_rand_index

SAMPLE = 10_000  # of a large set: the default computes with all of so many samples
OLDER = {"generator": cs.LandmarkSpectral(n_partitions=20)}  # on one thread, as it was


def blobs(n, d, k=10, seed=0):
    """Gaussian clusters of different spread that overlap, in d columns."""
    rng = np.random.RandomState(seed)
    spread = rng.uniform(1.0, 3.0, k)
    # Centers at distances that grow as those within a cluster do, with the root of d.
    return make_blobs(n, d, centers=rng.normal(scale=2.2, size=(k, d)), cluster_std=spread,
                      random_state=seed)  # fmt: skip


class Spent(NamedTuple):
    """Seconds of the clock, and of all processors together."""

    clock: float
    processors: float

    def __str__(self) -> str:
        return f"{self.clock:.1f} ({self.processors:.1f})"

    def over(self, other) -> str:
        """Both ratios to another one."""
        ratios = (mine / its for mine, its in zip(self, other, strict=True))
        return "{:.2f} ({:.2f})".format(*ratios)


def clock(act):
    """Result and seconds."""
    starts = time.perf_counter(), time.process_time()
    result = act()
    ends = time.perf_counter(), time.process_time()
    return result, Spent(*np.subtract(ends, starts))


def default(X, k, **options):
    """Labels of the default."""
    return cs.cluster(X, k, random_state=0, **options).labels


def embedded(X, k, **options):
    """Labels of k-means on UMAP, in two dimensions."""
    points = import_module("umap").UMAP(**options).fit_transform(X)
    return KMeans(k, n_init=10, random_state=0).fit_predict(points)


def beside_umap(shapes):
    """Ratio to UMAP + k-means: with its defaults, all cores, and with a seed, one core."""
    print("| n × d | Consensa, s | UMAP + k-means, s | ratio | with a seed, s | ratio |")
    print("|---" * 6 + "|")
    warm, _ = blobs(5000, 64)
    for act in (default, embedded, lambda X, k: embedded(X, k, random_state=0)):
        act(warm, 10)
    for n, d in shapes:
        X, _ = blobs(n, d)
        _, ours = clock(lambda X=X: default(X, 10))
        _, usual = clock(lambda X=X: embedded(X, 10))
        _, seeded = clock(lambda X=X: embedded(X, 10, random_state=0))
        print(f"| {n:,} × {d} | {ours} | {usual} | {ours.over(usual)} "
              f"| {seeded} | {ours.over(seeded)} |", flush=True)  # fmt: skip


def beside_older(batteries):
    """Ratio to the older default, on every set."""
    print("| set | n × d | k | Consensa, s | LandmarkSpectral + TEA, s | ratio |")
    print("|---" * 6 + "|")
    warm, _ = blobs(600, 8)
    default(warm, 3), default(warm, 3, **OLDER)
    worst, where = 0.0, "no set"
    for name in (name for battery in batteries for name in names_of(battery)):
        data = load_dev(name).shuffled(0)
        k = data.numbers()[0]
        n, d = data.X.shape
        _, ours = clock(lambda X=data.X, k=k: default(X, k))
        print(f"| {name} | {n:,} × {d} | {k} | {ours} | ", end="", flush=True)
        try:
            _, older = clock(lambda X=data.X, k=k: default(X, k, **OLDER))
        except Exception as error:
            print(f"{type(error).__name__} | |", flush=True)
            continue
        print(f"{older} | {ours.over(older)} |", flush=True)
        if ours.clock / older.clock > worst:
            worst, where = ours.clock / older.clock, name
    print(f"\nLargest ratio: {worst:.2f}, on {where}.")


def at_scale(shapes):
    """Time and quality of large sets, beside the exact answer on a sample of them."""
    head = ("n × d", "Consensa, s", "ARI", f"ARI of the exact answer on {SAMPLE:,} of them",
            "agreement with it", "k-means, s", "ARI of k-means")  # fmt: skip
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    warm, _ = blobs(600, 8)
    default(warm, 3)
    for n, d in shapes:
        X, truth = blobs(n, d)
        rows = np.random.RandomState(0).permutation(n)[:SAMPLE]
        labels, ours = clock(lambda X=X: default(X, 10))
        means, simple = clock(lambda X=X: KMeans(10, n_init=10, random_state=0).fit_predict(X))
        exact = default(X[rows], 10)
        shown = [f"{n:,} × {d}", f"{ours}", f"{adjusted_rand_index(truth, labels):.3f}",
                 f"{adjusted_rand_index(truth[rows], exact):.3f}",
                 f"{adjusted_rand_index(exact, labels[rows]):.3f}", f"{simple}",
                 f"{adjusted_rand_index(truth, means):.3f}"]  # fmt: skip
        print("| " + " | ".join(shown) + " |", flush=True)


def stages(shapes):
    """Functions that most time is spent in, of all threads together, when they run in one."""
    warm, _ = blobs(600, 8)
    default(warm, 3)
    for n, d in shapes:
        X, _ = blobs(n, d)
        profile = cProfile.Profile(time.process_time)
        one = cs.DiverseKinds(n_jobs=1)
        profile.runcall(lambda X=X, one=one: default(X, 10, generator=one))
        print(f"\n{n:,} × {d}, one thread")
        pstats.Stats(profile).sort_stats("cumulative").print_stats("consensa", 45)


PARTS = {
    "umap": (beside_umap, "10000x64"),
    "large": (at_scale, "100000x20"),
    "stages": (stages, "10000x64"),
}


def main():
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=[*PARTS, "sets"])
    parser.add_argument("--shape", action="append", help="such as 10000x64")
    parser.add_argument("--batteries", default=",".join(BATTERIES))
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if asked.part == "sets":
            beside_older(asked.batteries.split(","))
        else:
            act, usual = PARTS[asked.part]
            act([tuple(map(int, shape.split("x"))) for shape in asked.shape or [usual]])


if __name__ == "__main__":
    main()
