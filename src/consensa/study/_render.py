"""Tables → CSV, Markdown and HTML. No time, date, path or host is written."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Iterable

from consensa.study._protocol import METRICS
from consensa.study._tables import DIGITS, MISSING, Score, Summary, Table

__all__ = [
    "HEADS",
    "PAGE_STYLE",
    "SHORT",
    "footnotes",
    "html_fragment",
    "html_page",
    "kind",
    "lacking",
    "legend",
    "mean_rank",
    "rank_heads",
    "to_csv",
    "to_html",
    "to_markdown",
]

_TITLES = {
    "acc": "ACC", "nmi": "NMI, over the larger entropy", "purity": "Purity", "ari": "ARI",
    "f1": "F1-score", "precision": "Precision", "recall": "Recall",
    "nmi_arithmetic": "NMI, over the mean entropy",
}  # fmt: skip
SHORT = _TITLES | {"nmi": "NMI", "nmi_arithmetic": "NMI (mean entropy)"}
HEADS = {"paper": "paper", "stored": "ours, as stored", "shuffled": "ours, shuffled"}
_LEGEND = (
    "Means over {over} ± standard deviation. In each column the best value is bold, the second "
    "best {second}; a mean that lacks some is not marked. NMI beside the paper's is divided by "
    "the larger entropy, as the authors' program does."
)
PAGE_STYLE = """
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


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def to_csv(table: Table, summary: Summary | None = None) -> str:
    """Long form: a line for each row and metric."""
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
    """A heading and, for each metric, the sources side by side."""
    lines = [f"# {table.title}", "", legend(_over(summary), "in italics"), ""]
    for remark in remarks:
        lines += [remark, ""]
    for metric in METRICS:
        heads = ["method", *(HEADS[source] for source in table.sources)]
        heads += rank_heads(summary)
        lines += [f"## {_TITLES[metric]}", "", _line(heads), "|---" * len(heads) + "|"]
        places = {source: table.places(metric, source) for source in table.sources}
        for row in table.rows:
            cells = [
                _shown(table, table.score(row, metric, s), places[s].get(row), _as_markdown)
                for s in table.sources
            ]
            if summary:
                cells += [mean_rank(summary, row, metric, s) for s in table.sources]
            lines.append(_line([row, *cells]))
        lines.append("")
    lines += footnotes(table)
    return "\n".join(lines).rstrip() + "\n"


def legend(over: str, second: str) -> str:
    """What has to be known to read a table; `second` says how the second best is marked."""
    return _LEGEND.format(over=over, second=second)


def _over(summary: Summary | None) -> str:
    return "the sets" if summary else "the draws"


def rank_heads(summary: Summary | None) -> list[str]:
    """Heads of the columns that only a summary has."""
    return [f"rank: {HEADS[source]}" for source in summary.table.sources] if summary else []


def mean_rank(summary: Summary, row: str, metric: str, source: str) -> str:
    """A mean rank as people read it; nothing where a row is not ranked."""
    rank = summary.mean_ranks.get((row, metric, source))
    return "" if rank is None else f"{rank:.2f}"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _as_markdown(text: str, place: int | None) -> str:
    return {1: f"**{text}**", 2: f"*{text}*"}.get(place or 0, text)


def _as_html(text: str, place: int | None) -> str:
    return {1: f"<b>{text}</b>", 2: f"<i>{text}</i>"}.get(place or 0, text)


def _shown(
    table: Table, score: Score, place: int | None, marked: Callable[[str, int | None], str]
) -> str:
    """A score as people read it: marked, with its deviation and what is lacking."""
    if score.mean is None:
        return kind(score.note)
    text = marked(f"{score.mean:.{DIGITS}f}", place)
    if score.std is not None:
        text += f" ± {score.std:.{DIGITS}f}"
    lack = lacking(table, score)
    return f"{text} ({lack})" if lack else text


def lacking(table: Table, score: Score) -> str:
    """Over how few draws or sets a mean is; nothing where it is over all."""
    if table.name != "summary" and 0 < score.draws < table.draws:
        return f"{score.draws} of {table.draws} draws"
    return score.note


def kind(note: str) -> str:
    """The first word or two of a note; the footnotes have the rest."""
    state = note.partition(":")[0]
    return "not run: too large" if state == "too large" else state


def footnotes(table: Table) -> list[str]:
    """Each reason once, with the rows that it stopped."""
    stopped: dict[str, list[str]] = {}
    for row in table.rows:
        for source in table.sources:
            note = table.score(row, METRICS[0], source).note
            if note not in ("", MISSING) and table.name != "summary":
                rows = stopped.setdefault(note, [])
                rows += [row] if row not in rows else []
    return [f"- {', '.join(rows)}: {note}" for note, rows in stopped.items()]


def html_fragment(
    table: Table, summary: Summary | None = None, remarks: Iterable[str] = ()
) -> str:
    """The table as a section of a page: metrics across, sources side by side."""
    width = len(table.sources) * (2 if summary else 1)
    head = "".join(f'<th class="first" colspan="{width}">{SHORT[m]}</th>' for m in METRICS)
    subheads = [*(HEADS[source] for source in table.sources), *rank_heads(summary)]
    under = "".join(
        f'<th class="first">{text}</th>' if i == 0 else f"<th>{text}</th>"
        for _ in METRICS
        for i, text in enumerate(subheads)
    )
    body = "\n".join(_html_row(table, summary, row) for row in table.rows)
    said = [f"<p>{html.escape(remark)}</p>" for remark in remarks]
    notes = [f'<p class="note">{html.escape(note[2:])}</p>' for note in footnotes(table)]
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


def _html_row(table: Table, summary: Summary | None, row: str) -> str:
    cells = []
    for metric in METRICS:
        values = [
            _shown(table, table.score(row, metric, s), table.places(metric, s).get(row), _as_html)
            for s in table.sources
        ]
        if summary:
            values += [mean_rank(summary, row, metric, s) for s in table.sources]
        cells += [
            f'<td class="first">{text}</td>' if i == 0 else f"<td>{text}</td>"
            for i, text in enumerate(values)
        ]
    return f"<tr><td>{html.escape(row)}</td>{''.join(cells)}</tr>"


def html_page(title: str, body: str) -> str:
    """A page of its own: no script, nothing fetched."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title>\n<style>\n{PAGE_STYLE}\n</style></head><body>\n"
        f"{body}\n</body></html>\n"
    )


def to_html(table: Table, summary: Summary | None = None, remarks: Iterable[str] = ()) -> str:
    """The table as a page."""
    under = f"<p><small>{legend(_over(summary), 'underlined')}</small></p>"
    return html_page(table.title, html_fragment(table, summary, remarks) + under)
