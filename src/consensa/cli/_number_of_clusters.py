"""``-k``: the number of clusters, or candidates to select from."""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.table import Table

from consensa._defaults import DEFAULT_N_PARTITIONS
from consensa.cli._options import Candidates
from consensa.cli._screen import messages, plain_table, showing
from consensa.consensus.base import BaseConsensus
from consensa.exceptions import InvalidInputError
from consensa.selection import SelectionResult, select_n_clusters

__all__ = ["Settled", "check_clusters", "number_to_fit", "settle_clusters", "tell_number"]

_LEAST_SAMPLES = 3
_SHOWN = ("evidence", "stability", "agreement", "silhouette", "eigengap", "tree_separation")
_SHOWN_OF_PARTITIONS = ("evidence", "stability", "agreement", "eigengap", "pac")


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


def number_to_fit(asked: Candidates, n_samples: int) -> Any:
    """The ``n_clusters`` of an estimator: a number, several to choose from, or "auto"."""
    if asked.high is not None:
        check_clusters(asked.high, n_samples)
    if asked.settled:
        return asked.low
    if n_samples < _LEAST_SAMPLES:
        message = f"-k auto needs at least {_LEAST_SAMPLES} samples. Got {n_samples}."
        raise InvalidInputError(message)
    return "auto" if asked.high is None else _range(asked, n_samples)


def _range(asked: Candidates, n_samples: int) -> range:
    return range(asked.low, min(asked.high or n_samples, n_samples - 1) + 1)


def tell_number(model: Any, *, seed: int) -> Settled:
    """Print how a fitted estimator chose its number of clusters, if it did."""
    found = getattr(model, "selection_", None)
    if found is None:
        return Settled(model.n_clusters_)
    return _told(found, model.n_clusters, model.generator, seed)


def settle_clusters(
    asked: Candidates, data: Any, n_samples: int, *, model: Any, seed: int
) -> Settled:
    """The given number of clusters, or the recommended one, with its evidence printed."""
    numbers = number_to_fit(asked, n_samples)
    if asked.settled:
        return Settled(asked.low)
    console = messages()
    with showing(console, "Number of clusters"):
        method = model if isinstance(model, BaseConsensus) else None  # None on a Dask cluster
        found = select_n_clusters(
            data, numbers, generator=model.generator, method=method, random_state=seed
        )
    return _told(found, numbers, model.generator, seed)


def _told(found: SelectionResult, numbers: Any, generator: Any, seed: int) -> Settled:
    console = messages()
    console.print(_table(found))
    console.print(found.finding, soft_wrap=True)
    arguments = f"{numbers!r}, {_written(generator)}random_state={seed}"
    return Settled(found.n_clusters, found, arguments)


def _written(generator: Any) -> str:
    """The argument for a generator other than the default, as Python code."""
    if isinstance(generator, str):
        return f'generator="{generator}", '
    given = [] if generator.n_partitions == DEFAULT_N_PARTITIONS else [str(generator.n_partitions)]
    given += (
        [] if generator.metric == type(generator)().metric else [f"metric={generator.metric!r}"]
    )
    return f"generator=consensa.{type(generator).__name__}({', '.join(given)}), " if given else ""


def _table(found: SelectionResult) -> Table:
    """Print the scores, with the recommended number in bold."""
    table = plain_table("Number of clusters")
    from_features = "tree_separation" in (found.scores.dtype.names or ())
    shown = _SHOWN if from_features else _SHOWN_OF_PARTITIONS
    for name in ("clusters", *shown):
        table.add_column(name.replace("_", " "), justify="right")
    for row in found.scores:
        cells = [str(row["n_clusters"]), *(f"{row[name]:.3f}" for name in shown)]
        best = int(row["n_clusters"]) == found.n_clusters
        table.add_row(*cells, style="bold" if best else None)
    return table
