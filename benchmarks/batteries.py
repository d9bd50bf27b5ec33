"""The default beside what people run instead, on every set on which it was developed.

Rows are shuffled, the number of classes is given, one setting for all sets. The other libraries
are run raw and standardized. Every cell (method, set, seed) runs in another process with a limit
on its time, and is kept in a store and never computed twice, so the run can be stopped and taken
up again; what fails is kept too, and counts as zero. Needs CONSENSA_DATA and the extra `bench`.

    python benchmarks/batteries.py --rows peers                 # the other libraries
    python benchmarks/batteries.py --rows ours                  # anew if our code has changed
    python benchmarks/batteries.py --gather other.sqlite --tables
    python benchmarks/batteries.py --rows default --published   # other rows from the CSV
    python benchmarks/batteries.py --batteries digits,counts --seeds 1 --output out
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from batteries_cells import LIMIT, OURS, SCALINGS, compute, own_code
from dev_sets import BATTERIES, SHAPES, TITLES, load_dev, names_of
from leaderboard import half_width, shown_gap
from peers import ALL_PEERS, PEERS
from scipy.stats import rankdata

from consensa.study.cells import Cell
from consensa.study.options import RunOptions
from consensa.study.runner import run_cells
from consensa.study.store import Store

SCORES = {"ari": "ARI", "nmi_arithmetic": "NMI", "acc": "ACC"}
ENOUGH = 5  # sets for an interval over them
PUBLISHED = "published"  # in place of a seed: the mean of several
TABLES = ("all", "seven", "digits", "tables", "shapes", *SHAPES, "counts")


def cells_of(sets, seeds, methods, scalings):
    """Whole seeds together; what is not random runs once."""
    known = OURS | ALL_PEERS
    return [
        Cell("batteries", name, "shuffled", seed, f"{scaling}:{method}",
             {"data": load_dev(name).fingerprint} | (own_code() if method in OURS else {}))
        for seed in range(seeds)
        for name in sets
        for method in methods
        for scaling in (scalings if method in ALL_PEERS else ["raw"])
        if seed < known[method].seeds
    ]  # fmt: skip


class Outcome(NamedTuple):
    """Scores of a row on a set with one seed, its seconds, and whether it failed.

    What is read from the published CSV is the mean of several seeds.
    """

    scores: list[float]
    seconds: float
    failures: int = 0
    runs: int = 1
    deviation: float = 0.0


def collect(store, cells):
    """{row: {set: {seed: outcome}}} of the cells in the store; a failure counts as zero."""
    found = defaultdict(lambda: defaultdict(dict))
    records = store.records()
    for cell in cells:
        record = records.get(cell.key)
        if record is None:
            continue
        scaling, _, name = cell.method.partition(":")
        for row in (OURS | ALL_PEERS)[name].rows:
            shown = row if name in OURS else f"{row}, {scaling}"
            found[shown][cell.dataset][cell.draw] = _outcome(record, row)
    return found


def _outcome(record, row):
    if record.state != "done":
        return Outcome([0.0] * len(SCORES), record.seconds, failures=1)
    values = [record.payload["rows"][row][name] for name in SCORES]
    return Outcome(values, record.payload["details"][row])


def add_published(found, path):
    """Put the published means in for each row and set of which the store has nothing."""
    with path.open(newline="") as file:
        for line in csv.DictReader(file):
            by_seed = found[line["row"]][line["set"]]
            if not by_seed:
                scores = [float(line[title]) for title in SCORES.values()]
                by_seed[PUBLISHED] = Outcome(
                    scores, float(line["seconds"]), int(line["failures"]), int(line["runs"]),
                    float(line["ARI deviation"]),
                )  # fmt: skip


def lines_of(found, sets):
    """A line for each row that has every set, the best ARI first."""
    rows = [row for row, by_set in found.items() if all(name in by_set for name in sets)]
    if not rows:
        return []
    means = np.array([[_mean_scores(found[row][name]) for name in sets] for row in rows])
    ranks = np.apply_along_axis(rankdata, 0, -means[..., 0].round(6)).mean(axis=1)
    overall = means.mean(axis=1)
    best = rows[int(overall[:, 0].argmax())]
    lines = []
    for i in np.argsort(-overall[:, 0], kind="stable"):
        outcomes = [one for name in sets for one in found[rows[i]][name].values()]
        difference = paired(found, rows[i], best, sets)
        lines.append({
            "row": rows[i],
            **dict(zip(SCORES.values(), overall[i].tolist(), strict=True)),
            "ARI to best": difference.mean(),
            "ARI half-width": half_width(difference),
            "rank": ranks[i],
            "failures": sum(one.failures for one in outcomes),
            "runs": sum(one.runs for one in outcomes),
            "seconds": float(np.average([one.seconds for one in outcomes],
                                        weights=[one.runs for one in outcomes])),
        })  # fmt: skip
    return lines


def _mean_scores(by_seed):
    return np.mean([one.scores for one in by_seed.values()], axis=0)


def paired(found, row, other, sets):
    """Differences in ARI over the sets; if they are few, of means over them, over the seeds."""
    if len(sets) >= ENOUGH:
        pairs = [[_mean_scores(found[which][name])[0] for name in sets] for which in (row, other)]
        return np.subtract(*np.array(pairs))
    runs = [found[which][name] for which in (row, other) for name in sets]
    if any(PUBLISHED in run for run in runs):  # no seeds: a difference without an interval
        means = [[_mean_scores(found[which][name])[0] for name in sets] for which in (row, other)]
        return np.array([np.subtract(*np.array(means)).mean()])
    # One run of what is not random counts for all seeds.
    seeds = sorted({seed for run in runs for seed in run})
    seeds = [seed for seed in seeds if all(seed in run or len(run) == 1 for run in runs)]
    pairs = [[np.mean([_of_seed(found[which][name], seed) for name in sets]) for seed in seeds]
             for which in (row, other)]  # fmt: skip
    return np.subtract(*np.array(pairs))


def _of_seed(by_seed, seed):
    return by_seed.get(seed, next(iter(by_seed.values()))).scores[0]


def markdown(lines):
    """The table of a battery."""
    names = list(SCORES.values())
    head = ["", *names, "ARI − best (95 %)", "rank", "failures", "s"]
    text = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for line in lines:
        level = abs(line["ARI to best"]) <= (line["ARI half-width"] or 0)
        means = [f"{line[name]:.3f}" for name in names]
        means[0] = f"**{means[0]}**" if level else means[0]
        failures = f"{line['failures']} of {line['runs']}" if line["failures"] else "0"
        gap = shown_gap(line["ARI to best"], line["ARI half-width"])
        rest = [gap, f"{line['rank']:.1f}", failures, f"{line['seconds']:.1f}"]
        text.append("| " + " | ".join([line["row"], *means, *rest]) + " |")
    return text


def by_set(found, sets):
    """Lines of the CSV: each row on each set."""
    for row, runs in found.items():
        for name in sets:
            if name in runs:
                outcomes = runs[name].values()
                scores = zip(SCORES.values(), _mean_scores(runs[name]).tolist(), strict=True)
                spread = float(np.std([one.scores[0] for one in outcomes]))
                spread = max([spread, *(one.deviation for one in outcomes)])
                yield {
                    "set": name, "row": row, "runs": sum(one.runs for one in outcomes),
                    "failures": sum(one.failures for one in outcomes),
                    **{score: round(value, 5) for score, value in scores},
                    "ARI deviation": round(spread, 5),
                    "seconds": round(float(np.mean([one.seconds for one in outcomes])), 3),
                }  # fmt: skip


HEAD = """# Batteries: the default beside what people run instead

