"""The audit of the field: every method in both orders of the rows; how sorted the files are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from consensa import consensus
from consensa._machine.atomic import writing
from consensa.datasets import Dataset
from consensa.metrics import class_runs
from consensa.metrics.spectrum import is_slight
from consensa.study._field_audit_page import AUDIT, AUDITED, RUNS, audit_page
from consensa.study._lines import Line, csv_text
from consensa.study._tables import Score, mean_score
from consensa.study.cells import Cell, Record
from consensa.study.material import Material
from consensa.study.methods import METHODS
from consensa.study.paper import Printed, paper_values
from consensa.study.protocol import ORDERS, Protocol

__all__ = ["FieldAudit", "write_field_audit"]

# Draws in the shuffled order of an order-free method, and in both orders of another on more than
# `_LARGE` samples.
_FEW = 3
_LARGE = 3000
_DIGITS = 6  # of a score


@dataclass(frozen=True)
class FieldAudit:
    """What is audited: sets, methods and draws of a protocol, in both orders."""

    protocol: Protocol

    def cells(self, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """The cells to compute; an order-free method needs few draws in the second order."""
        return [
            cell
            for cell in self.protocol.cells(datasets)
            if cell.draw < _draws(cell, datasets[cell.dataset], self.protocol.draws)
        ]


def _draws(cell: Cell, dataset: Dataset, draws: int) -> int:
    """Number of draws on which a method is run in the order of a cell."""
    free = getattr(consensus, cell.method).info.order_free
    few = cell.order == "shuffled" if free else dataset.n_samples > _LARGE
    return min(_FEW, draws) if few else draws


def write_field_audit(
    audit: FieldAudit, material: Material, out: str | os.PathLike[str]
) -> list[Path]:
    """Write the scores and the runs as CSV, and the page that is made from them."""
    folder = Path(out)
    texts = {
        AUDIT: csv_text([line for each in _audited(audit, material) for line in each]),
        RUNS: csv_text([_runs(material.datasets[name]) for name in audit.protocol.sets]),
    }
    written = [folder / name for name in (*texts, "audit.md")]
    for name, text in texts.items():
        with writing(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    with writing(written[-1]) as temporary:
        temporary.write_text(audit_page(folder), encoding="utf-8")
    return written


def _runs(dataset: Dataset) -> Line:
    found = class_runs(dataset.y)
    return {
        "dataset": dataset.name, "samples": dataset.n_samples, "classes": found.n_classes,
        "runs": found.n_runs, "expected": f"{found.expected:.1f}", "std": f"{found.std:.1f}",
        "sortedness": f"{found.sortedness:.4f}",
    }  # fmt: skip


def _audited(audit: FieldAudit, material: Material) -> Iterator[list[Line]]:
    """Lines of each set and row of the tables: one for each score."""
    protocol = audit.protocol
    for name in protocol.sets:
        dataset = material.datasets[name]
        for method in protocol.methods:
            found = {
                order: material.found(
                    [protocol.cell(dataset, order, draw, method) for draw in range(protocol.draws)]
                )
                for order in ORDERS
            }
            for row in METHODS[method].rows:
                yield _lines(name, method, row, found)


def _lines(
    dataset: str, method: str, row: str, found: Mapping[str, Sequence[Record]]
) -> list[Line]:
    scores = {
        order: {
            record.cell.draw: record.payload["rows"][row]
            for record in records
            if record.state == "done"
        }
        for order, records in found.items()
    }
    both = sorted(scores["stored"].keys() & scores["shuffled"].keys())
    changes = {
        metric: [scores["shuffled"][d][metric] - scores["stored"][d][metric] for d in both]
        for metric in AUDITED
    }
    verdict = _verdict([changes[metric] for metric in AUDITED]) if both else _reason(found)
    lines: list[Line] = []
    for metric in AUDITED:
        means = {
            order: mean_score([each[metric] for each in by_draw.values()], "", False)
            for order, by_draw in scores.items()
        }
        printed = paper_values().get(Printed(dataset, metric, row))
        lines.append(
            {
                "dataset": dataset,
                "method": method,
                "row": row,
                "metric": metric,
                "paper": "" if printed is None else f"{printed:g}",
                **{k: v for order in ORDERS for k, v in _columns(order, means[order]).items()},
                "draws_in_both": len(both),
                "change": _number(np.mean(changes[metric]) if both else None),
                "largest_change": _number(np.abs(changes[metric]).max() if both else None),
                "verdict": verdict,
            }
        )
    return lines


def _columns(order: str, score: Score) -> dict[str, object]:
    return {
        order: _number(score.mean),
        f"{order}_std": _number(score.std),
        f"{order}_draws": score.draws,
    }


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.{_DIGITS}f}"


def _verdict(changes: Sequence[Sequence[float]]) -> str:
    """The effect of the order on the scores, in one word."""
    if np.abs(changes).max() < 10.0**-_DIGITS / 2:
        return "none"
    return "slight" if is_slight(np.abs(np.mean(changes, axis=1)).max()) else "strong"


def _reason(found: Mapping[str, Sequence[Record]]) -> str:
    """Why there is no verdict."""
    states = {record.state for records in found.values() for record in records}
    return "too large" if "too large" in states else "not run"
