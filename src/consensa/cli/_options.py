"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "ArrayName",
    "Candidates",
    "Clusters",
    "ClustersOrRange",
    "Drop",
    "Engine",
    "Header",
    "Id",
    "IsLabels",
    "Jobs",
    "MethodName",
    "MethodOptions",
    "Output",
    "Partitions",
    "Report",
    "Scheduler",
    "Seed",
    "Shuffles",
    "Source",
    "Truth",
    "whole_number",
]


def whole_number(least: int, most: int | None = None) -> Callable[[str | int], int]:
    """Parser of a whole number that says what it wants and what it got."""
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"

    def parse(text: str | int) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            message = f"a whole number {bounds} is wanted. Got {text!r}."
            raise typer.BadParameter(message)
        return number

    return parse


def _one_of(*options: str) -> Callable[[str], str]:
    """Parser of one of a few words."""

    def parse(text: str) -> str:
        if text not in options:
            message = f"one of {', '.join(options)} is wanted. Got {text!r}."
            raise typer.BadParameter(message)
        return text

    return parse


@dataclass(frozen=True)
class Candidates:
    """Numbers of clusters to choose from; a single one is no choice."""

    low: int
    high: int | None  # None: as many as make sense

    @property
    def settled(self) -> bool:
        return self.low == self.high


def candidates(text: str | Candidates) -> Candidates:
    """Parser of ``7``, ``2-20`` and ``auto``."""
    if isinstance(text, Candidates):
        return text
    if text.strip().lower() == "auto":
        return Candidates(2, None)
    low, dash, high = text.partition("-")
    try:
        ends = (int(low), int(high) if dash else int(low))
    except ValueError:
        ends = (0, 0)
    if not 1 <= ends[0] <= ends[1]:
        message = (
            f"a whole number such as 7, a range such as 2-20, or auto is wanted. Got {text!r}."
        )
        raise typer.BadParameter(message)
    return Candidates(*ends)


Source = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, TXT, Parquet, NPY or NPZ. A first column without a name holds the "
        "names of the rows.",
        show_default=False,
    ),
]
Clusters = Annotated[
    int,
    typer.Option(
        "--clusters", "-k", parser=whole_number(1), metavar="INT", help="Number of clusters.",
        show_default=False,
    ),
]  # fmt: skip
ClustersOrRange = Annotated[
    Candidates,
    typer.Option(
        "--clusters", "-k", parser=candidates, metavar="INT|LOW-HIGH|auto",
        help="Number of clusters; or a range, or auto, to have it chosen.", show_default=False,
    ),
]  # fmt: skip
MethodName = Annotated[
    str, typer.Option("--method", "-m", metavar="NAME", help="See `consensa methods`.")
]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="Parameter of the method; can be repeated."
    ),
]
IsLabels = Annotated[
    bool,
    typer.Option(
        "--labels", help="FILE holds partitions, as for combine; else features, as for cluster."
    ),
]
Truth = Annotated[
    str | None,
    typer.Option(
        "--truth", metavar="COLUMN", help="Known classes: set aside, and the answer is scored."
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COLUMN", help="Leave a column out; can be repeated."),
]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="Names of the rows, copied to the output."),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", parser=whole_number(0, 2**32 - 1), metavar="INT",
        help="The same seed gives the same answer.",
    ),
]  # fmt: skip
Shuffles = Annotated[
    int,
    typer.Option(
        "--shuffles", parser=whole_number(3), metavar="INT",
        help="Shuffled orders to try, and other seeds.",
    ),
]  # fmt: skip
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", parser=whole_number(1), metavar="INT",
        help="Base partitions made at the same time; by default all cores, if it pays.",
    ),
]  # fmt: skip
Partitions = Annotated[
    int,
    typer.Option(
        "--partitions", parser=whole_number(1), metavar="INT", help="Number of base partitions."
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a text file holds names; asked for only if it could "
        "be data.",
        show_default=False,
    ),
]
ArrayName = Annotated[
    str | None, typer.Option("--array", metavar="NAME", help="Which array of an NPZ file.")
]
Engine = Annotated[
    str,
    typer.Option(
        "--engine", parser=_one_of("local", "dask"), metavar="local|dask",
        help="Where the work is done: here, or on a Dask cluster (a local one without "
        "--scheduler).",
    ),
]  # fmt: skip
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://10.0.0.1:8786."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE",
        help="Where to write the labels: .csv, .tsv or .parquet; CSV to stdout by default.",
    ),
]  # fmt: skip
Report = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="PAGE.html",
        help="Write what was found, how sure it is and how it was made as one page.",
    ),
]  # fmt: skip
