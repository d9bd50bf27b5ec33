"""The page of the audit, made from its CSV files alone."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from consensa.metrics.spectrum import LITTLE
from consensa.study._text import markdown_table

__all__ = [
    "AUDIT",
    "AUDITED",
    "DEGREES",
    "RUNS",
    "TITLES",
    "audit_page",
    "audit_tables",
    "read",
]

AUDITED = ("nmi", "ari", "acc")  # the scores
AUDIT, RUNS, DEGREES = "audit.csv", "runs.csv", "degrees.csv"
TITLES = {"Ours-SC": "LTA (Ours-SC)", "Ours-EA": "LTA (Ours-EA)"}
_INTRODUCTION = f"""\
# The field, audited

Every method on the same draws of partitions from the pools, with the rows of the file as stored
and with the same rows shuffled. *Change* is the mean of shuffled minus stored, over the draws that
were run in both orders. The effect of the order is **none** if no score of any draw differs in its
sixth digit, **slight** if no mean change is above {LITTLE}, else **strong**. NMI is divided by the
larger entropy, as in the LTA paper, whose printed values are beside ours. Ours-SC and Ours-EA are
the names of that paper for LTA with spectral clustering and with average linkage.
"""
_MEANS = """\
A mean is over the draws and sets that the method was run on; with other draws in the two orders,
the two means differ even if the change is 0. *On sets*: on how many of these sets the effect is
the one that is named.
"""
_RUNS = """\
Runs of equal classes along the file, and how many a random order has. The sortedness is 0 for a
random order, 1 for a file that is sorted by class, and below 0 for more runs than in a random
order.
"""
_DEGREES = """\
Mean NMI if this share of the rows, drawn at random, is shuffled among itself and all other rows
stay in place. The number of draws is in brackets.
"""
_SETS = """\
## Set by set

Means ± standard deviation over the draws; *draws*: their number as stored and shuffled.
"""
_Row = dict[str, str]


def read(folder: Path, name: str) -> list[_Row]:
    """Lines of a CSV file; none if it is not there."""
    path = folder / name
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def audit_page(folder: Path) -> str:
    """The page as Markdown."""
    tables = audit_tables(folder)
    parts = [_INTRODUCTION, "## Means over the sets", "", tables["means"], "", _MEANS]
    parts += ["## How sorted the files are", "", _RUNS, tables["runs"], ""]
    if "degrees" in tables:
        parts += ["## Shuffling by degrees", "", _DEGREES, tables["degrees"], ""]
        parts += ["![NMI against the share of the rows that are moved](degrees.png)", ""]
    parts += [_SETS]
    for name in dict.fromkeys(line["dataset"] for line in read(folder, AUDIT)):
        parts += [f"### {name}", "", tables[name], ""]
    return "\n".join(parts)


def audit_tables(folder: Path) -> dict[str, str]:
    """The tables of the page, by their names."""
    lines = read(folder, AUDIT)
    tables = {"means": _means(lines), "runs": _runs(read(folder, RUNS))}
    degrees = read(folder, DEGREES)
    if degrees:
        tables["degrees"] = _degrees(degrees)
    for name in dict.fromkeys(line["dataset"] for line in lines):
        tables[name] = _of_set([line for line in lines if line["dataset"] == name])
    return tables


def _by_row(lines: Iterable[_Row]) -> dict[str, dict[str, list[_Row]]]:
    """Lines by row and score."""
    found: dict[str, dict[str, list[_Row]]] = {}
    for line in lines:
        found.setdefault(line["row"], {}).setdefault(line["metric"], []).append(line)
    return found


def _means(lines: Sequence[_Row]) -> str:
    """Means over the sets."""
    rows = []
    for row, by_metric in _by_row(lines).items():
        known = {
            metric: [line for line in each if line["change"]] for metric, each in by_metric.items()
        }
        if not known["nmi"]:
            continue
        cells: list[str] = []
        for metric in AUDITED:
            means = [
                float(np.mean([float(line[name]) for line in known[metric]]))
                for name in ("stored", "shuffled", "change")
            ]
            cells += [f"{means[0]:.3f}", f"{means[1]:.3f}", _signed(means[2])]
        verdicts = [line["verdict"] for line in known["nmi"]]
        worst = max(verdicts, key=["none", "slight", "strong"].index)
        count = f"{verdicts.count(worst)} of {len(verdicts)}"
        title = TITLES.get(row, row)
        rows.append([title, *cells, f"**{worst}**" if worst == "strong" else worst, count])
    # The largest loss first; then the best of those that do not depend on the order.
    rows.sort(
        key=lambda cells: (float(cells[3]) if "strong" in cells[-2] else 1, -float(cells[1]))
    )
    heads = ["method"]
    for metric in AUDITED:
        heads += [f"{metric.upper()}, stored", "shuffled", "change"]
    return markdown_table([*heads, "effect of the order", "on sets"], rows)


def _of_set(lines: Sequence[_Row]) -> str:
    rows = []
    for row, by_metric in _by_row(lines).items():
        first = by_metric["nmi"][0]
        cells = [TITLES.get(row, row), first["paper"]]
        for metric in AUDITED:
            line = by_metric[metric][0]
            cells += [_spread(line, "stored"), _spread(line, "shuffled"), _signed(line["change"])]
        draws = f"{first['stored_draws']}, {first['shuffled_draws']}"
        verdict = first["verdict"]
        rows.append([*cells, draws, f"**{verdict}**" if verdict == "strong" else verdict])
    heads = ["method", "paper's NMI"]
    for metric in AUDITED:
        heads += [f"{metric.upper()}, stored", "shuffled", "change"]
    return markdown_table([*heads, "draws", "effect of the order"], rows)


def _signed(value: float | str) -> str:
    """A change, with its sign unless it is 0."""
    if value == "":
        return ""
    text = f"{float(value):+.3f}"
    return "0.000" if float(text) == 0 else text


def _spread(line: _Row, order: str) -> str:
    if not line[order]:
        return ""
    spread = line[f"{order}_std"]
    return f"{float(line[order]):.3f}" + (f" ± {float(spread):.3f}" if spread else "")


def _runs(lines: Sequence[_Row]) -> str:
    rows = [
        [line["dataset"], line["samples"], line["classes"], line["runs"],
         f"{line['expected']} ± {line['std']}", f"{float(line['sortedness']):.3f}"]
        for line in lines
    ]  # fmt: skip
    heads = ["set", "samples", "classes", "runs", "runs in a random order", "sortedness"]
    return markdown_table(heads, rows)


def _degrees(lines: Sequence[_Row]) -> str:
    """Means by set and row, one column for each share."""
    shares = sorted({line["moved"] for line in lines}, key=float)
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for line in lines:
        if line["nmi"]:
            by_share = found.setdefault((line["dataset"], line["row"]), {})
            by_share.setdefault(line["moved"], []).append(float(line["nmi"]))
    rows = [
        [name, TITLES.get(row, row)]
        + [
            f"{np.mean(by_share[share]):.3f} ({len(by_share[share])})" if share in by_share else ""
            for share in shares
        ]
        for (name, row), by_share in found.items()
    ]
    return markdown_table(["set", "method", *(f"{share} %" for share in shares)], rows)
