"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from consensa._array import DEVICES
from consensa._machine.memory import bytes_of
from consensa.exceptions import InvalidParameterError
from consensa.features.space import AUTO, METRICS, SPACE_SCALINGS
from consensa.tables.preparation import MISSING

__all__ = [
    "Append",
    "ArrayName",
    "Candidates",
    "Clusters",
    "ClustersOrRange",
    "Columns",
    "Components",
    "Dates",
    "Decimal",
    "Device",
    "Drop",
    "Encoding",
    "Engine",
    "EscapeFormulas",
    "File",
    "Generator",
    "Header",
    "Id",
    "IsLabels",
    "Jobs",
    "Keep",
    "Memory",
    "MethodName",
    "MethodOptions",
    "Metric",
    "Missing",
    "NotAvailable",
    "Output",
    "Partitions",
    "Profiles",
    "Report",
    "Resume",
    "Save",
    "Scale",
    "Scheduler",
    "Seed",
    "Separator",
    "Sheet",
    "Shuffles",
    "Transpose",
    "Truth",
    "integer_option",
    "size",
    "whole_number",
]


def whole_number(least: int, most: int | None = None) -> Callable[[str | int], int]:
    """Parser of an integer, with an error message that states the bounds."""
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"

    def parse(text: str | int) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            message = f"an integer {bounds} is expected. Got {text!r}."
            raise typer.BadParameter(message)
        return number

    return parse


def size(text: str) -> float:
    """Parse a number of bytes, with or without a unit: 64GB, 16GiB, 10Gbit."""
    try:
        return bytes_of(text)
    except InvalidParameterError as error:
        raise typer.BadParameter(str(error)) from error


def integer_option(
    *names: str, parser: Callable[[str | int], int], help: str, show_default: bool = True
) -> Any:
    """An option with an integer value."""
    return typer.Option(*names, parser=parser, metavar="INT", help=help, show_default=show_default)


def _choice(name: str, values: Sequence[str], *, help: str) -> Any:
    """An option with one of a few values."""

    def parse(text: str) -> str:
        if text not in values:
            message = f"one of {', '.join(values)} is expected. Got {text!r}."
            raise typer.BadParameter(message)
        return text

    return typer.Option(name, parser=parse, metavar="|".join(values), help=help)


def _separator(text: str) -> str:
    """Parser of a separator: a character, or its name."""
    named = {"tab": "\t", "\\t": "\t", "space": r"\s+", "spaces": r"\s+"}
    separator = named.get(text.lower(), text)
    if len(separator) != 1 and separator != r"\s+":
        message = f"one character, tab or space is expected. Got {text!r}."
        raise typer.BadParameter(message)
    return separator


def _components(text: str | int) -> int | None:
    """Parser of a number of principal components."""
    return None if text == "auto" else whole_number(1)(text)


