"""What hidden labels cost: every method that takes them, 0 % to 90 % hidden at random.

For each set: draws of 20 partitions from the published pool, a share of the labels hidden at
random (each sample keeps one), ARI against the known classes. Results are kept one line each in
a store and never computed twice. Needs CONSENSA_DATA.

    python benchmarks/missing.py --store docs/results/missing.jsonl > docs/results/missing.md
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np

import consensa as cs
from consensa.consensus.base import BaseConsensus
from consensa.exceptions import ConsensaWarning
from consensa.metrics import adjusted_rand_index

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
SLOW = {"CEAM", "CESHL", "LTA"}  # half a minute to minutes a run


def methods():
    """Estimators that take missing labels, by name."""
    found = ((name, getattr(cs.consensus, name)) for name in cs.consensus.__all__)
    return {
        name: thing
        for name, thing in found
        if isinstance(thing, type)
        and issubclass(thing, BaseConsensus)
        and thing.info.missing
        and name not in SLOW
    }


def read_store(path):
    """Lines already there, by (set, draw, share, method)."""
    lines = map(json.loads, path.read_text().splitlines()) if path.exists() else ()
    return {(x["set"], x["draw"], x["share"], x["method"]): x for x in lines}


def hide(labels, share, rng):
    """Labels with a share of them missing; each sample keeps at least one."""
    gone = rng.uniform(size=labels.shape) < share
    bare = np.flatnonzero(gone.all(axis=1))
    gone[bare, rng.randint(labels.shape[1], size=len(bare))] = False
    return np.where(gone, -1, labels)


def compute(folder, sets, draws, store):
    """Fill the store."""
    done = read_store(store)
    for draw in range(draws):
        for name in sets:
            data = np.load(folder / f"{name}.npz")
            rng = np.random.RandomState(draw)
            pool = data["members"]
            rows = rng.permutation(len(pool))
            labels = pool[rows][:, rng.choice(pool.shape[1], 20, replace=False)]
            truth = data["y"][rows]
            for share in SHARES:
                ensemble = cs.Ensemble.from_labels(hide(labels, share, rng))
                for method, estimator in methods().items():
                    key = (name, draw, share, method)
                    if key in done:
                        continue
                    model = estimator(len(np.unique(truth)), random_state=0)
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", ConsensaWarning)
                        model.fit(ensemble)
                    line = dict(zip(("set", "draw", "share", "method"), key, strict=True))
                    line["ari"] = round(adjusted_rand_index(truth, model.labels_), 6)
                    line["asked"] = model.n_clusters
                    line["clusters"] = len(np.unique(model.labels_))
                    line["largest"] = round(np.bincount(model.labels_).max() / len(truth), 4)
                    with store.open("a") as file:
                        file.write(json.dumps(line) + "\n")
                    print(key, line["ari"], file=sys.stderr, flush=True)


def table(store, sets):
    """Print the mean ARI over sets and draws, a row for each method."""
    done = read_store(store)
    draws = len({key[1] for key in done})
    print("# The effect of missing labels\n")
    print(
        f"Mean ARI with the known classes over {', '.join(sets)} and {draws} draws of 20 "
        "partitions from the published pools, with a proportion of the labels removed at random "
        "(each sample keeps at least one). `python benchmarks/missing.py`; every number is in "
        f"missing.jsonl. {', '.join(sorted(SLOW))} were not run: they take half a minute to "
        "minutes each time.\n"
    )
    print("| method | " + " | ".join(f"{share:.0%}" for share in SHARES) + " | loss at 50 % |")
    print("|---" * (len(SHARES) + 2) + "|")
    for method in methods():
        means = [
            np.mean([x["ari"] for k, x in done.items() if k[2] == share and k[3] == method])
            for share in SHARES
        ]
        cells = " | ".join(f"{mean:.3f}" for mean in means)
        print(f"| {method} | {cells} | {means[0] - means[SHARES.index(0.5)]:.3f} |")
    wrong = [key for key, x in done.items() if x["clusters"] > x["asked"]]
    print(f"\nRuns that returned more than `n_clusters` clusters: {len(wrong)}.")


def main():
    """Compute what is missing in the store, then print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="semeion,mf")
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--store", type=Path, default=Path("docs/results/missing.jsonl"))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    sets = arguments.sets.split(",")
    if not arguments.table:
        compute(Path(os.environ["CONSENSA_DATA"]), sets, arguments.draws, arguments.store)
    table(arguments.store, sets)


if __name__ == "__main__":
    main()
