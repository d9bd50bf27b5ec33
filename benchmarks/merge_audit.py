"""Put the lines of a new audit of some methods and sets into a published one.

    consensa study audit --methods spce,sdgca --sets mnist5k --out out/part
    python benchmarks/merge_audit.py out/part docs/results/audit

Lines of the same set, row and score are replaced, in their places; new ones go to the end of
their set. The page is made again from the CSV files.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from consensa.study._field_audit_page import AUDIT, audit_page, read

KEYS = ("dataset", "row", "metric")


def merge(new, old):
    """The lines of `old` with those of `new` in their places."""
    found = {tuple(line[key] for key in KEYS): line for line in [*old, *new]}
    sets = list(dict.fromkeys(line["dataset"] for line in found.values()))
    return sorted(found.values(), key=lambda line: sets.index(line["dataset"]))


def main(source, target):
    """Merge the two files, and write the page."""
    folder = Path(target)
    lines = merge(read(Path(source), AUDIT), read(folder, AUDIT))
    with (folder / AUDIT).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    (folder / "audit.md").write_text(audit_page(folder), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
