"""Put published scores back into a store, so that only changed methods have to be run again.

    python benchmarks/restore_cells.py docs/results/study out/study lta,tea,lwea
    consensa study tables --out out/study

The cells of the named methods are read from `cells.csv`, their times from `timings.json`; scores
have the six digits of the file. The second command then computes the cells of the other methods
and writes the tables of all of them. Restore a method only if its results have not changed.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

from consensa.study import RunOptions, protocol_of
from consensa.study.cells import Record
from consensa.study.material import read_material
from consensa.study.store import Store

NOT_SCORES = ("dataset", "order", "draw", "method", "row", "state")


def read_cells(folder, methods):
    """Rows of scores and state by set, order, draw and method."""
    cells = defaultdict(dict)
    with (folder / "cells.csv").open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["method"] in methods:
                key = (line["dataset"], line["order"], int(line["draw"]), line["method"])
                scores = {
                    name: float(v) for name, v in line.items() if name not in NOT_SCORES and v
                }
                cells[key][line["row"]] = (line["state"], scores)
    return cells


def main(source, out, methods):
    """Write the cells of the methods into the store of `out`."""
    folder, names = Path(source), methods.split(",")
    stored = read_cells(folder, names)
    times = json.loads((folder / "timings.json").read_text(encoding="utf-8"))["sets"]
    protocol = protocol_of(methods=names)
    Path(out).mkdir(parents=True, exist_ok=True)
    options = RunOptions(out)
    datasets = read_material(protocol.sets, options).datasets
    with Store(Path(out) / "study.sqlite") as store:
        for cell in protocol.cells(datasets):
            rows = stored[cell.dataset, cell.order, cell.draw, cell.method]
            state = next(state for state, _ in rows.values())
            done = state == "done"
            payload = {"details": {}, "rows": {row: scores for row, (_, scores) in rows.items()}}
            seconds = times[cell.dataset][cell.method]["mean_seconds"] if done else 0.0
            reason = "" if done else "its time grows with the cube of the number of samples"
            store.put(Record(cell, state, payload if done else {}, reason, seconds=seconds))
    print(f"{len(stored)} cells of {len(names)} methods restored")


if __name__ == "__main__":
    main(*sys.argv[1:])
