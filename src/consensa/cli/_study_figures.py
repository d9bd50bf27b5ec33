"""``consensa study penalty``, ``size``, ``base``, ``matrices`` and the other figures; ``all``."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import replace

from consensa.cli._lists import numbers
from consensa.cli._shared_options import sharing
from consensa.cli._study import run, study
from consensa.cli._study_options import (
    CubicLimit,
    Draws,
    FigureDraws,
    FigureMethods,
    Members,
    Methods,
    Penalties,
    Shared,
    Shares,
    Sizes,
)
from consensa.study.experiments import Experiments, FieldAudit
from consensa.study.figures import FIGURES, Plan
from consensa.study.options import CUBIC_LIMIT

__all__ = ["study"]


def _listed(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


_METHODS = {name: _listed(figure.methods) for name, figure in FIGURES.items()}
_VALUES = {
    name: _listed(f"{value:g}" for value in figure.values) for name, figure in FIGURES.items()
}


_BY_DEGREES = ("binalpha", "mf", "semeion")  # of the paper's sets: small, and sorted by class


def penalty(
    methods: FigureMethods = _METHODS["penalty"],
    penalties: Penalties = _VALUES["penalty"],
    draws: Draws = 20,
    members: Members = 10,
    *,
    shared: Shared,
) -> None:
    """Plot the score of LTA against the penalty λ, both orders."""
    plan = Plan(shared.protocol(methods, draws, members), numbers(penalties, "--penalties"))
    run(Experiments(figures={"penalty": plan}), shared.running())


def size(
    methods: FigureMethods = _METHODS["size"],
    sizes: Sizes = _VALUES["size"],
    draws: Draws = 20,
    *,
    shared: Shared,
) -> None:
    """Plot the score against the number of base partitions, with error bars over the draws."""
    plan = Plan(shared.protocol(methods, draws), numbers(sizes, "--sizes", whole=True))
    run(Experiments(figures={"size": plan}), shared.running())


def base(
    methods: FigureMethods = _METHODS["base"],
    draws: Draws = 20,
    members: Members = 10,
    *,
    shared: Shared,
) -> None:
    """Plot the scores of the consensus and of the base partitions of the pool."""
    plan = Plan(shared.protocol(methods, draws, members))
    run(Experiments(figures={"base": plan}), shared.running())


def matrices(members: Members = 10, *, shared: Shared) -> None:
    """Plot the matrices: coherent links, co-association, LWCA, SPCE, refined and ideal."""
    plan = Plan(shared.protocol(_METHODS["matrices"], 1, members))
    run(Experiments(figures={"matrices": plan}), shared.running())


def convergence(members: Members = 10, *, shared: Shared) -> None:
    """Plot gaps and objective of LTA's solver against the iteration, both orders."""
    plan = Plan(shared.protocol(_METHODS["convergence"], 1, members))
    run(Experiments(figures={"convergence": plan}), shared.running())


def degrees(
    methods: FigureMethods = _METHODS["degrees"],
    shares: Shares = _VALUES["degrees"],
    draws: Draws = 3,
    members: Members = 10,
    cubic_limit: CubicLimit = CUBIC_LIMIT,
    *,
    shared: Shared,
) -> None:
    """Plot the score against the share of the rows that are moved from their places."""
    plan = Plan(shared.protocol(methods, draws, members), numbers(shares, "--shares", below=100))
    run(Experiments(figures={"degrees": plan}), shared.running(cubic_limit))


def audit(
    cubic_limit: CubicLimit = CUBIC_LIMIT,
    methods: Methods = "all",
    draws: Draws = 20,
    members: Members = 10,
    *,
    shared: Shared,
) -> None:
    """Audit every method: its scores with the rows as stored and shuffled, and a verdict.

    Order-free methods are run on 3 draws in the second order. Beside the scores: how sorted by
    class the files are, and the scores if the rows are shuffled by degrees.
    """
    protocol = shared.protocol(methods, draws, members)
    figure = FIGURES["degrees"]
    chosen = tuple(name for name in figure.methods if name in protocol.methods)
    sets = tuple(name for name in protocol.sets if name in _BY_DEGREES) or protocol.sets
    by_degrees = replace(protocol, sets=sets, methods=chosen, draws=min(3, draws))
    figures = {"degrees": Plan(by_degrees, figure.values)} if chosen else {}
    run(Experiments(figures=figures, audit=FieldAudit(protocol)), shared.running(cubic_limit))


def everything(
    methods: Methods = "all",
    draws: Draws = 20,
    figure_draws: FigureDraws = None,
    members: Members = 10,
    cubic_limit: CubicLimit = CUBIC_LIMIT,
    *,
    shared: Shared,
) -> None:
    """Compute all tables and figures, and write them to one HTML page.

    After --budget or an interruption, the page lists what is missing; the same command continues.
    """
    tables = shared.protocol(methods, draws, members)
    repeated = figure_draws or draws
    plans = {
        name: Plan(shared.protocol(_METHODS[name], repeated, members), figure.values)
        for name, figure in FIGURES.items()
    }
    # The page depends on these options; folders, --jobs and --budget do not change it.
    chosen = {"--sets": shared.sets, "--methods": methods, "--draws": draws,
              "--members": members, "--order": shared.order.value, "--seed": shared.seed,
              "--cubic-limit": cubic_limit}  # fmt: skip
    chosen |= {"--figure-draws": figure_draws} if figure_draws else {}
    chosen |= {"--device": shared.device.value} if shared.device else {}
    command = shlex.join(
        ["consensa", "study", "all", *(str(word) for pair in chosen.items() for word in pair)]
    )
    run(Experiments(tables, plans, page=command), shared.running(cubic_limit))


for _command in (penalty, size, base, matrices, convergence, degrees, audit):
    study.command()(sharing(_command))
study.command("all")(sharing(everything))
