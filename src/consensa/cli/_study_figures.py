"""``consensa study penalty``, ``size``, ``base``, ``matrices``, ``convergence`` and ``all``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from consensa._optional import require
from consensa.cli import _options as options
from consensa.cli._folder import make_folder
from consensa.cli._options import whole_number
from consensa.cli._screen import messages, showing
from consensa.cli._study import (
    Budget,
    CubicLimit,
    Data,
    Device,
    Draws,
    Jobs,
    Members,
    Methods,
    Order,
    OrderName,
    Out,
    Sets,
    protocol_from,
    study,
    tell,
)
from consensa.cli._write import writing
from consensa.exceptions import InvalidParameterError
from consensa.plotting.axes import require_matplotlib
from consensa.study._figure import Plan
from consensa.study._figures import FIGURES, Drawn, fill_figures, write_figures
from consensa.study._fill import CUBIC_LIMIT, open_store, read_sets, write_tables
from consensa.study._lines import ProgressLines
from consensa.study._page import collect_page, to_page
from consensa.study._protocol import Protocol
from consensa.study._tables import collect, summarize

__all__ = ["study"]

_OUT = Path("out/study")
_PAGE = "index.html"


def _listed(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:g}" for value in values)


_METHODS = {name: ",".join(figure.methods) for name, figure in FIGURES.items()}
_VALUES = {name: _listed(figure.values) for name, figure in FIGURES.items()}
Penalties = Annotated[
    str, typer.Option("--penalties", metavar="NUMBERS", help="Penalties, separated by commas.")
]
Sizes = Annotated[
    str,
    typer.Option("--sizes", metavar="NUMBERS", help="Numbers of partitions, separated by commas."),
]
FigureMethods = Annotated[
    str, typer.Option("--methods", metavar="NAMES", help="Methods, separated by commas.")
]
FigureDraws = Annotated[
    int | None,
    typer.Option(
        "--figure-draws", parser=whole_number(1), metavar="INT",
        help="Draws of the figures penalty, size and base; by default as many as --draws.",
    ),
]  # fmt: skip


def penalty(
    sets: Sets = "all",
    methods: FigureMethods = _METHODS["penalty"],
    penalties: Penalties = _VALUES["penalty"],
    draws: Draws = 20,
    members: Members = 10,
    order: Order = OrderName.both,
    data: Data = None,
    out: Out = _OUT,
    jobs: Jobs = 1,
    seed: options.Seed = 0,
    budget: Budget = None,
    device: Device = None,
) -> None:
    """The paper's figure of λ: score of LTA against the penalty, both orders."""
    protocol = protocol_from(sets, data, methods, order, draws, members, seed)
    plans = {"penalty": Plan(protocol, _numbers(penalties, "--penalties"))}
    _run(plans, data=data, out=out, jobs=jobs, budget=budget, device=device)


def size(
    sets: Sets = "all",
    methods: FigureMethods = _METHODS["size"],
    sizes: Sizes = _VALUES["size"],
    draws: Draws = 20,
    order: Order = OrderName.both,
    data: Data = None,
    out: Out = _OUT,
    jobs: Jobs = 1,
    seed: options.Seed = 0,
    budget: Budget = None,
    device: Device = None,
) -> None:
    """Score against the number of base partitions, with error bars over the draws."""
    protocol = protocol_from(sets, data, methods, order, draws=draws, seed=seed)
    plans = {"size": Plan(protocol, _numbers(sizes, "--sizes", whole=True))}
    _run(plans, data=data, out=out, jobs=jobs, budget=budget, device=device)


def base(
    sets: Sets = "all",
    methods: FigureMethods = _METHODS["base"],
    draws: Draws = 20,
    members: Members = 10,
    order: Order = OrderName.both,
    data: Data = None,
    out: Out = _OUT,
    jobs: Jobs = 1,
    seed: options.Seed = 0,
    budget: Budget = None,
    device: Device = None,
) -> None:
    """The ensemble against its base partitions: a box of the pool, points of the consensus."""
    plans = {"base": Plan(protocol_from(sets, data, methods, order, draws, members, seed))}
    _run(plans, data=data, out=out, jobs=jobs, budget=budget, device=device)


def matrices(
    sets: Sets = "all",
    members: Members = 10,
    order: Order = OrderName.both,
    data: Data = None,
    out: Out = _OUT,
    jobs: Jobs = 1,
    seed: options.Seed = 0,
    budget: Budget = None,
    device: Device = None,
    cubic_limit: CubicLimit = CUBIC_LIMIT,
) -> None:
    """Coherent links, co-association, LWCA, SPCE, refined and ideal, under one color bar."""
    plans = {"matrices": Plan(protocol_from(sets, data, "lta", order, 1, members, seed))}
    _run(plans, data=data, out=out, jobs=jobs, budget=budget, device=device,
         cubic_limit=cubic_limit)  # fmt: skip


