"""Compare the cells of a study with stored ones, score by score, to the last digit.

    consensa study tables --sets binalpha,mf,semeion --draws 3 --out out/again
    python benchmarks/compare_cells.py out/again/cells.csv docs/results/study/cells.csv

Cells that only one file has are counted and do not matter; a cell whose state or scores differ
is printed, and the exit status is then 1.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

KEYS = ("dataset", "order", "draw", "method", "row")


def read_cells(path):
    """State and scores by set, order, draw, method and row."""
    with Path(path).open(encoding="utf-8") as file:
        return {tuple(line.pop(key) for key in KEYS): line for line in csv.DictReader(file)}


def compare(new, old):
    """What differs, in lines: the cell, and each score as it was and as it is."""
    lines = []
    for key in (key for key in new if key in old and new[key] != old[key]):
        changed = [
            f"{name} {old[key].get(name)} → {value}"
            for name, value in new[key].items()
            if value != old[key].get(name)
        ]
        lines.append(f"{', '.join(key)}: {'; '.join(changed)}")
    return lines


def main(new_path, old_path):
    """Print the differences and how many cells were compared; give the exit status."""
    new, old = read_cells(new_path), read_cells(old_path)
    lines = compare(new, old)
    print(*lines, sep="\n", end="\n" if lines else "")
    both = new.keys() & old.keys()
    print(f"{len(both)} cells compared, {len(lines)} differ; {len(new) - len(both)} are new.")
    methods = Counter((key[0], key[4]) for key in both if new[key] != old[key])
    for (dataset, row), count in sorted(methods.items()):
        print(f"  {row} on {dataset}: {count}")
    return 1 if lines or not both else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
