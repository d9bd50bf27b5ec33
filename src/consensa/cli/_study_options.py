"""Options of ``consensa study``; the shared ones are one value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from consensa.cli import _options as options
from consensa.cli._lists import choose
from consensa.cli._options import integer_option, whole_number
from consensa.datasets import SETS
from consensa.datasets.folder import local_sets
from consensa.exceptions import InvalidInputError
from consensa.study.methods import METHODS
from consensa.study.options import CUBIC_LIMIT, RunOptions
from consensa.study.protocol import ORDERS, Protocol, protocol_of

__all__ = [
    "CubicLimit",
    "Draws",
    "FigureDraws",
    "FigureMethods",
    "Members",
    "Methods",
    "Out",
    "Penalties",
    "Shared",
    "Shares",
    "Sizes",
    "choose_sets",
]


class OrderName(StrEnum):
    """Orders of the rows."""

    stored = "stored"
    shuffled = "shuffled"
    both = "both"


class DeviceName(StrEnum):
    """Device of LTA and GTLEC."""

    cpu = "cpu"
    cuda = "cuda"


Sets = Annotated[
    str,
    typer.Option(
        "--sets", metavar="NAMES",
        help=f"Data sets, separated by commas: {', '.join(SETS)}, or files of --data.",
    ),
]  # fmt: skip
Methods = Annotated[
    str, typer.Option("--methods", metavar="NAMES", help="Methods, separated by commas, or all.")
]
Draws = Annotated[int, integer_option("--draws", parser=whole_number(1), help="Number of draws.")]
Members = Annotated[
    int, integer_option("--members", parser=whole_number(1), help="Partitions per draw.")
]
Order = Annotated[OrderName, typer.Option("--order", help="Order of the rows.")]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="FOLDER",
        help="Folder of the data sets; by default that of CONSENSA_DATA, else OpenML.",
    ),
]  # fmt: skip
Out = Annotated[
    Path, typer.Option("--out", metavar="FOLDER", help="Folder of the store and the files.")
]
Jobs = Annotated[
    int,
    integer_option(
        "--jobs",
        "-j",
        parser=whole_number(1),
        help="Number of cells computed in parallel, one thread each.",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget", min=0.001, metavar="MINUTES",
        help="Stop after this time; the same command continues later.",
    ),
]  # fmt: skip
Device = Annotated[DeviceName | None, typer.Option("--device", help="Device of LTA and GTLEC.")]
_CUBIC = " and ".join(row for method in METHODS.values() if method.cubic for row in method.rows)
CubicLimit = Annotated[
    int,
    integer_option(
        "--cubic-limit",
        parser=whole_number(1),
        help=f"Maximum number of samples for {_CUBIC}, whose time is cubic in it.",
    ),
]
Penalties = Annotated[
    str, typer.Option("--penalties", metavar="NUMBERS", help="Penalties, separated by commas.")
]
Sizes = Annotated[
    str,
    typer.Option("--sizes", metavar="NUMBERS", help="Numbers of partitions, separated by commas."),
]
Shares = Annotated[
    str,
    typer.Option(
        "--shares",
        metavar="NUMBERS",
        help="Per cent of the rows, above 0 and below 100.",
    ),
]
FigureMethods = Annotated[
    str, typer.Option("--methods", metavar="NAMES", help="Methods, separated by commas.")
]
FigureDraws = Annotated[
    int | None,
    integer_option(
        "--figure-draws",
        parser=whole_number(1),
        help="Number of draws of the figures penalty, size and base; by default --draws.",
    ),
]


@dataclass(frozen=True)
class Shared:
    """The options that every part of the study has."""

    sets: Sets = "all"
    order: Order = OrderName.both
    data: Data = None
    out: Out = Path("out/study")
    jobs: Jobs = 1
    seed: options.Seed = 0
    budget: Budget = None
    device: Device = None

    def protocol(self, methods: str, draws: int, members: int = 10) -> Protocol:
        """The protocol, with its names checked."""
        return protocol_of(
            sets=choose_sets(self.sets, self.data),
            methods=choose(methods, METHODS, "--methods"),
            orders=ORDERS if self.order is OrderName.both else (self.order.value,),
            draws=draws,
            members=members,
            seed=self.seed,
        )

    def running(self, cubic_limit: int = CUBIC_LIMIT) -> RunOptions:
        """How the study is run."""
        device = self.device.value if self.device else None
        return RunOptions(self.out, self.data, self.jobs, self.budget, device, cubic_limit)


def choose_sets(names: str, data: Path | None) -> list[str]:
    """Names of data sets: "all" is those of the paper; others are files of the data folder."""
    if data is not None and not data.is_dir():
        message = f"--data must be an existing folder. Got {data}."
        raise InvalidInputError(message)
    known = dict.fromkeys([*SETS, *local_sets(data)])
    return choose(names, known, "--sets", all_of=SETS)
