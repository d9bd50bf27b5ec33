"""Tables → CSV and Markdown, without times, dates, paths or host names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from consensa.study._summary import Summary
from consensa.study._tables import Table
from consensa.study._words import (
    HEADS,
    TITLES,
    footnotes,
    kind,
    legend,
    mean_rank,
    over,
    rank_heads,
    shown,
)
from consensa.study.draws import METRICS

__all__ = ["markdown_table", "to_csv", "to_markdown"]


def markdown_table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are formatted already."""
    return "\n".join([_line(heads), "|---" * len(heads) + "|", *map(_line, rows)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def to_csv(table: Table, summary: Summary | None = None) -> str:
    """Long format: one line for each row and metric."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    unit = "draws" if summary is None else "sets"
    head = ["method", "metric"]
    for source in table.sources:
        head += [f"{source}_{part}" for part in ("mean", "std", unit, "place", "note")]
        head += [f"{source}_mean_rank"] if summary else []
    writer.writerow(head)
    places = {(m, s): table.places(m, s) for m in METRICS for s in table.sources}
    for row in table.rows:
        for metric in METRICS:
            line: list[object] = [row, metric]
            for source in table.sources:
                score = table.score(row, metric, source)
                place = places[metric, source].get(row, "")
                line += [_number(score.mean), _number(score.std), score.draws or "", place]
                line += [kind(score.note)]  # a reason may name this machine's memory
                if summary:
                    line.append(_number(summary.mean_ranks.get((row, metric, source))))
            writer.writerow(line)
    return text.getvalue()


def to_markdown(table: Table, summary: Summary | None = None, remarks: Iterable[str] = ()) -> str:
    """A heading and, for each metric, a table with one column per source."""
    lines = [f"# {table.title}", "", legend(over(summary), "in italics"), ""]
    for remark in remarks:
        lines += [remark, ""]
    for metric in METRICS:
        heads = ["method", *(HEADS[source] for source in table.sources)]
        heads += rank_heads(summary)
        lines += [f"## {TITLES[metric]}", ""]
        places = {source: table.places(metric, source) for source in table.sources}
        rows = []
        for row in table.rows:
            cells = [
                shown(table, table.score(row, metric, s), places[s].get(row), _as_markdown)
                for s in table.sources
            ]
            if summary:
                cells += [mean_rank(summary, row, metric, s) for s in table.sources]
            rows.append([row, *cells])
        lines += [markdown_table(heads, rows), ""]
    lines += [f"- {note}" for note in footnotes(table)]
    return "\n".join(lines).rstrip() + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _as_markdown(text: str, place: int | None) -> str:
    return {1: f"**{text}**", 2: f"*{text}*"}.get(place or 0, text)
