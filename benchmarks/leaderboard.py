"""Leaderboard of what a person gets: from labels, and from features. Rows are shuffled.

(a) From labels: every method on the seven sets, draws of 10 and of 20 partitions from the
published pools. (b) From features: generators with methods beside scikit-learn's clusterers,
raw and standardized, on the seven sets and digits. (c) Behind the guides: TEA's steps removed in
turn and its parameters moved, rivals with other parameters, fewer landmarks, and the default's
agreement with itself on other orders of the rows and other seeds. The number of classes is given;
one fixed set of parameters for all. Needs CONSENSA_DATA. Every cell is kept in a store and never
computed twice, so the run can be stopped and taken up again; tables show what is there. Cells
from labels are published with the tables and need not be computed again; rows of which no cells
are there keep their published lines.

    python benchmarks/leaderboard.py --quick
    python benchmarks/leaderboard.py --gather out/study/study.sqlite   # cells that a study has
    python benchmarks/leaderboard.py --tables                          # compute nothing
    python benchmarks/leaderboard.py --only labels --methods tea,spce  # add a row
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from leaderboard_cells import (
    clusterers,
    compute_agreement,
    compute_landmarks,
    compute_variants,
    find_generators,
    load_set,
)
from leaderboard_cells import compute as compute_features
from leaderboard_published import (
    BY_SET,
    WithPublished,
    merged,
    merged_by_set,
    publish_cells,
    published_cells,
    read_lines,
    remark_of,
    split_page,
    with_fewer_draws,
)
from scipy.stats import rankdata, t

from consensa.datasets import SETS
from consensa.study.cells import Cell
from consensa.study.draws import load_with_pool
from consensa.study.methods import METHODS
from consensa.study.options import RunOptions
from consensa.study.protocol import Protocol
from consensa.study.protocol import compute as compute_labels
from consensa.study.runner import run_cells
from consensa.study.store import Store

SCORES = {"nmi_arithmetic": "NMI", "ari": "ARI", "acc": "ACC"}
RENAMED = {"Ours-EA": "LTA, average linkage", "Ours-SC": "LTA, spectral"}
QUICK = ("tea", "lwea", "eac", "lwgp", "ecpcsmc", "ecpcshc", "hbgf", "lwsc", "voting", "mcla",
         "sec")  # fmt: skip
SEEDLESS = "HDBSCAN"  # minutes a set, and neither seed nor order of the rows changes its answer


def label_cells(sets, draws, members, methods):
    """Cells of part (a): those of `consensa study tables`, shuffled rows alone."""
    datasets = {name: load_with_pool(name) for name in sets}
    protocol = Protocol(tuple(sets), tuple(methods), ("shuffled",), draws, members)
    return protocol.cells(datasets)


def variant_cells(sets, draws, method):
    """Cells of a method with other parameters, on the draws of part (a) with 10 members."""
    return [
        Cell("variants", cell.dataset, cell.order, cell.draw, cell.method, cell.settings)
        for cell in label_cells(sets, draws, 10, [method])
    ]


def feature_cells(sets, seeds, generators):
    """Cells of part (b); what draws nothing at random runs once."""
    single = [f"{how}:{name}" for how in ("raw", "standardized") for name in clusterers(2, 0)]
    methods = [*(f"generator:{name}" for name in generators), *single]
    cells = cells_on_features("features", sets, seeds, methods)
    return [cell for cell in cells if cell.draw == 0 or SEEDLESS not in cell.method]


def cells_on_features(experiment, sets, seeds, methods):
    """Small sets first, whole seeds together."""
    datasets = {name: load_set(name) for name in sets}
    by_size = sorted(sets, key=lambda name: datasets[name].n_samples)
    return [
        Cell(experiment, name, "shuffled", seed, method, {"data": datasets[name].fingerprint})
        for seed in range(seeds)
        for name in by_size
        for method in methods
    ]


def collect(store, cells):
    """Scores by row, set and draw: {row: {(set, draw): (scores, seconds)}}."""
    found = defaultdict(dict)
    for cell in cells:
        record = store.get(cell)
        if record is None or record.state != "done":
            continue
        for row, scores in record.payload["rows"].items():
            seconds = record.payload["details"].get(row, record.seconds)
            values = [scores[name] for name in SCORES]
            found[RENAMED.get(row, row)][cell.dataset, cell.draw] = (values, seconds)
    return {row: _for_every_draw(row, cells, found) for row, cells in found.items()}


def _for_every_draw(row, cells, found):
    """The cells of a row; one that ran once counts for every draw."""
    if SEEDLESS not in row:
        return cells
    draws = {draw for others in found.values() for _, draw in others}
    return {(name, draw): cell for (name, _), cell in cells.items() for draw in draws}


def whole_draws(found, sets):
    """Of each row, the draws in which it has every set."""
    return {
        row: tuple(d for d in sorted({d for _, d in cells}) if all((s, d) in cells for s in sets))
        for row, cells in found.items()
    }


def summaries(found, sets):
    """Lines of the rows with the most draws; then, beside the best of these, of those with fewer.

    Yields the draws and their lines.
    """
    whole = whole_draws(found, sets)
    by_draws = sorted({draws for draws in whole.values() if draws}, key=len, reverse=True)
    leader = []
    for draws in by_draws:
        rows = [row for row, has in whole.items() if has == draws]
        lines = summarize(found, sets, [*leader, *rows], draws)
        leader = leader or [lines[0]["row"]]
        yield draws, lines


def summarize(found, sets, rows, draws):
    """A line for each row, over these draws, the best NMI first."""
    scores = np.array([[[found[row][s, d][0] for s in sets] for d in draws] for row in rows])
    times = [np.mean([found[row][s, d][1] for s in sets for d in draws]) for row in rows]
    per_draw = scores.mean(axis=2)  # (rows, draws, scores)
    ranks = np.apply_along_axis(rankdata, 0, -scores[..., 0]).mean(axis=(1, 2))
    best = per_draw.mean(axis=1).argmax(axis=0)  # of each score
    lines = []
    for i in np.argsort(-per_draw[:, :, 0].mean(axis=1)):
        line = {"row": rows[i], "draws": len(draws), "rank": ranks[i], "seconds": times[i]}
        for j, name in enumerate(SCORES.values()):
            difference = per_draw[i, :, j] - per_draw[best[j], :, j]
            line[name] = per_draw[i, :, j].mean()
            line[f"{name} to best"] = difference.mean()
            line[f"{name} half-width"] = half_width(difference)
        lines.append(line)
    return lines


def half_width(differences):
    """Of the 95 % t-interval of the mean; None from one draw."""
    n = len(differences)
    if n < 2:
        return None
    return t.ppf(0.975, n - 1) * differences.std(ddof=1) / np.sqrt(n)


def markdown(lines):
    """The table: mean, and below it in the same cell the paired difference to the best."""
    names = list(SCORES.values())
    head = ["", *names, *(f"{name} − best (95 %)" for name in names), "rank", "s", "draws"]
    text = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for line in lines:
        halves = [line[f"{n} half-width"] for n in names]
        level = [h is not None and abs(line[f"{n} to best"]) <= h
                 for n, h in zip(names, halves, strict=True)]  # fmt: skip
        means = [f"**{line[n]:.4f}**" if same or line[f"{n} to best"] == 0 else f"{line[n]:.4f}"
                 for n, same in zip(names, level, strict=True)]  # fmt: skip
        gaps = [shown_gap(line[f"{n} to best"], line[f"{n} half-width"]) for n in names]
        rank = "–" if line["rank"] is None else f"{line['rank']:.1f}"
        rest = [rank, f"{line['seconds']:.1f}", str(line["draws"])]
        text.append("| " + " | ".join([line["row"], *means, *gaps, *rest]) + " |")
    return text


def shown_gap(difference, half):
    """A difference with its interval, if there is one."""
    return f"{difference:+.4f}" if half is None else f"{difference:+.4f} ± {half:.4f}"


def by_set(found, sets):
    """NMI of each row on each set, over the draws that are there."""
    text = ["| NMI | " + " | ".join(sets) + " |", "|---" * (len(sets) + 1) + "|"]
    for row, cells in sorted(found.items()):
        means = []
        for name in sets:
            values = [scores[0] for (where, _), (scores, _) in cells.items() if where == name]
            means.append(f"{np.mean(values):.3f} ({len(values)})" if values else "–")
        text.append(f"| {row} | " + " | ".join(means) + " |")
    return text


def report(store, parts, output):
    """The sections of the page and the lines of the CSV, by the titles of all parts."""
    published = read_lines(output / "leaderboard.csv")
    page = output / "leaderboard.md"
    sections = split_page(page.read_text())[1] if page.exists() else {}
    for title, cells, sets in parts:
        found = collect(store, cells)
        tables = [lines for _, lines in summaries(found, sets)]
        if not tables:
            continue
        before = sections.get(title, "")
        tables[0] = merged(tables[0], published[title])
        computed = [line for lines in tables for line in lines]
        tables += filter(None, [with_fewer_draws(computed, published[title])])
        remark = remark_of(before)
        text = ["", remark] if remark else []
        for number, lines in enumerate(tables):
            if number:
                draws = lines[-1]["draws"]
                so_far = "1 draw" if draws == 1 else f"{draws} draws"
                said = f"Rows with {so_far} so far; differences are to the best means above."
                text += ["", said]
            text += ["", *markdown(lines)]
        partial = sorted(row for row, draws in whole_draws(found, sets).items() if not draws)
        if partial:
            text += ["", f"Run on some of the sets only: {', '.join(partial)}."]
        text += ["", BY_SET, "", *merged_by_set(by_set(found, sets), before)]
        sections[title] = "\n".join(text) + "\n"
        published[title] = [{"part": title} | line for lines in tables for line in lines]
    return sections, published


HEAD = """# Leaderboard

