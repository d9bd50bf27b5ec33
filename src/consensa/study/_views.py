"""Contents of the page, as plain values for its template, and tables in this form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from consensa.study._summary import Summary
from consensa.study._tables import DIGITS, Score, Table
from consensa.study._words import HEADS, SHORT, kind, lacking, mean_rank, rank_heads

__all__ = [
    "CellView",
    "FigureView",
    "Image",
    "Page",
    "RowView",
    "Section",
    "TableView",
    "view_of",
]


class CellView(NamedTuple):
    """A formatted score."""

    text: str
    spread: str = ""
    place: int = 0
    first: bool = False


class RowView(NamedTuple):
    """A row of a table."""

    name: str
    cells: list[CellView]


class TableView(NamedTuple):
    """A table: groups of columns with the same headings."""

    caption: str
    corner: str
    groups: list[str]
    heads: list[str]
    rows: list[RowView]


class Image(NamedTuple):
    """A figure as a data URI, and its description."""

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
    """A figure of the study with its plots."""

    anchor: str
    title: str
    about: str
    images: list[Image]
    data: list[str]
    left_out: list[str]
    possible: bool


@dataclass(frozen=True)
class Page:
    """The contents of the page."""

    title: str
    lede: str
    findings: list[str]
    order: TableView | None
    sections: list[Section]
    figures: list[FigureView]
    command: str
    provenance: list[str]
    legend: str


def view_of(table: Table, summary: Summary | None, metrics: Sequence[str]) -> TableView:
    """A table with these metrics; a summary also has mean ranks."""
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
