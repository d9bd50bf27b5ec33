"""What a survey of ensemble clustering printed for the methods that we have, beside our audit.

The survey (April 2026) publishes its numbers as data/review-data.json in the repository
github.com/xuz2019/ensemble-clustering-survey-interactive-explorer. This writes the few that the
audit compares to survey.csv, and prints the table of the page and, if the file is given, the
ranks of GTLEC and LTA and the best methods on the sets of GTLEC.

    python benchmarks/survey.py --file review-data.json
    python benchmarks/survey.py                            # the table, from the CSV files
"""

from __future__ import annotations

import argparse
import csv
import json
import math
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs/results/audit"
METRICS = ("NMI", "ARI", "ACC")
SETS = {
    "mf": "MF", "mnist5k": "MNIST", "semeion": "Semeion", "caltech20": "Caltech20",
    "texture": "Texture", "isolet": "ISOLET",
}  # fmt: skip
# Rows of the audit to what the survey's labels begin with. A number after it is the variant; the
# survey lists the same parameters for all variants of a paper, and does not tell them apart.
METHODS = {
    "GTLEC": "(3) GTLEC_MM23", "LTA": "(3) CELTA_AAAI21", "LWEA, LWGP": "(3) LWEA_LWGP_TCYB18",
    "EC-CMS": "(3) ECCMS_TNNLS23", "LCE": "(3) LCE_", "ECPCS-HC, -MC": "(2) ECPCS_TSMCS21",
    "WEAC, GP-MGLA": "(2) Combining Multiple Clusterings via Crowd",
    "HBGF": "(2) Solving cluster ensemble problems by bipartite",
    "DREC": "(3) Ensemble clustering based on dense representation",
    "SDGCA": "(3) SDGCA_TKDE25", "EAC": "(3) Combining multiple clusterings using evidence",
    "PTA, PTGP": "(2) PTA_TKDE16", "KCC": "(1) K-Means-Based Consensus Clustering",
    "EMConsensus": "(1) A Mixture Model for Clustering Ensembles",
    "SPCE": "(5) Self-Paced Clustering Ensemble", "SEC": "(3) SEC_TKDE17",
    "CEAM": "(2) CEAM_TKDE24", "CESHL": "(2) CESHL_INF_FUS22", "TRCE": "(2) TRCE_AAAI21",
    "CumulativeVoting": "(1) Cumulative Voting Consensus Method",
}  # fmt: skip
# Rows of the page: where a paper has several methods, the survey does not say which is which. Of
# LTA's two partitions the better one stands there, beside our spectral one.
PAGE_ROWS = {name: "Ours-SC" if name == "LTA" else name for name in METHODS if "," not in name}


def is_number(value):
    """Whether the survey has a number there, and not a time-out."""
    return isinstance(value, int | float) and math.isfinite(value)


def printed(survey):
    """Lines of the CSV file: a variant's mean over its sets, and its value on each of ours."""
    lines = []
    for method, beginning in METHODS.items():
        for metric in METRICS:
            matrix = survey["matrix"]["mean"][metric]
            for label, values in zip(matrix["methodLabels"], matrix["values"], strict=True):
                if not label.startswith(beginning):
                    continue
                found = [value for value in values if is_number(value)]
                variant = label.rpartition("_")[2]
                mean = sum(found) / len(found)
                lines.append((method, variant, metric.lower(), "mean", len(found), f"{mean:.6f}"))
                for name, theirs in SETS.items():
                    value = values[matrix["datasets"].index(theirs)]
                    if is_number(value):
                        lines.append((method, variant, metric.lower(), name, 1, f"{value:.6f}"))
    return lines


def ranks(survey):
    """Lines: rank and mean over all sets with a result, of the variants of GTLEC and LTA."""
    matrix = survey["matrix"]["mean"]["NMI"]
    found = []
    for label, values in zip(matrix["methodLabels"], matrix["values"], strict=True):
        numbers = [value for value in values if is_number(value)]
        found.append((sum(numbers) / len(numbers), len(numbers), label))
    found.sort(reverse=True)
    shown = tuple(METHODS[name] for name in ("GTLEC", "LTA"))
    return [f"{len(found)} variants, {len(matrix['datasets'])} sets"] + [
        f"rank {rank}: {mean:.3f} on {count} sets, {label}"
        for rank, (mean, count, label) in enumerate(found, 1)
        if label.startswith(shown)
    ]


def best_on_sets_of(survey, beginning):
    """Mean NMI and label of the methods with a result on every set of one method, best first."""
    matrix = survey["matrix"]["mean"]["NMI"]
    rows = dict(zip(matrix["methodLabels"], matrix["values"], strict=True))
    of_method = next(values for label, values in rows.items() if label.startswith(beginning))
    sets = [place for place, value in enumerate(of_method) if is_number(value)]
    means = [
        (sum(values[place] for place in sets) / len(sets), label)
        for label, values in rows.items()
        if all(is_number(values[place]) for place in sets)
    ]
    return len(sets), sorted(means, reverse=True)


def read(path):
    """Lines of a CSV file as dictionaries."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(survey, audit):
    """Lines of the table: the survey's NMI, and ours as stored and shuffled, if these differ."""
    lines = ["| method | " + " | ".join(SETS) + " |", "|---" * (1 + len(SETS)) + "|"]
    ours = {(row["row"], row["dataset"]): row for row in audit if row["metric"] == "nmi"}
    for method, row in PAGE_ROWS.items():
        theirs = best_variant(survey, method)
        cells = []
        for name in SETS:
            cells.append(" / ".join([theirs.get(name, "–"), *our_scores(ours.get((row, name)))]))
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return lines


def our_scores(line):
    """Scores of a line of the audit, by order unless they are the same; – for what was not run."""
    if line is None or not (line["stored"] or line["shuffled"]):
        return ["–"]
    orders = ["shuffled"] if line["verdict"] == "none" else ["stored", "shuffled"]
    return [f"{float(line[order]):.3f}" if line[order] else "–" for order in orders]


def best_variant(survey, method):
    """NMI on the sets, of the variant with the largest mean."""
    of_method = [row for row in survey if row["method"] == method and row["metric"] == "nmi"]
    means = {row["variant"]: float(row["value"]) for row in of_method if row["dataset"] == "mean"}
    best = max(means, key=means.get)
    return {
        row["dataset"]: f"{float(row['value']):.3f}" for row in of_method if row["variant"] == best
    }


def main():
    """Write the CSV file if the survey's file is given; print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, help="the survey's review-data.json")
    given = parser.parse_args()
    if given.file:
        survey = json.loads(given.file.read_text(encoding="utf-8"))
        lines = printed(survey)
        with (FOLDER / "survey.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("method", "variant", "metric", "dataset", "sets", "value"))
            writer.writerows(lines)
        print("\n".join(ranks(survey)), end="\n\n")
        count, best = best_on_sets_of(survey, METHODS["GTLEC"])
        print(f"Mean NMI over the {count} sets of GTLEC; {len(best)} variants have all results:")
        print("\n".join(f"{mean:.3f} {label}" for mean, label in best[:3]), end="\n\n")
    print("\n".join(table(read(FOLDER / "survey.csv"), read(FOLDER / "audit.csv"))))


if __name__ == "__main__":
    main()
