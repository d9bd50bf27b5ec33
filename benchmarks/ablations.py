"""What each kind of partitions and each part of the weights of the default is good for.

On every development set: all kinds, each kind left out, each alone, and the weights changed; from
the same partitions, so that nothing else differs. Kept in the store of `batteries.py`, then in
docs/results/ablations.csv, and from there written into the guide of DiverseKinds. Needs
CONSENSA_DATA, but not for `--page`.

    python benchmarks/ablations.py               # compute, and write the CSV and the guide
    python benchmarks/ablations.py --page        # write the guide from the CSV
    python benchmarks/ablations.py --batteries tables --seeds 1 --output out
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from batteries import (
    SCORES,
    arguments_of_a_run,
    asked_sets,
    compute_missing,
    write_csv,
)
from batteries_cells import compute_ablations, own_code
from dev_sets import BATTERIES, SHAPES, load_dev

from consensa.study.cells import Cell
from consensa.study.store import Store

PAGE = Path("docs/guide/diverse_kinds.md")
START, END = "<!-- ablations -->", "<!-- end of the ablations -->"
COLUMNS = {
    "seven": ("seven",),
    "digits": ("digits",),
    "tables": ("tables",),
    "shapes": SHAPES,
    "counts": ("counts",),
    "all sets": tuple(BATTERIES),
}


def cells_of(sets, seeds):
    """A cell for each set and seed, whole seeds together."""
    return [
        Cell("ablations", name, "shuffled", seed, "ablations",
             {"data": load_dev(name).fingerprint} | own_code())
        for seed in range(seeds)
        for name in sets
    ]  # fmt: skip


def collect(store, cells):
    """Lines of the CSV: mean scores of each ablation on each set."""
    found = defaultdict(list)
    for cell in cells:
        record = store.get(cell)
        if record is not None and record.state == "done":
            for name, scores in record.payload["rows"].items():
                found[cell.dataset, name].append([scores[score] for score in SCORES])
    for (where, name), scores in found.items():
        means = zip(SCORES.values(), np.mean(scores, axis=0), strict=True)
        yield {"set": where, "ablation": name, "seeds": len(scores)} | {
            score: round(float(mean), 5) for score, mean in means
        }


def table(lines):
    """Mean ARI of all kinds over each battery, and the differences of the ablations to it."""
    by_name = defaultdict(dict)
    for line in lines:
        by_name[line["ablation"]][line["set"]] = float(line["ARI"])
    sets = by_name.pop("all kinds")
    groups = {
        title: where
        for title, batteries in COLUMNS.items()
        if (where := [name for name in sets if name.partition("/")[0] in batteries])
    }
    whole = {title: np.mean([sets[name] for name in where]) for title, where in groups.items()}
    yield "| ARI | " + " | ".join(f"{title} ({len(w)})" for title, w in groups.items()) + " |"
    yield "|---" * (1 + len(groups)) + "|"
    yield "| all kinds | " + " | ".join(f"{mean:.3f}" for mean in whole.values()) + " |"
    for name in sorted(by_name, key=_place):
        gaps = [_mean_gap(by_name[name], sets, where) for where in groups.values()]
        yield f"| {name} | " + " | ".join(gaps) + " |"


def _mean_gap(scores, whole, where):
    """Mean difference to all kinds, on the sets that have the kind: not all have angles."""
    gaps = [scores[name] - whole[name] for name in where if name in scores]
    if not gaps:
        return "–"
    number = f" ({len(gaps)})" if len(gaps) < len(where) else ""
    return f"{np.mean(gaps):+.3f}{number}"


def _place(name):
    """What is left out first, then the weights, then the kinds alone."""
    return name.endswith(" alone"), not name.startswith("without "), name


def write_page(page, lines):
    """Replace the table between the two comments of a page."""
    before, _, rest = page.read_text().partition(START)
    _, _, after = rest.partition(END)
    seeds = max(int(line["seeds"]) for line in lines)
    said = (
        f"Seeds: {seeds}. In parentheses: the number of sets; after a difference, of the sets "
        "that have the kind."
    )
    text = "\n".join([START, said, "", *table(lines), "", END])
    page.write_text(before + text + after)


def main():
    """Compute what is missing, and write the CSV and the page."""
    parser = arguments_of_a_run(__doc__)
    parser.add_argument("--page", action="store_true", help="only write the guide from the CSV")
    asked = parser.parse_args()
    path = asked.output / "ablations.csv"
    if not asked.page:
        cells = cells_of(asked_sets(asked), asked.seeds)
        with Store(asked.store) as store:
            if not asked.tables:
                compute_missing(store, cells, compute_ablations, asked)
            lines = list(collect(store, cells))
        asked.output.mkdir(parents=True, exist_ok=True)
        write_csv(path, lines)
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    print(*table(lines), sep="\n")
    if path.parent == Path("docs/results"):  # a trial elsewhere leaves the guide as it is
        write_page(PAGE, lines)


if __name__ == "__main__":
    main()
