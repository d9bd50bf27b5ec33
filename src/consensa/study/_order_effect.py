"""Effect of the order of the rows on LTA, in sentences and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from consensa.study._tables import DIGITS, Table
from consensa.study._views import CellView, RowView, TableView

__all__ = ["findings", "order_table"]

_LTA_ROWS = ("Ours-EA", "Ours-SC")
_WHY = (
    "LTA, the paper's method (rows Ours-EA and Ours-SC), takes a Fourier transform along the "
    "samples, so it treats neighboring rows as similar. The published files are sorted by class, "
    "or nearly so. Shuffling the rows does not change the samples: an order-free method keeps "
    "its score."
)


class _Effect(NamedTuple):
    """NMI of one set: LTA in both orders, and the best of the order-free methods."""

    table: Table
    stored: float
    shuffled: float
    other: str
    other_shuffled: float


def _effects(tables: Sequence[Table]) -> list[_Effect]:
    effects = []
    for table in tables:
        stored = table.score("Ours-SC", "nmi", "stored").mean
        shuffled = table.score("Ours-SC", "nmi", "shuffled").mean
        others = {
            row: mean
            for row in table.rows
            if row not in _LTA_ROWS
            and (mean := table.score(row, "nmi", "shuffled").mean) is not None
        }
        if stored is None or shuffled is None or not others:
            continue
        best = max(others, key=lambda row: others[row])
        effects.append(_Effect(table, stored, shuffled, best, others[best]))
    return effects


def findings(tables: Sequence[Table]) -> list[str]:
    """Why the order may matter, and its effect in numbers."""
    effects = _effects(tables)
    if not effects:
        nothing = (
            "The effect needs LTA and another method in both orders, which are not in the tables."
        )
        return [_WHY, nothing]
    n = len(effects)

    def mean(values: Iterable[float]) -> float:
        return sum(values) / n

    lost = sum(effect.shuffled < effect.other_shuffled for effect in effects)
    sets = "set" if n == 1 else "sets"
    return [
        _WHY,
        f"On {n} {sets}, the mean NMI of Ours-SC is {mean(e.stored for e in effects):.3f} with "
        f"the rows as stored and {mean(e.shuffled for e in effects):.3f} with the same rows "
        f"shuffled. On shuffled rows the best of the other methods is ahead of it on {lost} of "
        f"{n} {sets} (mean NMI of the best on each set, selected with the truth: "
        f"{mean(e.other_shuffled for e in effects):.3f}).",
    ]


def order_table(tables: Sequence[Table]) -> TableView | None:
    """LTA in both orders and the best other method; None if that is not known."""
    effects = _effects(tables)
    if not effects:
        return None
    printed = [effect.table.score("Ours-SC", "nmi", "paper").mean for effect in effects]
    in_paper = any(value is not None for value in printed)
    heads = [*(["paper"] if in_paper else []), "as stored", "shuffled", "best other, shuffled"]
    rows = []
    for effect, paper in zip(effects, printed, strict=True):
        numbers = [*([paper] if in_paper else []), effect.stored, effect.shuffled]
        texts = ["" if value is None else f"{value:.{DIGITS}f}" for value in numbers]
        cells = [CellView(text, first=place == 0) for place, text in enumerate(texts)]
        cells.append(CellView(f"{effect.other_shuffled:.{DIGITS}f}", f"({effect.other})"))
        rows.append(RowView(effect.table.name, cells))
    caption = "NMI of Ours-SC in both orders of the rows"
    return TableView(caption, "set", ["Ours-SC"], heads, rows)
