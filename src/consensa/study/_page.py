"""Tables and figures → one page that needs nothing but a browser.

`collect_page` turns them into plain values; the template turns those into HTML and escapes
every one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from consensa.report._html import render
from consensa.report._pictures import data_uri
from consensa.study._figures import Drawn
from consensa.study._protocol import METRICS
from consensa.study._remarks import remarks_on
from consensa.study._render import (
    HEADS,
    SHORT,
    footnotes,
    kind,
    lacking,
    legend,
    mean_rank,
    rank_heads,
)
from consensa.study._store import Record
from consensa.study._tables import DIGITS, Score, Summary, Table

__all__ = ["Page", "collect_page", "to_page"]

_SHORT_METRICS = ("nmi", "acc")
_LTA_ROWS = ("Ours-EA", "Ours-SC")
_LEDE = (
    "The experiments of “Clustering Ensemble Meets Low-rank Tensor Approximation” (Jia, Liu, Hou "
    "and Zhang, AAAI 2021), computed by Consensa: the printed values beside ours, with the rows "
    "in the order of the published files and with the same rows shuffled."
)
_WHY = (
    "LTA, the paper's method (rows Ours-EA and Ours-SC), takes a Fourier transform along the "
    "samples, so it treats neighboring rows as alike. The published files are sorted by class, "
    "or nearly. Shuffling changes nothing about the samples: a method that works on them alone "
    "keeps its score."
)
_MOST_EMBEDDED = 400_000  # bytes of an SVG; above, the PNG is smaller


class CellView(NamedTuple):
    """A score as it is shown."""

    text: str
    spread: str = ""
    place: int = 0
    first: bool = False


class RowView(NamedTuple):
    """A row of a table."""

    name: str
    cells: list[CellView]


class TableView(NamedTuple):
    """A table: groups of columns, the same heads in each."""

    caption: str
    corner: str
    groups: list[str]
    heads: list[str]
    rows: list[RowView]


class Image(NamedTuple):
    """A picture as a data URI, and its words."""

    source: str
    alt: str


@dataclass(frozen=True)
class Section:
    """The table of a set, or the summary."""

    anchor: str
    name: str
    title: str
    remarks: list[str]
    short: TableView
    whole: TableView
    notes: list[str]
    images: list[Image]


@dataclass(frozen=True)
class FigureView:
    """A figure with its pictures."""

    anchor: str
    title: str
    about: str
    images: list[Image]
    data: list[str]
    left_out: list[str]
    possible: bool


@dataclass(frozen=True)
class Page:
    """Everything that the page says."""

    title: str
    lede: str
    findings: list[str]
    order: TableView | None
    sections: list[Section]
    figures: list[FigureView]
    command: str
    provenance: list[str]
    legend: str


def to_page(page: Page) -> str:
    """The page as HTML: no script, nothing fetched, every value escaped."""
    return render("consensa.study", "study.html", page=page)


def collect_page(
    tables: Sequence[Table],
    summary: Summary,
    drawn: Iterable[Drawn],
    records: Mapping[str, Record],
    *,
    wanted: int,
    out: Path,
    command: str,
) -> Page:
    """What the page says, from tables, figures and the cells behind them."""
    sections = [_section(table) for table in tables]
    over = "the draws"
    if len(tables) > 1:
        sections.append(_section(summary.table, summary, out))
        over = "the draws, in the summary over the sets,"
    return Page(
        title="The paper's study, reproduced and audited",
        lede=_LEDE,
        findings=[_WHY, *_findings(tables)],
        order=_order_table(tables),
        sections=sections,
        figures=[_figure(each) for each in drawn],
        command=command,
        provenance=_provenance(records.values(), wanted),
        legend=legend(over, second="underlined"),
    )


# ---- tables ----------------------------------------------------------------------------------


def _section(table: Table, summary: Summary | None = None, out: Path | None = None) -> Section:
    images = []
    if summary is not None and out is not None:
        for source, (names, compared) in summary.comparisons.items():
            stem = out / f"critical-difference-{source}"
            ranked = sorted(zip(compared.mean_ranks, names, strict=True))
            words = ", ".join(f"{name} {rank:.2f}" for rank, name in ranked)
            alt = (
                f"Mean ranks by NMI, {HEADS[source]}: {words}. Differences of less than "
                f"{compared.critical_difference:.2f} may be chance."
            )
            images += [_image(stem, alt)] if stem.with_suffix(".svg").exists() else []
    return Section(
        anchor=f"set-{table.name}",
        name=table.name,
        title=table.title,
        remarks=remarks_on(table),
        short=_view(table, summary, _SHORT_METRICS),
        whole=_view(table, summary, METRICS),
        notes=[note.removeprefix("- ") for note in footnotes(table)],
        images=images,
    )


def _view(table: Table, summary: Summary | None, metrics: Sequence[str]) -> TableView:
    places = {(m, s): table.places(m, s) for m in metrics for s in table.sources}
    rows = []
    for row in table.rows:
        cells = []
        for metric in metrics:
            for source in table.sources:
                place = places[metric, source].get(row, 0)
                score = table.score(row, metric, source)
                cells.append(_cell(table, score, place, source == table.sources[0]))
            if summary:
                ranks = (mean_rank(summary, row, metric, source) for source in table.sources)
                cells += map(CellView, ranks)
        rows.append(RowView(row, cells))
    return TableView(
        f"{table.name}: {', '.join(SHORT[metric] for metric in metrics)}",
        "method",
        [SHORT[metric] for metric in metrics],
        [*(HEADS[source] for source in table.sources), *rank_heads(summary)],
        rows,
    )


def _cell(table: Table, score: Score, place: int, first: bool) -> CellView:
    if score.mean is None:
        return CellView(kind(score.note), first=first)
    spread = "" if score.std is None else f"± {score.std:.{DIGITS}f}"
    lack = lacking(table, score)
    spread = f"{spread} ({lack})".strip() if lack else spread
    return CellView(f"{score.mean:.{DIGITS}f}", spread, place, first)


# ---- what the order does ---------------------------------------------------------------------


class _Effect(NamedTuple):
    """NMI of one set: LTA in both orders, and the best that does not read the order."""

    table: Table
    stored: float
    shuffled: float
    other: str
    other_shuffled: float


def _effects(tables: Sequence[Table]) -> list[_Effect]:
    effects = []
    for table in tables:
        stored = table.score("Ours-SC", "nmi", "stored").mean
        shuffled = table.score("Ours-SC", "nmi", "shuffled").mean
        others = {
            row: mean
            for row in table.rows
            if row not in _LTA_ROWS
            and (mean := table.score(row, "nmi", "shuffled").mean) is not None
        }
        if stored is None or shuffled is None or not others:
            continue
        best = max(others, key=lambda row: others[row])
        effects.append(_Effect(table, stored, shuffled, best, others[best]))
    return effects


def _findings(tables: Sequence[Table]) -> list[str]:
    """What the tables say about the order, in numbers."""
    effects = _effects(tables)
    if not effects:
        return [
            "The tables do not hold LTA and another method in both orders, so nothing is said."
        ]
    n = len(effects)

    def mean(values: Iterable[float]) -> float:
        return sum(values) / n

    lost = sum(effect.shuffled < effect.other_shuffled for effect in effects)
    sets = "set" if n == 1 else "sets"
    return [
        f"On {n} {sets}, the mean NMI of Ours-SC is {mean(e.stored for e in effects):.3f} with "
        f"the rows as stored and {mean(e.shuffled for e in effects):.3f} with the same rows "
        f"shuffled. On shuffled rows the best of the other methods is ahead of it on {lost} of "
        f"{n} {sets} (mean NMI of the best on each, which is chosen with hindsight: "
        f"{mean(e.other_shuffled for e in effects):.3f})."
    ]


def _order_table(tables: Sequence[Table]) -> TableView | None:
    effects = _effects(tables)
    if not effects:
        return None
    printed = [effect.table.score("Ours-SC", "nmi", "paper").mean for effect in effects]
    in_paper = any(value is not None for value in printed)
    heads = [*(["paper"] if in_paper else []), "as stored", "shuffled", "best other, shuffled"]
    rows = []
    for effect, paper in zip(effects, printed, strict=True):
        numbers = [*([paper] if in_paper else []), effect.stored, effect.shuffled]
        texts = ["" if value is None else f"{value:.{DIGITS}f}" for value in numbers]
        cells = [CellView(text, first=place == 0) for place, text in enumerate(texts)]
        cells.append(CellView(f"{effect.other_shuffled:.{DIGITS}f}", f"({effect.other})"))
        rows.append(RowView(effect.table.name, cells))
    caption = "NMI of Ours-SC in both orders of the rows"
    return TableView(caption, "set", ["Ours-SC"], heads, rows)


# ---- figures and provenance ------------------------------------------------------------------


def _figure(drawn: Drawn) -> FigureView:
    return FigureView(
        anchor=f"figure-{drawn.figure.name}",
        title=drawn.figure.title,
        about=drawn.about,
        images=[_image(stem, alt) for stem, alt in drawn.pictures],
        data=[path.name for path in drawn.data],
        left_out=drawn.left_out,
        possible=drawn.possible,
    )


def _image(stem: Path, alt: str) -> Image:
    """The SVG inside the page; the PNG where the SVG is large."""
    vector = stem.with_name(f"{stem.name}.svg")
    if vector.stat().st_size <= _MOST_EMBEDDED:
        kind_of, data = "svg+xml", vector.read_bytes()
    else:
        kind_of, data = "png", stem.with_name(f"{stem.name}.png").read_bytes()
    return Image(data_uri(data, kind_of), alt)


def _provenance(records: Iterable[Record], wanted: int) -> list[str]:
    """How many cells, what became of them, and what computed them."""
    states: Counter[str] = Counter()
    versions: Counter[tuple[tuple[str, str], ...]] = Counter()
    for record in records:
        states[record.state] += 1
        versions[tuple(sorted(record.versions.items()))] += 1
    states["missing"] = wanted - states.total()
    counted = [f"{count} {state}" for state, count in sorted(states.items()) if count]
    said = [f"{wanted} cells: {', '.join(counted)}."]
    for found, count in versions.most_common():
        libraries = ", ".join(f"{name} {version}" for name, version in found)
        said.append(f"{count} cells computed with {libraries}.")
    return said