def convergence(
    sets: Sets = "all",
    members: Members = 10,
    order: Order = OrderName.both,
    data: Data = None,
    out: Out = _OUT,
    jobs: Jobs = 1,
    seed: options.Seed = 0,
    budget: Budget = None,
    device: Device = None,
) -> None:
    """Gaps and objective of LTA's solver against the iteration, both orders."""
    plans = {"convergence": Plan(protocol_from(sets, data, "lta", order, 1, members, seed))}
    _run(plans, data=data, out=out, jobs=jobs, budget=budget, device=device)


def everything(
    sets: Sets = "all",
    methods: Methods = "all",
    draws: Draws = 20,
    figure_draws: FigureDraws = None,
    members: Members = 10,
    order: Order = OrderName.both,
    data: Data = None,
    out: Out = _OUT,
    jobs: Jobs = 1,
    seed: options.Seed = 0,
    budget: Budget = None,
    device: Device = None,
    cubic_limit: CubicLimit = CUBIC_LIMIT,
) -> None:
    """Tables and figures, and one page of them that needs nothing but a browser.

    What --budget or an interruption leaves out is said on the page; the same command goes on.
    """
    tables = protocol_from(sets, data, methods, order, draws, members, seed)
    repeated = figure_draws or draws
    plans = {
        name: Plan(
            protocol_from(sets, data, _METHODS[name], order, repeated, members, seed),
            figure.values,
        )
        for name, figure in FIGURES.items()
    }
    # What the page shows depends on these; folders, --jobs and --budget are the reader's own.
    chosen = {"--sets": sets, "--methods": methods, "--draws": draws, "--members": members,
              "--order": order.value, "--seed": seed, "--cubic-limit": cubic_limit}  # fmt: skip
    chosen |= {"--figure-draws": figure_draws} if figure_draws else {}
    chosen |= {"--device": device.value} if device else {}
    command = shlex.join(
        ["consensa", "study", "all", *(str(word) for pair in chosen.items() for word in pair)]
    )
    require("jinja2", extra="cli", purpose="The page of the study")
    _run(plans, tables=tables, command=command, data=data, out=out, jobs=jobs, budget=budget,
         device=device, cubic_limit=cubic_limit)  # fmt: skip


for _command in (penalty, size, base, matrices, convergence):
    study.command()(_command)
study.command("all")(everything)


def _numbers(text: str, option: str, *, whole: bool = False) -> tuple[float, ...]:
    """Positive numbers separated by commas, ascending, each once."""
    kind = "whole numbers above 0" if whole else "numbers above 0"
    try:
        values = sorted({float(part) for part in text.split(",") if part.strip()})
    except ValueError:
        values = []
    fit = [value for value in values if 0 < value < float("inf")]
    if not values or fit != values or (whole and any(value % 1 for value in values)):
        message = f"{option} must be {kind}, separated by commas. Got {text!r}."
        raise InvalidParameterError(message)
    return tuple(values)


def _run(
    plans: Mapping[str, Plan],
    *,
    data: Path | None,
    out: Path,
    jobs: int,
    budget: float | None,
    device: Device,
    cubic_limit: int = CUBIC_LIMIT,
    tables: Protocol | None = None,
    command: str = "",
) -> None:
    """Fill the store, write the files, say what was done."""
    require_matplotlib("A figure of the study")
    make_folder(out, "--out")
    console = messages()
    with showing(console, f"Study: {', '.join(plans)}"):
        report = fill_figures(
            out,
            plans,
            tables=tables,
            folder=data,
            jobs=jobs,
            budget=budget,
            device=device.value if device else None,
            cubic_limit=cubic_limit,
            progress=None if console.is_terminal else ProgressLines(sys.stderr),
        )
        drawn = write_figures(out, plans, folder=data)
        written = [path for each in drawn for path in each.data]
        for each in drawn:
            for stem, _ in each.pictures:
                written += [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg")]
        if tables is not None:
            write_tables(out, protocol=tables, folder=data)
            written = [_write_page(out, tables, plans, data, drawn, command)]
    tell(report)
    for path in written:
        console.print(f"Written: {path}", markup=False, soft_wrap=True)
    for each in drawn:
        for sentence in each.left_out:
            console.print(sentence, markup=False, soft_wrap=True)
        if not each.pictures:
            why = "is computed yet" if each.possible else "can be computed"
            console.print(f"No picture of {each.figure.name}: nothing of it {why}.")


def _write_page(
    out: Path,
    tables: Protocol,
    plans: Mapping[str, Plan],
    data: Path | None,
    drawn: list[Drawn],
    command: str,
) -> Path:
    """Write the page of what the store has."""
    datasets = read_sets(tables.sets, data, out)
    with open_store(out) as store:
        records = store.records()
    cells = tables.cells(datasets)
    for name, plan in plans.items():
        cells += FIGURES[name].cells(plan, datasets)
    asked = {cell.key: records[cell.key] for cell in cells if cell.key in records}
    collected = collect(records, tables, datasets)
    page = collect_page(
        collected, summarize(collected), drawn, asked, wanted=len({cell.key for cell in cells}),
        out=out, command=command,
    )  # fmt: skip
    path = out / _PAGE
    with writing(path) as temporary:
        temporary.write_text(to_page(page), encoding="utf-8")
    return path