@dataclass(frozen=True)
class Candidates:
    """Numbers of clusters to choose from; possibly only one."""

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
        message = f"an integer such as 7, a range such as 2-20, or auto is expected. Got {text!r}."
        raise typer.BadParameter(message)
    return Candidates(*ends)


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, TXT, XLSX, ODS, Parquet, Feather, NPY, NPZ, H5AD or 10x H5 file, packed "
        "or not; - is standard input. A first column without a name is read as the sample names.",
        show_default=False,
    ),
]
Clusters = Annotated[
    int,
    integer_option(
        "--clusters", "-k", parser=whole_number(1), help="Number of clusters.", show_default=False
    ),
]
ClustersOrRange = Annotated[
    Candidates,
    typer.Option(
        "--clusters", "-k", parser=candidates, metavar="INT|LOW-HIGH|auto",
        help="Number of clusters; a range or auto selects it.", show_default=False,
    ),
]  # fmt: skip
MethodName = Annotated[
    str,
    typer.Option(
        "--method", "-m", metavar="NAME", help="Consensus method; see `consensa methods`."
    ),
]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="Parameter of the method; can be repeated."
    ),
]
Metric = Annotated[
    str,
    _choice(
        "--metric",
        (AUTO, *METRICS),
        help="Distance of the samples; auto: Euclidean distances, and angles for half of the "
        "partitions; precomputed: FILE is the square matrix of distances.",
    ),
]
IsLabels = Annotated[
    bool,
    typer.Option("--labels", help="FILE is a label matrix, as for combine; by default features."),
]
Truth = Annotated[
    str | None,
    typer.Option(
        "--truth", metavar="COLUMN", help="Known classes; used only to score the labels."
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop", metavar="COLUMN",
        help="Column to ignore, or a pattern such as 'q*'; can be repeated.",
    ),
]  # fmt: skip
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns", metavar="COLUMN",
        help="Use only this column, or those of a pattern such as 'q*'; can be repeated.",
    ),
]  # fmt: skip
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep", metavar="COLUMN",
        help="Use this column even if it looks like a row number or a name; can be repeated.",
    ),
]  # fmt: skip
Missing = Annotated[
    str,
    _choice(
        "--missing",
        MISSING,
        help="Missing values: fill them with the median or the most frequent entry of the "
        "column, drop their rows, or stop.",
    ),
]
NotAvailable = Annotated[
    list[str] | None,
    typer.Option(
        "--na", metavar="TEXT",
        help="Entry that stands for a missing value, such as ? or -999; can be repeated.",
    ),
]  # fmt: skip
Dates = Annotated[
    bool, typer.Option("--dates", help="Count columns of dates in days since the first date.")
]
Decimal = Annotated[
    str | None,
    _choice(
        "--decimal", (".", ","), help="Decimal mark; needed only if 1,234 may be both numbers."
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="Sheet of a workbook, or its number from 1."),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="NAME", help="Encoding of a text file; recognized by default."
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator", parser=_separator, metavar="CHARACTER",
        help="Separator of the columns of a text file, or tab or space; recognized by default.",
    ),
]  # fmt: skip
Transpose = Annotated[
    bool, typer.Option("--transpose", help="The columns of FILE are the samples.")
]
Generator = Annotated[
    str, typer.Option("--generator", metavar="NAME", help="Generator of the base partitions.")
]
Scale = Annotated[
    str,
    _choice("--scale", SPACE_SCALINGS, help="Scaling of the columns of numbers."),
]
Components = Annotated[
    int | None,
    typer.Option(
        "--pca", parser=_components, metavar="INT|auto",
        help="Number of principal components; auto takes 50 if there are more columns.",
    ),
]  # fmt: skip
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="Sample names, copied to the output."),
]
Seed = Annotated[
    int,
    integer_option(
        "--seed",
        parser=whole_number(0, 2**32 - 1),
        help="Random seed; the same seed gives the same labels.",
    ),
]
Shuffles = Annotated[
    int,
    integer_option(
        "--shuffles",
        parser=whole_number(3),
        help="Number of shuffled orders, and of other seeds, to try.",
    ),
]
Device = Annotated[
    str | None,
    _choice(
        "--device",
        DEVICES,
        help="Where neighbors, mixtures and embeddings are computed; cuda is an NVIDIA GPU.",
    ),
]
Jobs = Annotated[
    int | None,
    integer_option(
        "--jobs",
        "-j",
        parser=whole_number(1),
        help="Number of threads that generate base partitions; by default all cores for large "
        "data.",
    ),
]
Partitions = Annotated[
    int, integer_option("--partitions", parser=whole_number(1), help="Number of base partitions.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a text file holds column names; needed only if it "
        "consists of numbers.",
        show_default=False,
    ),
]
ArrayName = Annotated[
    str | None, typer.Option("--array", metavar="NAME", help="Array of an NPZ file to read.")
]
Memory = Annotated[
    float | None,
    typer.Option(
        "--memory", parser=size, metavar="SIZE",
        help="Memory that the process may use for a FILE that is read in blocks of rows, such as "
        "4G; by default half of the free memory.",
        show_default=False,
    ),
]  # fmt: skip
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume", metavar="FOLDER",
        help="Folder for the state of a run on a FILE that is read in blocks of rows: if it is "
        "interrupted, the same command goes on where it stopped.",
    ),
]  # fmt: skip
Engine = Annotated[
    str,
    _choice(
        "--engine",
        ("local", "dask"),
        help="Where to compute: in this process, or on a Dask cluster (a local one without "
        "--scheduler).",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE",
        help="File for the labels: .csv, .tsv, .parquet, .xlsx or .h5ad; by default CSV on "
        "stdout.",
    ),
]  # fmt: skip
Append = Annotated[
    bool,
    typer.Option("--append", help="Write all columns of FILE, followed by those of the result."),
]
Profiles = Annotated[
    Path | None,
    typer.Option(
        "--profiles", metavar="FILE",
        help="Write the features that set each cluster apart: .csv, .tsv, .parquet or .xlsx.",
    ),
]  # fmt: skip
Save = Annotated[
    Path | None,
    typer.Option(
        "--save", metavar="MODEL.npz",
        help="Save the model, to label new rows with `consensa predict`.",
    ),
]  # fmt: skip
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="Write an apostrophe before text that a spreadsheet would run as a formula: = + - @.",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="PAGE.html",
        help="Write a self-contained HTML report on the result.",
    ),
]  # fmt: skip
