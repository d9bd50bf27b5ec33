"""``consensa plan``: estimate the cost of a consensus before it is computed."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from consensa._defaults import DEFAULT_METHOD, DEFAULT_N_PARTITIONS
from consensa.cli import _options as options
from consensa.cli._methods import choose_method
from consensa.cli._screen import answers, plain_table
from consensa.distributed import Cluster, Plan
from consensa.distributed import plan as make_plan
from consensa.distributed.planning import DEFAULT_CLUSTERS
from consensa.distributed.planning.sentences import duration, headline, needs

__all__ = ["plan"]

_NETWORK = "10Gbit"


def _count(text: str | int) -> int:
    """Parse a number, such as 1000000 or 1e6."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number <= 1e15 or number != int(number):
        message = f"expected an integer from 1 to 1e15, such as 1000000 or 1e6. Got {text!r}."
        raise typer.BadParameter(message)
    return int(number)


_bytes = options.size
_number = partial(options.integer_option, parser=_count)


def plan(
    samples: Annotated[int, _number("--samples", help="Number of samples.", show_default=False)],
    partitions: Annotated[
        int, _number("--partitions", help="Number of base partitions.")
    ] = DEFAULT_N_PARTITIONS,
    clusters: Annotated[
        int, _number("--clusters", "-k", help="Number of clusters.")
    ] = DEFAULT_CLUSTERS,
    partition_clusters: Annotated[
        int | None,
        _number("--partition-clusters", help="Clusters per base partition; default: 2 × k."),
    ] = None,
    method: options.MethodName = DEFAULT_METHOD,
    workers: Annotated[int, _number("--workers", help="Number of machines.")] = 1,
    cores: Annotated[int, _number("--cores", help="Number of cores of each machine.")] = 2,
    memory: Annotated[
        float | None,
        typer.Option("--memory", parser=_bytes, metavar="SIZE", help="Of each machine: 64GB."),
    ] = None,
    network: Annotated[
        float | None,
        typer.Option(
            "--network", parser=_bytes, metavar="SIZE",
            help="Bandwidth of each machine per second, such as 10Gbit. By default the local disk "
            f"for one machine, and {_NETWORK} for several.",
        ),
    ] = None,
    label_bytes: Annotated[int, _number("--label-bytes", help="Bytes of a stored label.")] = 4,
    features: Annotated[
        int | None,
        _number("--features", help="Number of features, if the partitions are made from these."),
    ] = None,
    value_bytes: Annotated[
        int, _number("--value-bytes", help="Bytes of a stored feature.")
    ] = 4,
) -> None:  # fmt: skip
    """Estimate memory, passes over the data, transfers and time of a consensus.

    From labels, or with --features from features, as `consensa cluster` does. With --memory it
    says how many samples one machine has memory for.

    Examples: consensa plan --samples 1e6; consensa plan --samples 1e7 --features 20;
    consensa plan --samples 1e9 --partitions 50 --workers 20 --cores 16 --memory 64GB
    """
    if network is None and workers > 1:
        network = _bytes(_NETWORK)
    made = make_plan(
        samples,
        partitions,
        partition_clusters,
        n_clusters=clusters,
        method=choose_method(method.replace("-", "")),
        cluster=Cluster(workers, cores, memory, network),
        label_bytes=label_bytes,
        n_features=features,
        value_bytes=value_bytes,
    )
    _tell(made)


def _tell(made: Plan) -> None:
    """Print the steps as a table, then the requirements."""
    console = answers(soft_wrap=True)
    console.print(headline(made))
    table = plain_table()
    for name, side in (("step", "left"), ("passes", "right"), ("time", "right")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for step in made.steps:
        table.add_row(step.name, str(step.passes or ""), duration(step.seconds))
    table.add_row("together", str(made.passes), duration(made.seconds), style="bold")
    console.print(table)
    for line in needs(made):
        console.print(line, style="red" if line.startswith("Too little") else None)
