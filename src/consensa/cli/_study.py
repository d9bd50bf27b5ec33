"""``consensa study``: the paper's experiments, in a store that survives any interruption."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from consensa.cli import _options as options
from consensa.cli._folder import make_folder
from consensa.cli._options import whole_number
from consensa.cli._screen import messages, showing
from consensa.cli._suggest import suggestion
from consensa.datasets import SETS
from consensa.datasets.folder import local_sets
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.study._fill import CUBIC_LIMIT, fill, open_store, protocol_of, write_tables
from consensa.study._lines import ProgressLines
from consensa.study._methods import METHODS
from consensa.study._protocol import ORDERS, Protocol
from consensa.study._runner import RunReport

__all__ = [
    "Budget",
    "CubicLimit",
    "Data",
    "Device",
    "DeviceName",
    "Draws",
    "Jobs",
    "Members",
    "Methods",
    "Order",
    "OrderName",
    "Out",
    "Sets",
    "choose",
    "choose_sets",
    "protocol_from",
    "study",
    "tell",
]

study = typer.Typer(
    help="The paper's experiments beside its printed values: as stored and shuffled.",
    no_args_is_help=True,
)


class OrderName(StrEnum):
    """Orders of the rows that can be asked for."""

    stored = "stored"
    shuffled = "shuffled"
    both = "both"


class DeviceName(StrEnum):
    """Where LTA computes."""

    cpu = "cpu"
    cuda = "cuda"


Sets = Annotated[
    str,
    typer.Option(
        "--sets", metavar="NAMES",
        help=f"Sets, separated by commas: {', '.join(SETS)}, or files of --data.",
    ),
]  # fmt: skip
Methods = Annotated[
    str, typer.Option("--methods", metavar="NAMES", help="Methods, separated by commas; or all.")
]
Draws = Annotated[
    int,
    typer.Option("--draws", parser=whole_number(1), metavar="INT", help="Draws from the pool."),
]
Members = Annotated[
    int,
    typer.Option("--members", parser=whole_number(1), metavar="INT", help="Partitions of a draw."),
]
Order = Annotated[OrderName, typer.Option("--order", help="Order of the rows.")]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="FOLDER",
        help="Folder of the sets; else the environment variable CONSENSA_DATA, else OpenML.",
    ),
]  # fmt: skip
Out = Annotated[
    Path, typer.Option("--out", metavar="FOLDER", help="Where the store and the files are.")
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", parser=whole_number(1), metavar="INT",
        help="Cells computed at the same time, one thread each.",
    ),
]  # fmt: skip
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget", min=0.001, metavar="MINUTES",
        help="Stop after this time; the same command goes on later.",
    ),
]  # fmt: skip
Device = Annotated[DeviceName | None, typer.Option("--device", help="Where LTA computes.")]
_CUBIC = " and ".join(row for method in METHODS.values() if method.cubic for row in method.rows)
CubicLimit = Annotated[
    int,
    typer.Option(
        "--cubic-limit", parser=whole_number(1), metavar="INT",
        help=f"Most samples for {_CUBIC}, whose time grows with their cube.",
    ),
]  # fmt: skip


@study.command()
def tables(
    sets: Sets = "all",
    methods: Methods = "all",
    draws: Draws = 20,
    members: Members = 10,
    order: Order = OrderName.both,
    data: Data = None,
    out: Out = Path("out/study"),
    jobs: Jobs = 1,
    seed: options.Seed = 0,
    budget: Budget = None,
    device: Device = None,
    cubic_limit: CubicLimit = CUBIC_LIMIT,
) -> None:
    """The paper's tables: every method on the same draws, seven scores, both orders.

    Each finished cell is kept at once. Ctrl-C, --budget or a crash lose nothing but the cells
    under way: the same command goes on where it stopped.
    """
    protocol = protocol_from(sets, data, methods, order, draws, members, seed)
    make_folder(out, "--out")
    console = messages()
    with showing(console, "Study of the tables"):
        report = fill(
            out,
            protocol=protocol,
            folder=data,
            jobs=jobs,
            budget=budget,
            device=device.value if device else None,
            cubic_limit=cubic_limit,
            progress=None if console.is_terminal else ProgressLines(sys.stderr),
        )
        written = write_tables(out, protocol=protocol, folder=data)
    tell(report)
    console.print(f"Written: {len(written)} files in {out}", markup=False, soft_wrap=True)


@study.command()
def gather(
    others: Annotated[
        list[Path], typer.Argument(metavar="STORE...", help="Stores of other machines.")
    ],
    out: Out = Path("out/study"),
) -> None:
    """Take the cells of other stores into this one, so that machines can share a study."""
    make_folder(out, "--out")
    console = messages()
    with open_store(out) as store:
        for other in others:
            added, known, damaged = store.gather(other)
            said = f"{other}: {added} cells taken in, {known} known before"
            said += f", {damaged} damaged and left out." if damaged else "."
            console.print(said, markup=False, soft_wrap=True)


def choose(
    names: str, known: Iterable[str], option: str, *, all_of: Iterable[str] | None = None
) -> list[str]:
    """Names of a list separated by commas, in any case; "all" is all of them, or `all_of`."""
    every = list(known)
    given = [name.strip().lower() for name in names.split(",") if name.strip()]
    if given == ["all"]:
        return every if all_of is None else list(all_of)
    for name in given:
        if name not in every:
            message = (
                f"{option} must be names from {', '.join(every)}, separated by commas. "
                f"Got {name!r}.{suggestion(name, every)}"
            )
            raise InvalidParameterError(message)
    if not given:
        message = f"{option} must name at least one of {', '.join(every)}."
        raise InvalidParameterError(message)
    return given


def choose_sets(names: str, data: Path | None) -> list[str]:
    """Names of sets: those of the paper, which are "all", and the files of the data folder."""
    if data is not None and not data.is_dir():
        message = f"--data must be a folder. There is no folder {data}."
        raise InvalidInputError(message)
    known = dict.fromkeys([*SETS, *local_sets(data)])
    return choose(names, known, "--sets", all_of=SETS)


def protocol_from(
    sets: str,
    data: Path | None,
    methods: str,
    order: OrderName,
    draws: int,
    members: int = 10,
    seed: int = 0,
) -> Protocol:
    """The protocol that the options of a command name."""
    return protocol_of(
        sets=choose_sets(sets, data),
        methods=choose(methods, METHODS, "--methods"),
        orders=ORDERS if order is OrderName.both else (order.value,),
        draws=draws,
        members=members,
        seed=seed,
    )


def tell(report: RunReport) -> None:
    """Say what a run did."""
    console = messages()
    for sentence in report.sentences():
        console.print(sentence, markup=False, soft_wrap=True)
