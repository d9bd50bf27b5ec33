"""Lines of data: the scores of cells, and lines as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from consensa.study.cells import Record
from consensa.study.draws import METRICS
from consensa.study.methods import METHODS

__all__ = ["Line", "csv_text", "score_lines"]

Line = Mapping[str, object]


def score_lines(records: Iterable[Record], **more: object) -> list[Line]:
    """One line for each row of each record, with or without scores."""
    lines: list[Line] = []
    for record in records:
        cell = record.cell
        where = {"dataset": cell.dataset, "order": cell.order, "draw": cell.draw, **more}
        for row in METHODS[cell.method].rows:
            found = record.payload.get("rows", {}).get(row, {})
            scores = {name: f"{found[name]:.6f}" if found else "" for name in METRICS}
            lines.append({**where, "row": row, "state": record.state, **scores})
    return lines


def csv_text(lines: Sequence[Line], heads: Sequence[str] | None = None) -> str:
    """The lines as CSV, with all their keys or these as columns."""
    if heads is None:
        heads = list(dict.fromkeys(key for line in lines for key in line))
    text = io.StringIO()
    writer = csv.DictWriter(text, heads, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()
