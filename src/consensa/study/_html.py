"""Tables → HTML pages, without times, dates, paths or host names."""

from __future__ import annotations

import html
from collections.abc import Iterable

from consensa.study._summary import Summary
from consensa.study._tables import Table
from consensa.study._words import (
    HEADS,
    SHORT,
    footnotes,
    legend,
    mean_rank,
    over,
    rank_heads,
    shown,
)
from consensa.study.draws import METRICS

__all__ = ["to_html"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 76rem;
       padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: .2rem .55rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: #fff; }
thead th { border-bottom: 1px solid #999; } th[colspan] { text-align: center; }
th.first, td.first { border-left: 1px solid #ccc; }
tbody tr:hover td { background: #f2f6fa; }
b { color: #00527a; } i { text-decoration: underline; font-style: normal; }
small { color: #666; } .note { color: #8a4b00; }
""".strip()


def to_html(table: Table, summary: Summary | None = None, remarks: Iterable[str] = ()) -> str:
    """The table as an HTML page."""
    under = f"<p><small>{legend(over(summary), 'underlined')}</small></p>"
    return _page(table.title, _section(table, summary, remarks) + under)


def _section(table: Table, summary: Summary | None = None, remarks: Iterable[str] = ()) -> str:
    """The table as a section of a page, with the sources next to each other for each metric."""
    width = len(table.sources) * (2 if summary else 1)
    head = "".join(f'<th class="first" colspan="{width}">{SHORT[m]}</th>' for m in METRICS)
    subheads = [*(HEADS[source] for source in table.sources), *rank_heads(summary)]
    under = "".join(
        f'<th class="first">{text}</th>' if i == 0 else f"<th>{text}</th>"
        for _ in METRICS
        for i, text in enumerate(subheads)
    )
    body = "\n".join(_row(table, summary, row) for row in table.rows)
    said = [f"<p>{html.escape(remark)}</p>" for remark in remarks]
    notes = [f'<p class="note">{html.escape(note)}</p>' for note in footnotes(table)]
    return "\n".join(
        [
            f'<section id="{html.escape(table.name)}"><h2>{html.escape(table.title)}</h2>',
            *said,
            f'<div class="wide"><table><thead><tr><th></th>{head}</tr>',
            f"<tr><th>method</th>{under}</tr></thead><tbody>",
            body,
            "</tbody></table></div>",
            *notes,
            "</section>",
        ]
    )


def _row(table: Table, summary: Summary | None, row: str) -> str:
    cells = []
    for metric in METRICS:
        values = [
            shown(table, table.score(row, metric, s), table.places(metric, s).get(row), _as_html)
            for s in table.sources
        ]
        if summary:
            values += [mean_rank(summary, row, metric, s) for s in table.sources]
        cells += [
            f'<td class="first">{text}</td>' if i == 0 else f"<td>{text}</td>"
            for i, text in enumerate(values)
        ]
    return f"<tr><td>{html.escape(row)}</td>{''.join(cells)}</tr>"


def _page(title: str, body: str) -> str:
    """A self-contained page without scripts."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}\n</style></head><body>\n"
        f"{body}\n</body></html>\n"
    )


def _as_html(text: str, place: int | None) -> str:
    return {1: f"<b>{text}</b>", 2: f"<i>{text}</i>"}.get(place or 0, text)
