"""``consensa methods``, and how the other commands read a method and its options."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich.text import Text

from consensa._defaults import DEFAULT_METHOD
from consensa._machine.suggest import listed, suggestion
from consensa.cli._screen import answers, plain_table
from consensa.consensus.base import BaseConsensus
from consensa.consensus.catalogue import find_methods
from consensa.consensus.method import MethodInfo
from consensa.exceptions import InvalidParameterError

__all__ = [
    "choose_method",
    "find_methods",
    "markdown_table",
    "methods",
    "read_options",
]

_LEGEND = """order-free: the labels do not depend on the order of the rows.
missing: accepts missing labels.
n × n: number of arrays whose size is the square of the number of samples.
by blocks of rows: labels may stay on disk.
on Dask: --engine dask; on a GPU: --option device=cuda."""
_WARD = "consensa.Bootstrap(clusterer=sklearn.cluster.AgglomerativeClustering(k))"
_CLUSTERERS = {  # what people know by name, and the generator that runs it
    "ward": _WARD,
    "agglomerative": _WARD,
    "hierarchical": _WARD,
    "kmeans": "consensa.RandomKMeans()",
    "spectral": "consensa.GraphCuts()",
    "gmm": "consensa.GaussianMixtures()",
    "dbscan": "consensa.Mixed([sklearn.cluster.DBSCAN()])",
    "hdbscan": "consensa.Mixed([sklearn.cluster.HDBSCAN()])",
    "genie": "consensa.GenieTrees()",
    "umap": "consensa.NeighborEmbedding()",
    "leiden": "consensa.LeidenSweep()",
    "louvain": "consensa.LeidenSweep()",
}
_WORKS = {"by_rows": "by blocks of rows", "dask": "on Dask", "gpu": "on a GPU"}


def choose_method(name: str) -> type[BaseConsensus]:
    """Estimator of this name, in upper or lower case."""
    known = find_methods()
    by_lower = {other.lower(): estimator for other, estimator in known.items()}
    if name.lower() in by_lower:
        return by_lower[name.lower()]
    message = (
        f"--method must be one of {listed(known)}. Got {name!r}."
        f"{_base_clusterer(name) or suggestion(name, known)} `consensa methods` describes them."
    )
    raise InvalidParameterError(message)


def _base_clusterer(name: str) -> str:
    """How to use an algorithm that makes base partitions and does not combine them."""
    plain = name.lower().replace("-", "").replace("_", "")
    code = next((code for other, code in _CLUSTERERS.items() if plain == other), None)
    if code is None:
        return ""
    return (
        f" {name!r} is a base clusterer: it makes partitions, and a consensus method combines "
        f"them. In Python: consensa.cluster(X, k, generator={code})."
    )


def read_options(estimator: type[BaseConsensus], pairs: Iterable[str]) -> dict[str, Any]:
    """Parameters of the method given as ``name=value``; the estimator checks the values."""
    shared = {"n_clusters", "generator", "random_state"}  # these have options of their own
    known = sorted(set(estimator().get_params(deep=False)) - shared)
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in known:
            takes = f"{estimator.__name__} takes {listed(known) or 'none'}"
            message = (
                f"--option must be NAME=VALUE with a parameter of the method; {takes}. "
                f"Got {pair!r}.{suggestion(name, known)}"
            )
            raise InvalidParameterError(message)
        try:
            options[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            # A word needs no quotes at the prompt; the last two are of brackets in brackets.
            options[name] = value
    return options


def methods(
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table in Markdown.")
    ] = False,
) -> None:
    """List the consensus methods, their properties and their cost."""
    if markdown:
        print(markdown_table())
        return
    table = plain_table("Consensus methods for n samples and m partitions")
    for column in ("method", "year", "order-free", "missing", "n × n"):
        table.add_column(column, no_wrap=True)
    table.add_column("cost and reference")
    for name, estimator in find_methods().items():
        info = estimator.info
        default = name == DEFAULT_METHOD
        table.add_row(
            f"{name} (default)" if default else name,
            str(info.year),
            _yes(info.order_free),
            _yes(info.missing),
            _square(info),
            Text("\n".join(_details(info))),
            style="bold" if default else None,
        )
    console = answers()
    console.print(table)
    console.print(_LEGEND, style="dim")


def _details(info: MethodInfo) -> list[str]:
    """Lines on what a method costs and where it can work."""
    where = [words for field, words in _WORKS.items() if getattr(info, field)]
    works = [f"works {', '.join(where)}"] if where else []
    return [f"time {info.time}", f"memory {info.memory}", *works, info.reference]


def markdown_table() -> str:
    """The table of the README and of the documentation."""
    titles = (
        "method", "year", "order-free", "missing labels", "n × n", "by rows", "Dask", "GPU",
        "time", "memory", "reference",
    )  # fmt: skip
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for name, estimator in find_methods().items():
        info = estimator.info
        title = f"**{name}** (default)" if name == DEFAULT_METHOD else name
        cells = (
            title, info.year, _yes(info.order_free), _yes(info.missing), _square(info),
            *(_yes(getattr(info, field)) for field in _WORKS),
            info.time, info.memory, info.reference,
        )  # fmt: skip
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines)


def _square(info: MethodInfo) -> str:
    """Number of n × n arrays."""
    if not info.square_arrays:
        return "no"
    each = info.square_arrays_per_partition
    return f"{info.square_arrays:g}" + (f" + {each:g} m" if each else "")


def _yes(value: bool) -> str:
    return "yes" if value else "no"
