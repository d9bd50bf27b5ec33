"""How many clusters: false positives on noise, and how often the number is right.

Noise without clusters of eleven distributions, in 2, 10 and 100 columns and of 100 to 2000
samples, and data sets with known numbers: iris, wine, breast cancer, digits, simulated blobs,
shapes and counts, and those in CONSENSA_DATA, if it is set; of larger sets, 500 rows drawn with
the seed 0. Other ways to choose the number run on the same rows. One line each in a store; a run
goes on where the last one stopped.

    python benchmarks/number_of_clusters.py noise --seconds 600
    python benchmarks/number_of_clusters.py sets --seconds 600
    python benchmarks/number_of_clusters.py rivals --seconds 600
    python benchmarks/number_of_clusters.py table > docs/results/number_of_clusters.md
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from number_rivals import rivals
from scipy.stats import beta
from sklearn import datasets

import consensa as cs
from consensa.selection import one_cluster_test

NOISE = (
    "uniform", "normal", "correlated", "t3", "t3 jointly", "lognormal", "exponential", "gamma",
    "poisson", "ring", "sheet",
)  # fmt: skip
SHAPES = tuple((n, d) for n in (100, 300, 1000, 2000) for d in (2, 10, 100))
SEEDS = 5  # of each shape: 60 runs a distribution
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


def read(store):
    """Lines of a store by their names."""
    lines = map(json.loads, store.read_text().splitlines()) if store.exists() else ()
    return {line["name"]: line for line in lines}


def keep(store, line):
    """Append a line."""
    with store.open("a") as file:
        file.write(json.dumps(line) + "\n")
    shown = {key: value for key, value in line.items() if key != "columns"}
    print(shown, file=sys.stderr, flush=True)


def run_noise(store, seconds):
    """Fill the store of noise."""
    started, done = time.perf_counter(), read(store)
    for seed in range(SEEDS):
        for n, d in SHAPES:
            for kind in NOISE:
                name = f"{kind}, {n} × {d}, seed {seed}"
                if name in done or time.perf_counter() - started > seconds:
                    continue
                begun = time.process_time()
                found = one_cluster_test(noise(kind, n, d, seed), random_state=seed)
                keep(store, {"name": name, "kind": kind, "one": found.is_one,
                             "p": found.p_value, "p_values": dict(found.p_values),
                             "references": found.n_references,
                             "cpu_seconds": round(time.process_time() - begun, 1)})  # fmt: skip


def run_sets(store, seconds, seeds):
    """Fill the store of data sets with known numbers."""
    started, done = time.perf_counter(), read(store)
    for seed in range(seeds):
        for battery, title, make in sets():
            name = f"{title}, seed {seed}"
            if name in done or time.perf_counter() - started > seconds:
                continue
            X, known = make()
            begun = time.process_time()
            found = cs.select_n_clusters(X, random_state=seed)
            columns = {field: np.round(found.scores[field], 4).tolist()
                       for field in found.scores.dtype.names}  # fmt: skip
            keep(store, {"name": name, "set": title, "battery": battery, "known": known,
                         "rows": len(X), "seed": seed, "chosen": found.n_clusters,
                         "ranking": list(found.ranking[:4]), "answer": found.answer,
                         "clarity": round(found.clarity, 3), "p_values": dict(found.p_values),
                         "cpu_seconds": round(time.process_time() - begun, 1),
                         "columns": columns})  # fmt: skip


def run_rivals(store, seconds):
    """Fill the store of other ways to choose the number."""
    started, done = time.perf_counter(), read(store)
    for battery, title, make in sets():
        if title not in done and time.perf_counter() - started <= seconds:
            X, known = make()
            begun = time.process_time()
            chosen = rivals(X)
            keep(store, {"name": title, "battery": battery, "known": known, "chosen": chosen,
                         "cpu_seconds": round(time.process_time() - begun, 1)})  # fmt: skip


def error(chosen, known):
    """Smallest absolute logarithm of the ratio to a right number."""
    return min(abs(np.log(max(chosen, 1) / k)) for k in known)


def interval(hits, runs):
    """The exact 95 % interval of a proportion."""
    low = beta.ppf(0.025, hits, runs - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, runs - hits) if hits < runs else 1.0
    return f"{low:.0%} to {high:.0%}"


def table(noise_store, set_store):
    """Print both tables."""
    lines = list(read(noise_store).values())
    print("# How many clusters: results\n\n## Noise without clusters\n")
    print("| distribution | runs | more than one cluster | 95 % interval |\n|---|---|---|---|")
    for kind in [*NOISE, None]:
        own = [line for line in lines if kind in (None, line["kind"])]
        if own:
            hits = sum(not line["one"] for line in own)
            print(f"| {kind or '**all**'} | {len(own)} | {hits} ({hits / len(own):.0%}) | "
                  f"{interval(hits, len(own))} |")  # fmt: skip
    lines = list(read(set_store).values())
    print("\n## Data sets with known numbers\n")
    print("| chosen by | runs | exact | within one | mean abs. log ratio |\n|---|---|---|---|---|")
    alone = sorted({name for line in lines for name in line["favorites"]})
    for who in ["the rule", *alone]:
        picks = [line["chosen"] if who == "the rule" else line["favorites"].get(who, 1)
                 for line in lines]  # fmt: skip
        errors = [error(k, line["known"]) for k, line in zip(picks, lines, strict=True)]
        near = [min(abs(k - right) for right in line["known"]) <= 1
                for k, line in zip(picks, lines, strict=True)]  # fmt: skip
        print(f"| {who} | {len(lines)} | {np.mean(np.array(errors) < 1e-9):.2f} | "
              f"{np.mean(near):.2f} | {np.mean(errors):.2f} |")  # fmt: skip
    print("\n| answer | share of the runs | right |\n|---|---|---|")
    for answer in ("clear", "several", "unclear", "one"):
        own = [line for line in lines if line["answer"] == answer]
        if own:
            right = np.mean([error(line["chosen"], line["known"]) < 1e-9 for line in own])
            print(f"| {answer} | {len(own) / len(lines):.0%} | {right:.0%} |")
    print("\n| set | right | ranking | answer | clarity | p |\n|---|---|---|---|---|---|")
    for line in lines:
        print(f"| {line['name']} | {line['known']} | {line['ranking']} | {line['answer']} | "
              f"{line['clarity']} | {line['p']} |")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=("noise", "sets", "rivals", "table"))
    parser.add_argument("--store", type=Path, default=Path("docs/results"))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seeds", type=int, default=1)
    asked = parser.parse_args()
    stores = [asked.store / f"number_{part}.jsonl" for part in ("noise", "sets", "rivals")]
    if asked.part == "noise":
        run_noise(stores[0], asked.seconds)
    elif asked.part == "sets":
        run_sets(stores[1], asked.seconds, asked.seeds)
    elif asked.part == "rivals":
        run_rivals(stores[2], asked.seconds)
    else:
        table(*stores)
