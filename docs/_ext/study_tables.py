"""The tables of the study that pages show in short, made from the CSV files of its results.

A table stands between ``<!-- study: name -->`` and ``<!-- /study -->``; nobody writes there.
After a new run: ``python docs/_ext/study_tables.py``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from consensa._defaults import DEFAULT_METHOD
from consensa.datasets import SETS
from consensa.study._field_audit_page import AUDIT, audit_tables, read

__all__ = ["PAGES", "written_again"]

_ROOT = Path(__file__).parent.parent.parent
_RESULTS = _ROOT / "docs" / "results" / "study"
PAGES = (_ROOT / "README.md", _RESULTS / "README.md", _ROOT / "docs" / "paper" / "order.md")
_TITLES = {
    "binalpha": "BinAlpha", "mf": "MF", "mnist5k": "MNIST-5k", "semeion": "Semeion",
    "caltech20": "CalTech20", "texture": "Texture", "isolet": "ISOLET",
}  # fmt: skip
_CUTS = ("Ours-SC", "Ours-EA")  # LTA's two rows
_ORDERS = ("stored", "shuffled")
_Row = Mapping[str, str]


def written_again(text: str, results: Path = _RESULTS) -> str:
    """A page with its tables made anew."""

    def made(found: re.Match[str]) -> str:
        head, name, end = found.groups()
        return f"{head}\n{_TABLES[name](results)}\n{end}"

    return re.sub(r"(<!-- study: (\w+) -->)\n.*?(<!-- /study -->)", made, text, flags=re.S)


def _nmi(results: Path, name: str) -> dict[str, _Row]:
    """The lines of NMI of a table of the study, by the name of their row."""
    with (results / f"{name}.csv").open(encoding="utf-8") as file:
        return {line["method"]: line for line in csv.DictReader(file) if line["metric"] == "nmi"}


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head, *body = (f"| {' | '.join(line)} |" for line in (list(heads), *rows))
    return "\n".join([head, re.sub(r"[^|]+", "---", head), *body])


def _mean(row: _Row, source: str) -> str:
    return f"{float(row[f'{source}_mean']):.3f}" if row[f"{source}_mean"] else ""


def _spread(row: _Row, source: str) -> str:
    return f"{_mean(row, source)} ± {float(row[f'{source}_std']):.3f}"


def _means(results: Path) -> str:
    """Means over the sets, the best first; what is not run on every set comes last."""
    found = _nmi(results, "summary")
    titles = {cut: f"{cut} (LTA)" for cut in _CUTS}
    titles |= {DEFAULT_METHOD: f"{DEFAULT_METHOD} (Consensa's default)"}
    rows = []
    for name, row in sorted(
        found.items(),
        key=lambda item: (item[1]["stored_note"] != "", -float(item[1]["stored_mean"])),
    ):
        stored, shuffled = (_mean(row, order) for order in _ORDERS)
        shuffled = shuffled if shuffled == stored else f"**{shuffled}**"
        note = f" ({row['stored_note']})" if row["stored_note"] else ""
        title = titles.get(name, name)
        rows.append([title, _mean(row, "paper"), f"{stored}{note}", f"{shuffled}{note}"])
    return _table(["method", "paper", "ours, rows as stored", "ours, rows shuffled"], rows)


def _beside_paper(results: Path) -> str:
    """Both of LTA's cuts on each set, and how far they are from the paper."""
    heads = ["set"]
    for cut in _CUTS:
        heads += [f"{cut}: paper", "as stored", "difference", "shuffled"]
    rows = []
    for name in SETS:
        cells = [name]
        for cut in _CUTS:
            row = _nmi(results, name)[cut]
            difference = float(row["stored_mean"]) - float(row["paper_mean"])
            stored, shuffled = (_spread(row, order) for order in _ORDERS)
            cells += [_mean(row, "paper"), stored, f"{difference:+.3f}", shuffled]
        rows.append(cells)
    return _table(heads, rows)


def _of_audit(name: str) -> Callable[[Path], str]:
    """A table of the audit, as it is on its own page."""
    return lambda results: audit_tables(results.parent / "audit")[name]


def _both(results: Path) -> str:
    """LTA and GTLEC on each set in both orders, beside two methods that are order-free."""
    lines = {
        (line["dataset"], line["row"]): line
        for line in read(results.parent / "audit", AUDIT)
        if line["metric"] == "nmi"
    }
    heads = ["set", "LTA: paper", "as stored", "shuffled", "GTLEC: as stored", "shuffled"]
    rows = []
    for name in SETS:
        lta, gtlec = lines[name, "Ours-SC"], lines[name, "GTLEC"]
        cells = [_TITLES[name], f"{float(lta['paper']):.3f}"]
        for line in (lta, gtlec):
            stored, shuffled = (_with_draws(line, order) for order in _ORDERS)
            cells += [stored, f"**{shuffled}**"]
        cells += [f"{float(lines[name, row]['shuffled']):.3f}" for row in ("EAC", "TEA")]
        rows.append(cells)
    return _table([*heads, "EAC, either", "TEA, either"], rows)


def _with_draws(line: _Row, order: str) -> str:
    mean, spread, draws = (line[f"{order}{part}"] for part in ("", "_std", "_draws"))
    return f"{float(mean):.3f} ± {float(spread):.3f} ({draws})"


_TABLES: dict[str, Callable[[Path], str]] = {
    "means": _means,
    "beside_paper": _beside_paper,
    "audit_both": _both,
    **{f"audit_{name}": _of_audit(name) for name in ("means", "runs", "degrees")},
}

if __name__ == "__main__":
    for page in PAGES:
        page.write_text(written_again(page.read_text(encoding="utf-8")), encoding="utf-8")
