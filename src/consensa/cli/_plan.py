"""``consensa plan``: what a consensus will cost, before it is begun."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from consensa._machine.memory import human_bytes
from consensa.cli import _options as options
from consensa.cli._screen import answers, plain_table
from consensa.distributed import Cluster, Plan
from consensa.distributed import plan as foretell
from consensa.distributed._plan import METHODS
from consensa.exceptions import InvalidParameterError

__all__ = ["plan"]

_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 2**10, "mi": 2**20, "gi": 2**30}


def _count(text: str) -> int:
    """A number of things, also as 1e9."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if number < 1 or number != int(number):
        message = f"a whole number of at least 1 is wanted, such as 1000000 or 1e6. Got {text!r}."
        raise typer.BadParameter(message)
    return int(number)


def _bytes(text: str) -> float:
    """A number of bytes, with or without a unit: 64GB, 16GiB, 10Gbit."""
    found = re.fullmatch(
        r"([\d.]+(?:e\d+)?)\s*([kmgt]?i?)(b|byte|bit)?(?:/s)?", text.strip().lower()
    )
    if found is None or found[2] not in _UNITS:
        message = f"a size is wanted, such as 64GB, 16GiB or 10Gbit. Got {text!r}."
        raise typer.BadParameter(message)
    return float(found[1]) * _UNITS[found[2]] / (8 if found[3] == "bit" else 1)


def plan(
    n: Annotated[int, typer.Option("--n", parser=_count, metavar="INT", help="Samples.")],
    m: Annotated[int, typer.Option("--m", parser=_count, metavar="INT", help="Partitions.")],
    k: Annotated[
        int, typer.Option("--k", parser=_count, metavar="INT", help="Clusters of each partition.")
    ],
    clusters: Annotated[
        int,
        typer.Option("--clusters", parser=_count, metavar="INT", help="Of the consensus."),
    ] = 10,
    method: options.MethodName = "LWGP",
    workers: Annotated[
        int, typer.Option("--workers", parser=_count, metavar="INT", help="Machines.")
    ] = 1,
    cores: Annotated[
        int, typer.Option("--cores", parser=_count, metavar="INT", help="Cores of each.")
    ] = 2,
    memory: Annotated[
        float | None,
        typer.Option("--memory", parser=_bytes, metavar="SIZE", help="Of each, such as 64GB."),
    ] = None,
    network: Annotated[
        float | None,
        typer.Option(
            "--network", parser=_bytes, metavar="SIZE",
            help="What each reads or sends in a second, such as 10Gbit; without it one machine "
            "with its own disk is meant, or 10Gbit if there are more.",
        ),
    ] = None,
    label_bytes: Annotated[
        int,
        typer.Option("--label-bytes", parser=_count, metavar="INT", help="Of a label as stored."),
    ] = 4,
) -> None:  # fmt: skip
    """Foretell memory, passes over the data, bytes moved and time of a consensus.

    Example: consensa plan --n 1e9 --m 50 --k 100 --workers 20 --cores 16 --memory 64GB
    """
    chosen = method.upper().replace("-", "")
    if chosen not in METHODS:
        message = (
            f"plan knows the methods that are linear in the samples: {', '.join(METHODS)}. "
            f"Got {method!r}."
        )
        raise InvalidParameterError(message)
    if network is None and workers > 1:
        network = _bytes("10Gbit")
    machines = Cluster(workers, cores, memory, network)
    foretold = foretell(
        n, m, k, n_clusters=clusters, method=chosen, cluster=machines, label_bytes=label_bytes
    )
    _tell(foretold, n, m, machines)


def _tell(foretold: Plan, n: int, m: int, machines: Cluster) -> None:
    console = answers(soft_wrap=True)
    each = f"{machines.cores} cores" + (
        f" and {human_bytes(machines.memory)}" if machines.memory else ""
    )
    many = f"{machines.workers} machines" if machines.workers > 1 else "one machine"
    console.print(
        f"{foretold.method} of {n:,} samples and {m} partitions with {foretold.n_base_clusters:,} "
        f"clusters in all, on {many} of {each}"
    )
    table = plain_table()
    for name, side in (("step", "left"), ("passes", "right"), ("time", "right")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for step in foretold.steps:
        table.add_row(step.name, str(step.passes or ""), _time(step.seconds))
    table.add_row("together", str(foretold.passes), _time(foretold.seconds), style="bold")
    console.print(table)
    where = "this process needs" if machines.network is None else "a worker needs"
    console.print(f"Labels as stored: {human_bytes(foretold.bytes_stored)}")
    console.print(f"Memory: {where} {human_bytes(foretold.worker_memory)}")
    if machines.network is not None:
        console.print(
            f"Moved: {human_bytes(foretold.bytes_moved)} in all, of which "
            f"{human_bytes(foretold.bytes_to_client)} to the client, which needs "
            f"{human_bytes(foretold.client_memory)}"
        )
    if not foretold.fits:
        console.print(
            "Too little memory: give workers more, or fewer cores, or combine fewer clusters.",
            style="red",
        )


def _time(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
