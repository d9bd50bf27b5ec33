"""Tables of the sets → the summary: means over the sets, ranks, critical differences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from consensa.study._ranks import Comparison, compare_ranks, ranks
from consensa.study._tables import MISSING, SOURCES, Score, Table, mean_score
from consensa.study.draws import METRICS

__all__ = ["Summary", "summarize"]


@dataclass(frozen=True)
class Summary:
    """Means and mean ranks over the sets.

    Attributes
    ----------
    n_sets : int
        Number of sets.
    table : Table
        Means and standard deviations over the sets; `draws` is their number.
    mean_ranks : dict
        Mean rank by (row, metric, source), for the rows that every set has.
    comparisons : dict
        `Comparison` of NMI and the names of its methods, by source.
    """

    n_sets: int
    table: Table
    mean_ranks: Mapping[tuple[str, str, str], float]
    comparisons: Mapping[str, tuple[tuple[str, ...], Comparison]]


def summarize(tables: Sequence[Table]) -> Summary:
    """Means over the sets and, if no cell is missing, ranks of the rows that all sets have."""
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
                scores[row, metric, source] = mean_score(values, lack, missing)
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
    """The number of sets of a mean, if it is not over all sets."""
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