The sets on which the default was developed: the seven of the paper, digits, three small tables,
27 sets of shapes (the batteries fcps, graves and other of M. Gagolewski's benchmark suite, version
1.1.0) and simulated counts. Rows shuffled, the number of classes given, one setting for all sets.
If a set has several reference labelings, the one with the best ARI counts; samples that are noise
in it do not. Seeds: {seeds}; at most three of UMAP, and one of what is not random. Where fewer
runs of another library are done, these count: the column `runs` of the CSV has their number. A run
that raises an error or takes more than {limit} s counts as zero.

The other libraries have their defaults, except that UMAP has the minimum distance 0, as its guide
recommends for clustering; Leiden (15 nearest neighbors) has the resolution, and FastHDBSCAN and
HDBSCAN after UMAP the minimum size of a cluster, at which the number of clusters is the one asked
for, or the nearest to it. scikit-learn's HDBSCAN chooses the number itself. What HDBSCAN and EVoC
call noise gets the label of the nearest sample that is not noise. They are given the features
as they are (raw) and standardized; Consensa scales by its own rule.

Bold: the best mean ARI, or one whose paired 95 % t-interval contains it (over the sets, of means
over seeds; if there are fewer than five sets, over seeds, of means over the sets). Rank: mean over
the sets, by ARI. s: mean seconds of processor time of one run on one thread, without compilation.

