"""Are confident samples right more often? Calibration of the confidence on the seven sets.

For each set: draws of 20 partitions from the published pool, the consensus at the known number
of classes, and for each tenth of the range of the confidence how many samples there are and how
many of them are right (their cluster matched with their class by the best one-to-one matching).
Kept one line each in a store and never computed twice. Needs CONSENSA_DATA.

    python benchmarks/confidence.py > docs/results/confidence.md
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import roc_auc_score
from sklearn.metrics.cluster import contingency_matrix

import consensa as cs

SETS = "binalpha,semeion,mf,caltech20,mnist5k,texture,isolet"
METHODS = {"TEA": cs.tea, "EAC": cs.eac, "LWEA": cs.lwea, "LWGP": cs.lwgp}
BINS = 10


def right(truth, labels):
    """Whether the cluster of each sample is matched with its class."""
    counts = contingency_matrix(truth, labels)
    classes, clusters = linear_sum_assignment(-counts)
    class_of = np.full(counts.shape[1], -1)
    class_of[clusters] = classes
    return class_of[labels] == np.unique(truth, return_inverse=True)[1]


def read_store(path):
    """Lines already there, by (set, draw, method)."""
    lines = map(json.loads, path.read_text().splitlines()) if path.exists() else ()
    return {(x["set"], x["draw"], x["method"]): x for x in lines}


def compute(folder, sets, draws, store):
    """Fill the store."""
    done = read_store(store)
    for draw in range(draws):
        for name in sets:
            data = np.load(folder / f"{name}.npz")
            rng = np.random.RandomState(draw)
            pool = data["members"]
            ensemble = cs.Ensemble.from_labels(pool[:, rng.choice(pool.shape[1], 20, False)])
            for method, function in METHODS.items():
                if (name, draw, method) in done:
                    continue
                options = {"random_state": 0} if "random_state" in function.declared else {}
                result = function(ensemble, len(np.unique(data["y"])), **options)
                line = {"set": name, "draw": draw, "method": method}
                line |= calibration(result.confidence, right(data["y"], result.labels))
                with store.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                print(name, draw, method, line["auc"], file=sys.stderr, flush=True)


def calibration(confidence, correct):
    """Samples and right ones in each tenth of the confidence; the area under the ROC curve."""
    tenth = np.minimum((confidence * BINS).astype(int), BINS - 1)
    half = np.argsort(confidence, kind="stable")
    return {
        "samples": np.bincount(tenth, minlength=BINS).tolist(),
        "right": np.bincount(tenth, correct, minlength=BINS).astype(int).tolist(),
        "auc": round(float(roc_auc_score(correct, confidence)), 4),
        "right_of_least_sure_half": round(float(correct[half[: len(half) // 2]].mean()), 4),
        "right_of_surest_half": round(float(correct[half[len(half) // 2 :]].mean()), 4),
    }


def table(store):
    """Print the calibration over all sets, and a row for each set."""
    done = read_store(store)
    print("# Confidence and accuracy\n")
    print(
        f"Confidence of each sample (`metrics.sample_confidence`), and whether its cluster is "
        f"the one matched with its class; published pools, {len({k[1] for k in done})} draws of "
        f"20 partitions, the known number of classes. `python benchmarks/confidence.py`; the "
        f"numbers of the figure are in confidence.jsonl.\n\n"
        f"![Proportion of correct samples by confidence](../images/calibration.png)\n"
    )
    print("Mean over all sets:\n")
    print("| confidence | " + " | ".join(f"{b / BINS:.1f}–{(b + 1) / BINS:.1f}" for b in
                                         range(BINS)) + " |")  # fmt: skip
    print("|---" * (BINS + 1) + "|")
    for method in METHODS:
        print(f"| {method}: correct | " + " | ".join(curve(done, method)) + " |")
    halves = "more / less confident half, AUC"
    print("\n| set | " + " | ".join(f"{method}: {halves}" for method in METHODS) + " |")
    print("|---" * (len(METHODS) + 1) + "|")
    for name in dict.fromkeys(key[0] for key in done):
        cells = []
        for method in METHODS:
            lines = [x for k, x in done.items() if (k[0], k[2]) == (name, method)]
            mean = {
                what: np.mean([x[what] for x in lines])
                for what in ("right_of_surest_half", "right_of_least_sure_half", "auc")
            }
            cells.append("{:.3f} / {:.3f}, {:.3f}".format(*mean.values()))
        print(f"| {name} | " + " | ".join(cells) + " |")


def curve(done, method):
    """`shares` in words."""
    return ["–" if np.isnan(share) else f"{share:.2f}" for share in shares(done, method)]


def shares(done, method, name=None):
    """Share of right samples in each tenth: the mean over the runs that have samples there."""
    means = np.full(BINS, np.nan)
    for b in range(BINS):
        found = [
            x["right"][b] / x["samples"][b]
            for key, x in done.items()
            if key[2] == method and name in (None, key[0]) and x["samples"][b] >= 10
        ]
        if found:
            means[b] = np.mean(found)
    return means


def figure(store, path):
    """Draw a panel for each method: a thin line for each set, a thick one for their mean."""
    import matplotlib.pyplot as plt

    done = read_store(store)
    middle = (np.arange(BINS) + 0.5) / BINS
    columns = len(METHODS)
    drawn, axes = plt.subplots(
        1, columns, figsize=(3 * columns, 3.4), sharey=True, layout="constrained"
    )
    for ax, method in zip(axes, METHODS, strict=True):
        ax.plot([0, 1], [0, 1], ":", color="0.6")
        for name in SETS.split(","):
            ax.plot(middle, shares(done, method, name), color="0.75", linewidth=1)
        ax.plot(middle, shares(done, method), "o-", color="#0072b2", markersize=4)
        ax.set(title=method, xlabel="confidence", xlim=(0, 1), ylim=(0, 1))
    axes[0].set_ylabel("share of samples in the right cluster")
    drawn.suptitle("Seven sets (gray) and their mean", fontsize=10)
    drawn.savefig(path, dpi=120)


def main():
    """Compute what is missing in the store, then print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--store", type=Path, default=Path("docs/results/confidence.jsonl"))
    parser.add_argument("--figure", type=Path, default=Path("docs/images/calibration.png"))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if not arguments.table:
        folder = Path(os.environ["CONSENSA_DATA"])
        compute(folder, arguments.sets.split(","), arguments.draws, arguments.store)
    table(arguments.store)
    figure(arguments.store, arguments.figure)


if __name__ == "__main__":
    main()
