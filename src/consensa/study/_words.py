"""Texts and marks that all formats of a table share."""

from __future__ import annotations

from collections.abc import Callable

from consensa.study._summary import Summary
from consensa.study._tables import DIGITS, MISSING, Score, Table
from consensa.study.draws import METRICS

__all__ = [
    "HEADS",
    "SHORT",
    "TITLES",
    "footnotes",
    "kind",
    "lacking",
    "legend",
    "mean_rank",
    "over",
    "rank_heads",
    "shown",
]

TITLES = {
    "acc": "ACC", "nmi": "NMI, over the larger entropy", "purity": "Purity", "ari": "ARI",
    "f1": "F1-score", "precision": "Precision", "recall": "Recall",
    "nmi_arithmetic": "NMI, over the mean entropy",
}  # fmt: skip
SHORT = TITLES | {"nmi": "NMI", "nmi_arithmetic": "NMI (mean entropy)"}
HEADS = {"paper": "paper", "stored": "ours, as stored", "shuffled": "ours, shuffled"}
_LEGEND = (
    "Means over {over} ± standard deviation. In each column the best value is bold, the second "
    "best {second}; an incomplete mean is not marked. NMI next to the paper's is divided by "
    "the larger entropy, as in the authors' program."
)


def legend(over: str, second: str) -> str:
    """Legend of a table; `second` is how the second best value is marked."""
    return _LEGEND.format(over=over, second=second)


def over(summary: Summary | None) -> str:
    """The items over which the means of a table are computed."""
    return "the sets" if summary else "the draws"


def rank_heads(summary: Summary | None) -> list[str]:
    """Headings of the columns that only a summary has."""
    return [f"rank: {HEADS[source]}" for source in summary.table.sources] if summary else []


def mean_rank(summary: Summary, row: str, metric: str, source: str) -> str:
    """A formatted mean rank; empty if a row is not ranked."""
    rank = summary.mean_ranks.get((row, metric, source))
    return "" if rank is None else f"{rank:.2f}"


def shown(
    table: Table, score: Score, place: int | None, marked: Callable[[str, int | None], str]
) -> str:
    """A formatted score: marked, with standard deviation and, if incomplete, number of draws."""
    if score.mean is None:
        return kind(score.note)
    text = marked(f"{score.mean:.{DIGITS}f}", place)
    if score.std is not None:
        text += f" ± {score.std:.{DIGITS}f}"
    lack = lacking(table, score)
    return f"{text} ({lack})" if lack else text


def lacking(table: Table, score: Score) -> str:
    """The number of draws or sets of a mean; empty if it is complete."""
    if table.name != "summary" and 0 < score.draws < table.draws:
        return f"{score.draws} of {table.draws} draws"
    return score.note


def kind(note: str) -> str:
    """The first word or two of a note; the footnotes have the rest."""
    state = note.partition(":")[0]
    return "not run: too large" if state == "too large" else state


def footnotes(table: Table) -> list[str]:
    """Each reason once, with its rows."""
    stopped: dict[str, list[str]] = {}
    for row in table.rows:
        for source in table.sources:
            note = table.score(row, METRICS[0], source).note
            if note not in ("", MISSING) and table.name != "summary":
                rows = stopped.setdefault(note, [])
                rows += [row] if row not in rows else []
    return [f"{', '.join(rows)}: {note}" for note, rows in stopped.items()]