The embeddings of Consensa are the same for all seeds: its spread over them is smaller than that
over other random numbers of the embeddings would be.

`CONSENSA_DATA=<folder> make leaderboard` runs it and can be interrupted. Every row on
every set: [batteries.csv](batteries.csv).
"""


def report(found, tables, seeds):
    """The page, and the lines of the CSV."""
    text = [HEAD.format(limit=LIMIT, seeds=seeds)]
    for battery in tables:
        lines = lines_of(found, names_of(battery))
        if lines:
            text += [f"## {TITLES[battery]}", "", *markdown(lines), ""]
    return "\n".join(text), list(by_set(found, names_of("all")))


def write(folder, text, lines):
    """The page and the CSV in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "batteries.md").write_text(text)
    if lines:
        write_csv(folder / "batteries.csv", lines)


def write_csv(path, lines):
    """Dictionaries with the same keys, as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def read_arguments():
    """What is asked for."""
    parser = arguments_of_a_run(__doc__)
    parser.add_argument("--gather", type=Path, action="append", default=[])
    parser.add_argument("--rows", default="all", help="ours, peers, all, or names of methods")
    parser.add_argument("--scalings", default=",".join(SCALINGS))
    parser.add_argument(
        "--published", action="store_true",
        help="take what is not in the store from batteries.csv in the output folder",
    )  # fmt: skip
    return parser.parse_args()


def arguments_of_a_run(description):
    """Arguments that the scripts with such a store share."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--store", type=Path, default=Path("out/batteries.sqlite"))
    parser.add_argument("--output", type=Path, default=Path("docs/results"))
    parser.add_argument("--batteries", default=",".join(BATTERIES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=float, help="minutes")
    parser.add_argument("--retry", action="store_true", help="compute what failed again")
    parser.add_argument("--tables", action="store_true", help="compute nothing")
    return parser


def asked_cells(asked):
    """The cells to compute."""
    groups = {"ours": list(OURS), "peers": list(PEERS), "all": [*OURS, *PEERS]}
    methods = groups.get(asked.rows, asked.rows.split(","))
    return cells_of(asked_sets(asked), asked.seeds, methods, asked.scalings.split(","))


def asked_sets(asked):
    """The sets of the batteries, small ones first."""
    sets = [name for battery in asked.batteries.split(",") for name in names_of(battery)]
    return sorted(sets, key=lambda name: load_dev(name).X.size)


def compute_missing(store, cells, compute, asked):
    """Fill the store; failures stay unless they are to be tried again."""
    if not asked.retry:
        known = store.records()
        cells = [cell for cell in cells if cell.key not in known]
    options = RunOptions(store.path.parent, jobs=asked.jobs, budget=asked.budget)
    ran = run_cells(store, cells, compute, options, progress=_tell)
    print(*ran.sentences(), sep="\n", file=sys.stderr, flush=True)


def _tell(progress):
    record = progress.record
    print(f"{record.cell}: {record.state} {record.reason} {record.seconds:.0f} s",
          f"({progress.computed} of {progress.wanted})", file=sys.stderr, flush=True)  # fmt: skip


def main():
    """Compute what is missing in the store, and write the page and the CSV."""
    asked = read_arguments()
    with Store(asked.store) as store:
        for other in asked.gather:
            print(store.gather(other), file=sys.stderr)
        if not asked.tables:
            compute_missing(store, asked_cells(asked), compute, asked)
        every = cells_of(names_of("all"), asked.seeds, [*OURS, *ALL_PEERS], list(SCALINGS))
        found = collect(store, every)
    if asked.published:
        add_published(found, asked.output / "batteries.csv")
    text, lines = report(found, TABLES, asked.seeds)
    print(text)
    write(asked.output, text, lines)


if __name__ == "__main__":
    main()
