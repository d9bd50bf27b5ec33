"""How often the right number of clusters is found: blobs, noise, digits and the seven sets.

Blobs are Gaussians of deviation 1 whose centers are at least `gap` apart; noise is uniform or one
Gaussian; of the sets, 1000 samples are drawn (features; the seven need CONSENSA_DATA). Kept one
line each in a store and never computed twice.

    python benchmarks/selection.py > docs/results/selection.md
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import consensa as cs

SETS = ("semeion", "mf", "mnist5k", "texture", "caltech20", "isolet", "binalpha")
SEEDS = 3


def blobs(n_samples, n_features, n_clusters, gap, seed):
    """Gaussians of deviation 1 with centers at least `gap` apart."""
    rng = np.random.RandomState(seed)
    half = 1.0
    while True:
        centers = rng.uniform(-half, half, size=(n_clusters, n_features))
        apart = np.linalg.norm(centers[:, None] - centers, axis=2)
        if (apart + 1e9 * np.eye(n_clusters)).min() >= gap:
            return centers[rng.randint(n_clusters, size=n_samples)] + rng.normal(
                size=(n_samples, n_features)
            )
        half *= 1.02


def tasks(folder):
    """Group, name, number of clusters, candidates, and a function that gives the features."""
    for seed in range(SEEDS):
        for gap in (6, 4, 3):
            for k in (2, 3, 5, 8):
                for n, d in ((150, 2), (300, 8)):
                    name = f"{k} clusters, n = {n}, {d} features, seed {seed}"
                    yield (f"blobs, centers {gap} deviations apart", name, k, (2, 12),
                           lambda n=n, d=d, k=k, gap=gap, seed=seed:
                           blobs(n, d, k, gap, seed))  # fmt: skip
        for d in (2, 5, 20):
            for kind in ("uniform", "normal"):
                group = "noise: uniform" if kind == "uniform" else "noise: one Gaussian"
                yield (group, f"{d} features, seed {seed}", 1, (2, 12),
                       lambda d=d, kind=kind, seed=seed:
                       getattr(np.random.RandomState(seed), kind)(size=(200, d)))  # fmt: skip
    for seed in range(SEEDS):
        yield ("digits", f"seed {seed}", 10, (2, 20), lambda: load_digits().data)
    if folder is not None:
        for name in SETS:
            data = np.load(Path(folder) / f"{name}.npz")
            k = len(np.unique(data["y"]))
            yield ("the seven sets", name, k, (2, max(20, k + 10)), lambda data=data: data["X"])


def read_store(path):
    """Lines already there, by (group, name)."""
    lines = map(json.loads, path.read_text().splitlines()) if path.exists() else ()
    return {(x["group"], x["name"]): x for x in lines}


def compute(store, folder, budget):
    """Fill the store until the budget of seconds is spent."""
    started, done = time.perf_counter(), read_store(store)
    for number, (group, name, k, (low, high), features) in enumerate(tasks(folder)):
        if (group, name) in done or time.perf_counter() - started > budget:
            continue
        begun = time.process_time()
        found = cs.select_n_clusters(features(), range(low, high + 1), random_state=number)
        line = {
            "group": group,
            "name": name,
            "k": k,
            "chosen": found.n_clusters,
            "ranking": list(found.ranking[:4]),
            "clarity": found.clarity,
            "p": found.p_value,
            "favorites": dict(found.favorites),
            "cpu_seconds": round(time.process_time() - begun, 2),
        }
        with store.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(group, name, k, line["ranking"], file=sys.stderr, flush=True)


def table(store):
    """Print a row for each group."""
    done = read_store(store)
    print("# How often the number of clusters is right\n")
    print(
        "`select_n_clusters` on features, candidates 2 to 12 (digits and sets: 2 to 20 or the "
        "number of classes + 10), 19 reference data sets. The table counts how often the true "
        "number is the first choice, among the first three, and the choice of each criterion "
        "alone. For noise the true number is 1. `python benchmarks/selection.py`; every run is "
        "in selection.jsonl.\n"
    )
    criteria = ("stability", "agreement", "eigengap", "pac")
    print("| | runs | first choice | first three | " + " | ".join(criteria) + " | CPU s |")
    print("|---" * (5 + len(criteria)) + "|")
    for group in dict.fromkeys(key[0] for key in done):
        lines = [x for key, x in done.items() if key[0] == group]
        right = sum(x["chosen"] == x["k"] for x in lines)
        three = sum(x["k"] in x["ranking"][:3] for x in lines)
        alone = [sum(x["favorites"][c] == x["k"] for x in lines) for c in criteria]
        seconds = np.mean([x["cpu_seconds"] for x in lines])
        cells = " | ".join(str(count) for count in alone)
        print(f"| {group} | {len(lines)} | {right} | {three} | {cells} | {seconds:.1f} |")
    print("\n| set | classes | ranking | clarity |\n|---|---|---|---|")
    for (group, name), x in done.items():
        if group in ("digits", "the seven sets"):
            ranking = ", ".join(map(str, x["ranking"]))
            print(f"| {name if group != 'digits' else 'digits, ' + name} | {x['k']} | {ranking} | "
                  f"{x['clarity']:.2f} |")  # fmt: skip


def main():
    """Compute what is missing in the store, then print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, default=Path("docs/results/selection.jsonl"))
    parser.add_argument("--budget", type=float, default=float("inf"), help="Seconds.")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if not arguments.table:
        compute(arguments.store, os.environ.get("CONSENSA_DATA"), arguments.budget)
    table(arguments.store)


if __name__ == "__main__":
    main()
