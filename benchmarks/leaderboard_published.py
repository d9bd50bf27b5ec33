"""The published leaderboard, to which rows can be added without computing the others again.

`leaderboard_cells.csv` has the scores of the cells from labels, `leaderboard.csv` the lines of all
tables. A published cell is not computed again if its method and its data are the same. Rows of
which there are no cells keep their published lines; a row that is added beside such rows has no
rank, which would take the cells of all rows.
"""

from __future__ import annotations

import csv
from collections import defaultdict

from consensa.study.cells import Record

IDENTITY = ("members", "dataset", "data", "draw", "method", "revision")
NAMES = (*IDENTITY, "row", "seconds")
BY_SET = "Mean, and number of draws in parentheses:"
SCORES = ("NMI", "ARI", "ACC")
_TEXT = ("part", "row")  # the columns of `leaderboard.csv` that are not numbers


class WithPublished:
    """A store and, where it has no result, the published cells, which never enter it.

    They have the scores of the leaderboard alone. In the store they would pass for the cells of a
    study, which have more, and would go from there to every store that gathers it.
    """

    def __init__(self, store, published):
        self.store, self.published = store, published

    def get(self, cell):
        """The record of a cell; None if there is none."""
        record = self.store.get(cell)
        if record is not None and record.state == "done":
            return record
        return self.published.get(cell.key, record)


def published_cells(cells, path, scores):
    """Records of these cells from the file, by their keys."""
    lines = defaultdict(dict)
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                lines[tuple(map(line.get, IDENTITY))][line["row"]] = line
    found = {}
    for cell in cells:
        rows = lines.get(_identity(cell))
        if rows:
            payload = {
                "rows": {row: {s: float(line[s]) for s in scores} for row, line in rows.items()},
                "details": {},
            }
            seconds = float(next(iter(rows.values()))["seconds"])
            found[cell.key] = Record(cell, "done", payload, seconds=seconds)
    return found


def publish_cells(store, cells, path, scores):
    """Write the cells of these that the store has, and keep the other published ones.

    A cell on other data takes the place of the published one.
    """
    lines = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            lines = {_sorted_by(line): line for line in csv.DictReader(file)}
    for cell in cells:
        record = store.get(cell)
        if record is None or record.state != "done":
            continue
        for row, found in record.payload["rows"].items():
            line = dict(zip(NAMES, (*_identity(cell), row, f"{record.seconds:.2f}"), strict=True))
            line |= {score: f"{found[score]:.6f}" for score in scores}
            lines[_sorted_by(line)] = line
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*NAMES, *scores], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines[key] for key in sorted(lines))


def _identity(cell):
    settings = cell.settings
    data, revision = settings["data"], settings.get("revision", 1)
    return str(settings["members"]), cell.dataset, data, str(cell.draw), cell.method, str(revision)


def _sorted_by(line):
    number = int(line["members"]), line["method"], line["dataset"], int(line["draw"])
    return (*number, line["revision"], line["row"])


def read_lines(path):
    """Published lines by the title of their part; a number that is not known is None."""
    parts = defaultdict(list)
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                read = {k: v if k in _TEXT else _number(v) for k, v in line.items()}
                read["draws"] = int(read["draws"])
                parts[line["part"]].append(read)
    return parts


def _number(text):
    """None if there is none: earlier files have "nan" in place of a half-width."""
    return None if text in ("", "nan") else float(text)


def merged(lines, published):
    """Published lines and new ones, the best NMI first: new ones without a rank.

    A row that is among both keeps its published rank if its scores are the same. Differences are
    to the best of all rows. Those that were to another row, because the best one is not among the
    new rows or was not among the published ones, are computed from the means, without an interval.
    All lines must have the same number of draws, unless the new ones have
    more and replace every published one.
    """
    new = {line["row"]: line for line in lines}
    draws = lines[0]["draws"]
    most = max((line["draws"] for line in published), default=draws)
    of_table = [line for line in published if line["draws"] == most]
    if draws < most or (draws > most and any(line["row"] not in new for line in of_table)):
        message = (
            f"The new lines have {draws} draws, the published ones {most}: say --draws {most} "
            f"(--seeds {most} for tables from features) and let the run end, or another --output."
        )
        raise SystemExit(message)
    before = {line["row"]: line for line in of_table}
    kept = [line for line in of_table if line["row"] not in new]
    if not kept:  # every row is computed here, and has a rank
        return lines
    together = [dict(line) for line in kept]
    together += [line | {"rank": _rank(line, before)} for line in lines]
    for score in SCORES:
        best, published_best = _best(together, score), _best(of_table, score)
        to_another = set() if best["row"] in new else set(new)
        if best["row"] != published_best["row"] or not _same(best, published_best, [score]):
            to_another |= {line["row"] for line in kept}
        for line in together:
            if line["row"] in to_another:
                line |= {f"{score} to best": line[score] - best[score]}
                line |= {f"{score} half-width": None}
    return sorted(together, key=lambda line: -line["NMI"])


def _best(lines, score):
    return max(lines, key=lambda line: line[score])


def _rank(line, before):
    """The published rank of a row with the same scores; None if there is none."""
    known = before.get(line["row"])
    return known["rank"] if known is not None and _same(line, known, SCORES) else None


def with_fewer_draws(lines, published):
    """Published lines of fewer draws, of rows that are not among the lines of the table."""
    rows = {line["row"] for line in lines}
    return [line for line in published if line["row"] not in rows]


def _same(line, other, scores):
    return line["draws"] == other["draws"] and all(abs(line[s] - other[s]) < 1e-6 for s in scores)


def split_page(page):
    """The head of the page, and its sections by their titles."""
    head, *sections = page.split("\n## ")
    return head, {text.split("\n", 1)[0]: text.split("\n", 1)[1] for text in sections}


def remark_of(section):
    """What stands above the first table of a section."""
    return section.split("\n|", 1)[0].strip()


def merged_by_set(rows, section):
    """Rows of the table of the sets, and the published rows that are not among them."""
    head, line, *new = rows
    _, _, published = section.partition(BY_SET)
    old = [row for row in published.splitlines() if row.startswith("| ")][1:]
    names = {row.split(" | ")[0] for row in new}
    return [head, line, *sorted([*new, *(row for row in old if row.split(" | ")[0] not in names)])]
