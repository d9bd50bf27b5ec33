"""Cells → tables: the paper's values, ours as stored and ours shuffled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from consensa.datasets import Dataset
from consensa.study.cells import Record
from consensa.study.draws import METRICS
from consensa.study.material import Material
from consensa.study.methods import METHODS
from consensa.study.paper import paper_values
from consensa.study.protocol import Protocol

__all__ = ["DIGITS", "MISSING", "SOURCES", "Score", "Table", "collect", "mean_score"]

SOURCES = ("paper", "stored", "shuffled")  # the columns; the last two are the orders
DIGITS = 3  # as the paper prints
MISSING = "missing"


class Score(NamedTuple):
    """Mean and standard deviation over draws, or the reason why there is none.

    ``missing`` means that cells are not computed yet; a cell that failed is not missing.
    """

    mean: float | None
    std: float | None = None
    draws: int = 0
    note: str = ""
    missing: bool = False


@dataclass(frozen=True)
class Table:
    """Scores of every row of a set, by metric and source.

    Attributes
    ----------
    name : str
        The set, or ``"summary"``.
    title : str
        Title in words.
    rows : tuple of str
        Names of the rows, those of the paper first.
    sources : tuple of str
        Columns: the paper if it has the set, and the orders of the protocol.
    draws : int
        Number of draws of the protocol.
    scores : dict
        `Score` by (row, metric, source).
    """

    name: str
    title: str
    rows: tuple[str, ...]
    sources: tuple[str, ...]
    draws: int
    scores: Mapping[tuple[str, str, str], Score]

    def score(self, row: str, metric: str, source: str) -> Score:
        """One score; an empty one if there is none."""
        return self.scores.get((row, metric, source), Score(None))

    def places(self, metric: str, source: str) -> dict[str, int]:
        """1 for the best rows of a column, 2 for the second best, as printed.

        Nothing is marked while cells of the column are missing; rows whose mean is incomplete are
        ignored.
        """
        scores = {row: self.score(row, metric, source) for row in self.rows}
        if any(score.missing for score in scores.values()):
            return {}
        shown = {
            row: round(score.mean, DIGITS)
            for row, score in scores.items()
            if score.mean is not None and not score.note
        }
        best_two = sorted(set(shown.values()), reverse=True)[:2]
        return {
            row: best_two.index(value) + 1 for row, value in shown.items() if value in best_two
        }


def collect(protocol: Protocol, material: Material) -> list[Table]:
    """One table per set, from the stored cells of the protocol."""
    return [_table(protocol, material, material.datasets[name]) for name in protocol.sets]


def _table(protocol: Protocol, material: Material, dataset: Dataset) -> Table:
    rows = tuple(row for method in protocol.methods for row in METHODS[method].rows)
    scores: dict[tuple[str, str, str], Score] = {}
    for method in protocol.methods:
        for order in protocol.orders:
            cells = [
                protocol.cell(dataset, order, number, method) for number in range(protocol.draws)
            ]
            found = material.found(cells)
            for row in METHODS[method].rows:
                for metric in METRICS:
                    scores[row, metric, order] = _over_draws(found, len(cells), row, metric)
    for place, value in paper_values().items():
        if place.dataset == dataset.name and place.row in rows:
            scores[place.row, place.metric, "paper"] = Score(value)
    in_paper = any(place.dataset == dataset.name for place in paper_values())
    sources = (*(("paper",) if in_paper else ()), *protocol.orders)
    pool = 0 if dataset.members is None else dataset.members.shape[1]
    title = (
        f"{dataset.name}: {dataset.n_samples} samples, {dataset.n_classes} classes, "
        f"{protocol.draws} draws of {protocol.members} partitions from {pool}"
    )
    return Table(dataset.name, title, rows, sources, protocol.draws, scores)


def _over_draws(found: Sequence[Record], wanted: int, row: str, metric: str) -> Score:
    """Mean and standard deviation over the draws that are done, and the reasons of the others."""
    values = [
        float(record.payload["rows"][row][metric]) for record in found if record.state == "done"
    ]
    reasons = sorted({f"{r.state}: {r.reason}" for r in found if r.state != "done"})
    missing = len(found) < wanted
    return mean_score(values, "; ".join([*reasons, *([MISSING] if missing else [])]), missing)


def mean_score(values: Sequence[float], note: str, missing: bool) -> Score:
    """Mean and standard deviation of the values, if there are any."""
    if not values:
        return Score(None, note=note, missing=missing)
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Score(float(np.mean(values)), deviation, len(values), note, missing)