Rows shuffled, the number of classes given, default parameters; LTA has the penalty of its paper,
and its default in a table of its own. NMI is divided by the mean entropy.
Bold: the best mean, or a mean within the paired 95 % interval of the best (t-interval over draws
of the means over sets). Rank: mean over sets and draws, by NMI. s: seconds per set, one thread;
rows of PTA and LTA that come from one fit share its time. LTA and GTLEC were run on a GPU, several
at a time (`benchmarks/audit_gpu.py --part leaderboard`). A row without a rank was added later.
HDBSCAN has no seed and was run once; GaussianMixture has diagonal covariances, since full ones
have more parameters than most sets have samples. Of a run in progress, only complete draws are
shown.

`CONSENSA_DATA=<folder> make leaderboard` runs it and can be interrupted;
`benchmarks/leaderboard.py --quick` takes minutes. The means over the sets as CSV:
[leaderboard.csv](leaderboard.csv); scores of every draw of rows that were computed recently:
[leaderboard_cells.csv](leaderboard_cells.csv).
"""


def read_arguments():
    """What is asked for; the quick mode is a choice of the rest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, default=Path("out/leaderboard.sqlite"))
    parser.add_argument("--gather", type=Path, action="append", default=[])
    parser.add_argument("--output", type=Path, default=Path("docs/results"))
    parser.add_argument("--sets", default=",".join(sorted(SETS)))
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--members", default="10,20")
    parser.add_argument("--methods", help="of part (a); all by default, the quick ones first")
    parser.add_argument("--generators", default=",".join(find_generators()))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=float, help="minutes")
    parser.add_argument("--only", choices=["labels", "features", "guides"])
    parser.add_argument("--quick", action="store_true", help="three sets, three draws, one seed")
    parser.add_argument("--tables", action="store_true", help="compute nothing")
    asked = parser.parse_args()
    if asked.quick:
        asked.sets, asked.draws, asked.seeds, asked.members = "binalpha,semeion,mf", 3, 1, "10"
        asked.methods = asked.methods or ",".join(QUICK)
        asked.output, asked.generators = asked.store.parent, "landmarkspectral,randomkmeans"
    return asked


