"""``-k``: the number of clusters, or candidates to select from."""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.table import Table

from consensa._defaults import DEFAULT_N_PARTITIONS
from consensa.cli._options import Candidates
from consensa.cli._screen import messages, plain_table, showing
from consensa.exceptions import InvalidInputError
from consensa.selection import SelectionResult, select_n_clusters

__all__ = ["Settled", "check_clusters", "settle_clusters"]

_MOST = 20  # largest candidate of -k auto


def check_clusters(clusters: int, n_samples: int) -> None:
    """Raise an error for more clusters than samples, before base partitions are generated."""
    if clusters > n_samples:
        message = f"-k must be at most the number of samples, {n_samples}. Got {clusters}."
        raise InvalidInputError(message)


class Settled(NamedTuple):
    """The number of clusters; if it was selected, also the evidence and the arguments."""

    n_clusters: int
    evidence: SelectionResult | None = None
    arguments: str | None = None


def settle_clusters(
    asked: Candidates, data: Any, n_samples: int, *, generator: Any, seed: int
) -> Settled:
    """The given number of clusters, or the recommended one, with its evidence printed.

    The evidence is that of the default method, even if another one combines the partitions: it
    is fast, and its tree is cut for all candidates.
    """
    if asked.high is not None:
        check_clusters(asked.high, n_samples)
    if asked.settled:
        return Settled(asked.low)
    high = asked.high or min(_MOST, n_samples - 1)
    if high < 2:
        message = f"-k auto needs at least 3 samples. Got {n_samples}."
        raise InvalidInputError(message)
    console = messages()
    with showing(console, "Number of clusters"):
        found = select_n_clusters(
            data, range(asked.low, high + 1), generator=generator, random_state=seed
        )
    console.print(_table(found))
    console.print(found.finding, soft_wrap=True)
    arguments = f"range({asked.low}, {high + 1}), {_written(generator)}random_state={seed}"
    return Settled(found.n_clusters, found, arguments)


def _written(generator: Any) -> str:
    """The argument for a generator other than the default, as Python code."""
    if isinstance(generator, str):
        return f'generator="{generator}", '
    given = [] if generator.n_partitions == DEFAULT_N_PARTITIONS else [str(generator.n_partitions)]
    given += [] if generator.metric == "euclidean" else [f"metric={generator.metric!r}"]
    return f"generator=consensa.{type(generator).__name__}({', '.join(given)}), " if given else ""


def _table(found: SelectionResult) -> Table:
    """Print the scores, with the recommended number in bold."""
    table = plain_table("Number of clusters")
    shown = ("evidence", "stability", "agreement", "eigengap", "pac")
    for name in ("clusters", *shown):
        table.add_column(name, justify="right")
    for row in found.scores:
        cells = [str(row["n_clusters"]), *(f"{row[name]:.3f}" for name in shown)]
        best = int(row["n_clusters"]) == found.n_clusters
        table.add_row(*cells, style="bold" if best else None)
    return table
