"""The twelve methods of the LTA paper on its seven sets, rows shuffled, beside its values.

For each set: draws of 10 partitions from the published pool of 100, rows shuffled, NMI over the
larger entropy as the authors' program reports it. Results are kept one line each in a store and
never computed twice, so that the run can be stopped and taken up again. Needs CONSENSA_DATA.

    python benchmarks/paper_methods.py --draws 20 --store docs/results/paper_methods.jsonl
    python benchmarks/paper_methods.py --table --store docs/results/paper_methods.jsonl
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np

import consensa as cs
from consensa.exceptions import ConsensaWarning, NotEnoughMemoryError
from consensa.metrics import normalized_mutual_information

PAPER = Path(__file__).with_name("paper_nmi.csv")
METHODS = {
    "PTA-AL": (cs.pta, {"linkage": "average"}),
    "PTA-CL": (cs.pta, {"linkage": "complete"}),
    "PTA-SL": (cs.pta, {"linkage": "single"}),
    "PTGP": (cs.ptgp, {}),
    "LWSC": (cs.lwsc, {}),
    "LWEA": (cs.lwea, {}),
    "LWGP": (cs.lwgp, {}),
    "ECPCS-HC": (cs.ecpcshc, {}),
    "ECPCS-MC": (cs.ecpcsmc, {}),
    "SEC": (cs.sec, {}),
    "DREC": (cs.drec, {}),
    "SPCE": (cs.spce, {}),
}
CUBIC = {"DREC": 3000, "SPCE": 2500}  # most samples that these are run on


def read_store(path):
    """Scores already there, by (set, draw, method)."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {(line["set"], line["draw"], line["method"]): line for line in lines}


def compute(folder, sets, draws, members, store):
    """Fill the store, draw by draw, so that an early stop leaves whole draws of every method."""
    done = read_store(store)
    store.parent.mkdir(parents=True, exist_ok=True)
    for draw in range(draws):
        for name in sets:
            data = np.load(folder / f"{name}.npz")
            rng = np.random.RandomState(draw)
            columns = rng.choice(data["members"].shape[1], members, replace=False)
            rows = rng.permutation(len(data["y"]))
            ensemble = cs.Ensemble.from_labels(data["members"][rows][:, columns])
            truth = data["y"][rows]
            for method in METHODS:
                if (name, draw, method) in done or len(truth) > CUBIC.get(method, np.inf):
                    continue
                line = score(ensemble, truth, method, draw)
                with store.open("a") as file:
                    file.write(json.dumps({"set": name, "draw": draw, "method": method} | line))
                    file.write("\n")


def score(ensemble, truth, method, seed):
    """NMI and seconds of one method on one draw."""
    function, options = METHODS[method]
    if "random_state" in function.declared:
        options = options | {"random_state": seed}
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        try:
            labels = function(ensemble, len(np.unique(truth)), **options).labels
        except NotEnoughMemoryError as error:
            return {"nmi": None, "error": str(error)}
    nmi = normalized_mutual_information(truth, labels, normalization="max")
    return {"nmi": round(nmi, 6), "seconds": round(time.perf_counter() - start, 2)}


def table(store):
    """Print ours (paper's) for each set, and the mean over the sets that have both."""
    done = read_store(store)
    with PAPER.open() as file:
        paper = {row["method"]: row for row in csv.DictReader(file)}
    sets = [name for name in next(iter(paper.values())) if name != "method"]
    print("| method | " + " | ".join(sets) + " | mean |\n" + "|---" * (len(sets) + 2) + "|")
    for method in METHODS:
        cells, ours, theirs = [], [], []
        for name in sets:
            values = [
                line["nmi"]
                for (where, _, which), line in done.items()
                if where == name and which == method and line["nmi"] is not None
            ]
            printed = float(paper[method][name])
            if not values:
                cells.append(f"– ({printed:.3f})")
                continue
            ours.append(np.mean(values))
            theirs.append(printed)
            cells.append(f"{ours[-1]:.3f} ({printed:.3f})")
        mean = f"{np.mean(ours):.3f} ({np.mean(theirs):.3f})" if ours else "–"
        print(f"| {method} | " + " | ".join(cells) + f" | {mean} |")
    counts = {name: len({d for (where, d, _) in done if where == name}) for name in sets}
    print("\nDraws: " + ", ".join(f"{name} {count}" for name, count in counts.items()))


def main():
    """Compute what is missing in the store, or print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="binalpha,semeion,mf,caltech20,mnist5k,texture,isolet")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--members", type=int, default=10)
    parser.add_argument("--store", type=Path, default=Path("docs/results/paper_methods.jsonl"))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if not arguments.table:
        folder = Path(os.environ["CONSENSA_DATA"])
        compute(folder, arguments.sets.split(","), arguments.draws, arguments.members,
                arguments.store)  # fmt: skip
    table(arguments.store)


if __name__ == "__main__":
    main()