def parts_of(asked):
    """Title, cells, sets and computation of each table."""
    sets, everything = asked.sets.split(","), [*QUICK, *(m for m in METHODS if m not in QUICK)]
    methods = asked.methods.split(",") if asked.methods else everything
    everywhere = [*sets, "digits"]
    if asked.only in (None, "labels"):
        for members in map(int, asked.members.split(",")):
            title = f"From labels, ensembles of {members}"
            yield title, label_cells(sets, asked.draws, members, methods), sets, compute_labels
    if asked.only in (None, "features"):
        cells = feature_cells(everywhere, asked.seeds, asked.generators.split(","))
        yield "From features, the sets of the paper", cells, sets, compute_features
        yield "From features, digits", cells, ["digits"], compute_features
    if asked.only in (None, "guides"):
        cells = variant_cells(sets, asked.draws, "tea")
        yield "TEA and its parameters, ensembles of 10", cells, sets, compute_variants
        cells = variant_cells(sets, asked.draws, "eccms")
        yield "EC-CMS with a higher threshold, ensembles of 10", cells, sets, compute_variants
        cells = variant_cells(sets, asked.draws, "lta")
        yield "LTA with its default penalty, ensembles of 10", cells, sets, compute_variants
        cells = cells_on_features("landmarks", sets, asked.seeds, ["default"])
        yield "From features, fewer landmarks", cells, sets, compute_landmarks
        cells = cells_on_features("agreement", everywhere, asked.seeds, ["default"])
        title = "From features, the default's agreement with itself"
        yield title, cells, everywhere, compute_agreement


