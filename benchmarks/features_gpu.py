"""The default from features on a CUDA device beside the processor: times and agreement.

    python benchmarks/features_gpu.py times [--samples 100000] [--features 64]
    python benchmarks/features_gpu.py agreement [--seeds 3]
    python benchmarks/features_gpu.py neighbors [--sizes 10000 50000 200000]

`times` clusters simulated samples on both and prints the seconds of each stage, added up over the
threads. `agreement` clusters the small sets that come with scikit-learn, simulated ones and, with
CONSENSA_DATA, those of the paper, and prints the adjusted Rand index of the two answers, of
two seeds on the processor, and of both with the known classes.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from contextlib import contextmanager
from threading import Lock

import numpy as np
import torch
from sklearn import datasets

import consensa as cs
from consensa.datasets import SETS, load
from consensa.generation import (
    _diverse_kinds,
    _gaussian_mixtures,
    _graph_cuts,
    _neighbor_embedding,
    _neighborhood,
    neighborhood_generator,
)
from consensa.generation._neighborhood import nearest_neighbors
from consensa.metrics import adjusted_rand_index

STAGES = (  # module, function
    (neighborhood_generator, "find_neighborhoods"),
    (_neighborhood, "_drawn"),
    (_neighborhood, "_numbered"),
    (_neighborhood, "nearest_neighbors"),
    (_neighborhood, "spanning_tree"),
    (_graph_cuts, "graph_spectrum"),
    (_neighbor_embedding, "graph_spectrum"),
    (_neighbor_embedding, "lay_out"),
    (_neighbor_embedding, "lay_out_on_device"),
    (_gaussian_mixtures, "fit_mixtures"),
    (_diverse_kinds, "run_batches"),
)


@contextmanager
def timed():
    """Seconds of each stage, added up over its calls, which run in threads."""
    seconds, lock, inner = Counter(), Lock(), {}

    def timing(function, name):
        def outer(*given, **options):
            start = time.perf_counter()
            try:
                return function(*given, **options)
            finally:
                with lock:
                    seconds[name] += time.perf_counter() - start

        return outer

    for module, name in STAGES:
        inner[module, name] = getattr(module, name)
        setattr(module, name, timing(inner[module, name], name))
    try:
        yield seconds
    finally:
        for (module, name), function in inner.items():
            setattr(module, name, function)


def labels_of(X, k, device, seed):
    """Labels by the default on one device, and the seconds it took."""
    start = time.perf_counter()
    found = cs.cluster(X, k, generator=cs.DiverseKinds(device=device), random_state=seed)
    return found.labels, time.perf_counter() - start


def times(asked):
    """Whole runs on both."""
    X = datasets.make_blobs(
        asked.samples, asked.features, centers=12, cluster_std=9.0, random_state=0
    )[0]
    found = {}
    for device in ("cuda", "cpu"):
        labels_of(X[:2000], 12, device, 0)  # load, compile
        with timed() as seconds:
            found[device], total = labels_of(X, 12, device, 0)
        parts = ", ".join(f"{name} {own:.2f}" for name, own in seconds.most_common())
        print(f"{device}: {total:.2f} s ({parts})", flush=True)
    print(f"agreement: {adjusted_rand_index(*found.values()):.4f}")


def known_sets():
    """Name, features and classes of the small sets."""
    for load_one in (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer,
                     datasets.load_digits):  # fmt: skip
        yield load_one.__name__.removeprefix("load_"), *load_one(return_X_y=True)
    yield "moons", *datasets.make_moons(1000, noise=0.07, random_state=0)
    yield "circles", *datasets.make_circles(1000, factor=0.5, noise=0.05, random_state=0)
    yield "blobs", *datasets.make_blobs(3000, 30, centers=10, cluster_std=4.5, random_state=1)
    if "CONSENSA_DATA" in os.environ:
        for name in sorted(SETS):
            dataset = load(name)
            yield name, dataset.X, dataset.y


def agreement(asked):
    """Adjusted Rand index of the answers of both, set by set."""
    print(
        "| set | n | k | GPU and CPU | two seeds | classes, CPU | classes, GPU | CPU s | GPU s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, X, classes in known_sets():
        k = len(np.unique(classes))
        runs = [[labels_of(X, k, device, seed) for device in ("cpu", "cuda")]
                for seed in range(asked.seeds)]  # fmt: skip
        both = np.mean([adjusted_rand_index(here[0], there[0]) for here, there in runs])
        seeds = [adjusted_rand_index(runs[0][0][0], own[0][0]) for own in runs[1:]]
        scores, seconds = (
            [np.mean([act(own[i]) for own in runs]) for i in range(2)]
            for act in (lambda run: adjusted_rand_index(classes, run[0]), lambda run: run[1])  # noqa: B023
        )
        print(
            f"| {name} | {len(X)} | {k} | {both:.3f} | {np.mean(seeds or [np.nan]):.3f} | "
            f"{scores[0]:.3f} | {scores[1]:.3f} | {seconds[0]:.2f} | {seconds[1]:.2f} |",
            flush=True,
        )


def neighbors(asked):
    """The exact search alone, of 50 columns."""
    for n in asked.sizes:
        points = np.random.default_rng(0).normal(size=(n, 50))
        found, seconds = [], []
        for device in (torch.device("cuda"), None):
            start = time.perf_counter()
            found.append(nearest_neighbors(points, 30, -1, device))
            seconds.append(time.perf_counter() - start)
        same = all(bool((a == b).all()) for a, b in zip(*found, strict=True))
        print(f"{n} points: GPU {seconds[0]:.2f} s, CPU {seconds[1]:.2f} s, same: {same}")


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("times", "agreement", "neighbors"))
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 50_000, 200_000])
    asked = parser.parse_args()
    {"times": times, "agreement": agreement, "neighbors": neighbors}[asked.what](asked)


if __name__ == "__main__":
    main()
