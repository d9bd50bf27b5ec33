"""Cells → tables: the paper's value, ours as stored and ours shuffled, side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from consensa.datasets import Dataset
from consensa.study._methods import METHODS
from consensa.study._paper import paper_values
from consensa.study._protocol import METRICS, Protocol
from consensa.study._ranks import Comparison, compare_ranks, ranks
from consensa.study._store import Record

__all__ = ["DIGITS", "MISSING", "SOURCES", "Score", "Summary", "Table", "collect", "summarize"]

SOURCES = ("paper", "stored", "shuffled")  # the columns; the last two are the orders
DIGITS = 3  # as the paper prints
MISSING = "missing"


class Score(NamedTuple):
    """Mean and standard deviation over draws, or why there is none.

    ``missing`` says that cells are still to be computed; a cell that failed is not missing.
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
        In words.
    rows : tuple of str
        Names of the rows, those of the paper first.
    sources : tuple of str
        Columns: the paper if it has the set, and the orders that were asked for.
    draws : int
        Number of draws that were asked for.
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
        """One score; an empty one where the paper has none."""
        return self.scores.get((row, metric, source), Score(None))

    def places(self, metric: str, source: str) -> dict[str, int]:
        """1 for the best rows of a column, 2 for the second best, as printed.

        Nothing is marked while cells of the column are missing, and rows whose mean is not over
        all draws or sets compete with nobody.
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


@dataclass(frozen=True)
class Summary:
    """Means and mean ranks over the sets.

    Attributes
    ----------
    n_sets : int
        Number of sets.
    table : Table
        Means over the sets; the standard deviation is over the sets, `draws` counts them.
    mean_ranks : dict
        Mean rank by (row, metric, source), for the rows that every set has.
    comparisons : dict
        `Comparison` of NMI and the names of its methods, by source.
    """

    n_sets: int
    table: Table
    mean_ranks: Mapping[tuple[str, str, str], float]
    comparisons: Mapping[str, tuple[tuple[str, ...], Comparison]]


def collect(
    records: Mapping[str, Record], protocol: Protocol, datasets: Mapping[str, Dataset]
) -> list[Table]:
    """One table a set, from the cells of the protocol that the store has."""
    return [_table(records, protocol, datasets[name]) for name in protocol.sets]


def _table(records: Mapping[str, Record], protocol: Protocol, dataset: Dataset) -> Table:
    rows = tuple(row for method in protocol.methods for row in METHODS[method].rows)
    scores: dict[tuple[str, str, str], Score] = {}
    for method in protocol.methods:
        for order in protocol.orders:
            cells = [
                protocol.cell(dataset, order, number, method) for number in range(protocol.draws)
            ]
            found = [records[cell.key] for cell in cells if cell.key in records]
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
    """Mean and deviation over the draws that are done; else the reason of the others."""
    values = [
        float(record.payload["rows"][row][metric]) for record in found if record.state == "done"
    ]
    reasons = sorted({f"{r.state}: {r.reason}" for r in found if r.state != "done"})
    missing = len(found) < wanted
    return _mean(values, "; ".join([*reasons, *([MISSING] if missing else [])]), missing)


def _mean(values: Sequence[float], note: str, missing: bool) -> Score:
    if not values:
        return Score(None, note=note, missing=missing)
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Score(float(np.mean(values)), deviation, len(values), note, missing)


def summarize(tables: Sequence[Table]) -> Summary:
    """Means over the sets and, once no cell is missing, ranks of the rows that all sets have."""
    rows = tuple(dict.fromkeys(row for table in tables for row in table.rows))
    sources = tuple(s for s in SOURCES if all(s in table.sources for table in tables))
    scores: dict[tuple[str, str, str], Score] = {}
    mean_ranks: dict[tuple[str, str, str], float] = {}
    comparisons: dict[str, tuple[tuple[str, ...], Comparison]] = {}
    for metric in METRICS:
        for source in sources:
            found = _over_sets(tables, rows, metric, source)
            for row in rows:
                values = found.get(row, ())
                missing = any(table.score(row, metric, source).missing for table in tables)
                lack = _lack(len(values), len(tables), missing)
                scores[row, metric, source] = _mean(values, lack, missing)
            whole = tuple(row for row, values in found.items() if len(values) == len(tables))
            if not whole or any(scores[row, metric, source].missing for row in rows):
                continue
            matrix = np.array([found[row] for row in whole]).T  # (n_sets, n_rows)
            means = ranks(matrix).mean(axis=0)
            mean_ranks |= {
                (row, metric, source): float(rank) for row, rank in zip(whole, means, strict=True)
            }
            compared = compare_ranks(matrix) if metric == "nmi" else None
            if compared is not None:
                comparisons[source] = (whole, compared)
    title = f"Means and mean ranks over {len(tables)} sets: " + ", ".join(t.name for t in tables)
    draws = max(table.draws for table in tables)
    table = Table("summary", title, rows, sources, draws, scores)
    return Summary(len(tables), table, mean_ranks, comparisons)


def _lack(count: int, wanted: int, missing: bool) -> str:
    """On how many of the sets a mean is, where it is not on all."""
    if count == 0:
        return MISSING if missing else ""
    if count < wanted or missing:
        return f"on {count} of {wanted} sets" + (f", the rest {MISSING}" if missing else "")
    return ""


def _over_sets(
    tables: Iterable[Table], rows: Iterable[str], metric: str, source: str
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for table in tables:
        for row in rows:
            mean = table.score(row, metric, source).mean
            if mean is not None:
                found[row].append(mean)
    return dict(found)