def compute_missing(known, parts, jobs, budget):
    """Fill the store, part after part, within the minutes of the budget."""
    store = known.store
    end = None if budget is None else time.monotonic() + 60 * budget
    for title, cells, _, compute in parts:
        # The quick methods first, so that an early stop leaves their tables whole.
        missing = [cell for cell in cells if cell.key not in known.published]
        cells = sorted(missing, key=lambda cell: cell.method not in (*QUICK, ""))
        left = None if end is None else max(end - time.monotonic(), 1) / 60
        options = RunOptions(store.path.parent, jobs=jobs, budget=left)
        ran = run_cells(store, cells, compute, options)
        print(title, *ran.sentences(), sep="\n", file=sys.stderr, flush=True)


def main():
    """Compute what is missing in the store, and print and write the tables."""
    asked = read_arguments()
    parts = list(parts_of(asked))
    asked.output.mkdir(parents=True, exist_ok=True)
    published = asked.output / "leaderboard_cells.csv"
    from_labels = [cell for part in parts if part[3] is compute_labels for cell in part[1]]
    with Store(asked.store) as store:
        for other in asked.gather:
            print(store.gather(other), file=sys.stderr)
        known = WithPublished(store, published_cells(from_labels, published, SCORES))
        if not asked.tables:
            compute_missing(known, parts, asked.jobs, asked.budget)
        sections, by_part = report(known, [part[:3] for part in parts], asked.output)
        publish_cells(known, from_labels, published, SCORES)
    text = "".join(f"\n## {title}\n{section}" for title, section in sections.items())
    print(text)
    (asked.output / "leaderboard.md").write_text(HEAD + text)
    lines = [line for part in by_part.values() for line in part]
    if lines:
        with (asked.output / "leaderboard.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)


if __name__ == "__main__":
    main()
