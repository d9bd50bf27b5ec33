"""Put the lines of a new audit of some methods and sets into a published one.

    consensa study audit --methods spce,sdgca --sets mnist5k --out out/part
    python benchmarks/merge_audit.py out/part docs/results/audit

Lines of the same set, row and score are replaced, in their places; new ones go to the end of
their set, new sets to the end of the file. So are the lines that say how sorted the sets are. The
page is made again from the CSV files.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from consensa.study._field_audit_page import AUDIT, RUNS, audit_page, read

KEYS = {AUDIT: ("dataset", "row", "metric"), RUNS: ("dataset",)}


def merge(new, old, keys):
    """The lines of `old` with those of `new` in their places."""
    found = {tuple(line[key] for key in keys): line for line in [*old, *new]}
    sets = list(dict.fromkeys(line["dataset"] for line in found.values()))
    return sorted(found.values(), key=lambda line: sets.index(line["dataset"]))


def lines_of(folder, name):
    """Lines of a file of an audit, which must be there."""
    lines = read(folder, name)
    if not lines:
        wanted = " and ".join(KEYS)
        message = (
            f"The folder of an audit has {wanted}. {folder / name} is missing or empty: pass the "
            "folder that `consensa study audit` wrote, then that of the published audit."
        )
        raise SystemExit(message)
    return lines


def main(source, target):
    """Merge the files of both folders, and write the page."""
    folder = Path(target)
    merged = {
        name: merge(lines_of(Path(source), name), lines_of(folder, name), keys)
        for name, keys in KEYS.items()
    }
    for name, lines in merged.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
    (folder / "audit.md").write_text(audit_page(folder), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
