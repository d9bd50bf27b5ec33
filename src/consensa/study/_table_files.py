"""The tables of the study as files: CSV, Markdown, HTML, figures, and their cells."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from consensa._machine.atomic import writing
from consensa.study._critical_differences import draw_differences
from consensa.study._html import to_html
from consensa.study._lines import csv_text, score_lines
from consensa.study._remarks import remarks_on
from consensa.study._summary import Summary, summarize
from consensa.study._tables import Table, collect
from consensa.study._text import to_csv, to_markdown
from consensa.study.cells import Record
from consensa.study.draws import METRICS
from consensa.study.material import Material, read_material
from consensa.study.options import RunOptions
from consensa.study.protocol import Protocol

__all__ = ["Tables", "tables_of", "write_files", "write_tables"]

_CELL_HEADS = ("dataset", "order", "draw", "method", "row", "state", *METRICS)


class Tables(NamedTuple):
    """The table of each set, their summary, and their records."""

    sets: list[Table]
    summary: Summary
    records: list[Record]


def write_tables(protocol: Protocol, options: RunOptions) -> list[Path]:
    """Write the tables of the stored cells, without computing any.

    One table per set and the summary as ``.md``, ``.csv`` and ``.html``, the scores of every
    cell in ``cells.csv``, their times in ``timings.json``, and, with matplotlib, the
    critical differences between the methods as ``.png`` and ``.svg``.

    Parameters
    ----------
    protocol : Protocol
        Cells of the tables; those that are not stored are shown as missing.
    options : RunOptions
        Folders of the store and of the sets.

    Returns
    -------
    list of Path
        The files that were written.

    See Also
    --------
    fill : Compute the missing cells.

    Notes
    -----
    The tables contain no times, dates, paths or host names: the same seed gives the same bytes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from consensa.study import RunOptions, fill, protocol_of, write_tables
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> labels = np.repeat([[0], [1]], 4, axis=0)
    >>> np.savez(folder / "mine.npz", y=labels.ravel(), members=np.hstack([labels, labels]))
    >>> protocol = protocol_of(sets=["mine"], methods=["eac"], draws=1, members=2)
    >>> options = RunOptions(folder / "out", folder=folder, jobs=0)
    >>> _ = fill(protocol, options)
    >>> [path.name for path in write_tables(protocol, options)][:2]
    ['mine.md', 'mine.csv']
    """
    material = read_material(protocol.sets, options)
    return write_files(tables_of(protocol, material), options.out)


def tables_of(protocol: Protocol, material: Material) -> Tables:
    """The tables of the stored cells."""
    tables = collect(protocol, material)
    return Tables(tables, summarize(tables), material.found(protocol.cells(material.datasets)))


def write_files(tables: Tables, out: str | os.PathLike[str]) -> list[Path]:
    """Write the files of the tables; remove outdated figures."""
    texts: dict[str, str] = {}
    for table in tables.sets:
        remarks = remarks_on(table)
        texts[f"{table.name}.md"] = to_markdown(table, remarks=remarks)
        texts[f"{table.name}.csv"] = to_csv(table)
        texts[f"{table.name}.html"] = to_html(table, remarks=remarks)
    summary = tables.summary
    texts["summary.md"] = to_markdown(summary.table, summary)
    texts["summary.csv"] = to_csv(summary.table, summary)
    texts["summary.html"] = to_html(summary.table, summary)
    lines = [
        line
        for record in tables.records
        for line in score_lines([record], method=record.cell.method)
    ]
    texts["cells.csv"] = csv_text(lines, _CELL_HEADS)
    texts["timings.json"] = _timings(tables.records)
    written = []
    for name, text in texts.items():
        written.append(Path(out) / name)
        with writing(written[-1]) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return written + draw_differences(summary, Path(out))


def _timings(records: Sequence[Record]) -> str:
    """Seconds by set and method, and the machines that computed them."""
    seconds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    machines: Counter[str] = Counter()
    for record in records:
        if record.state == "done":
            seconds[record.cell.dataset][record.cell.method].append(record.seconds)
            machines[json.dumps(record.versions, sort_keys=True)] += 1
    means: dict[str, Any] = {
        name: {
            method: {"cells": len(times), "mean_seconds": round(sum(times) / len(times), 3)}
            for method, times in methods.items()
        }
        for name, methods in seconds.items()
    }
    total = sum(sum(times) for methods in seconds.values() for times in methods.values())
    computed_with = [{"cells": count, **json.loads(text)} for text, count in machines.items()]
    said = {"total_seconds": round(total, 1), "sets": means, "computed_with": computed_with}
    return json.dumps(said, indent=1) + "\n"
