"""``consensa study``: the paper's experiments, in a store that survives any interruption."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from consensa.cli._folder import make_folder
from consensa.cli._screen import messages, showing
from consensa.cli._study_options import (
    CubicLimit,
    Draws,
    Members,
    Methods,
    Out,
    Shared,
    sharing_options,
)
from consensa.study.experiments import Experiments
from consensa.study.options import CUBIC_LIMIT, RunOptions
from consensa.study.progress import ProgressLines
from consensa.study.run import Outcome, run_study
from consensa.study.store import Store

__all__ = ["run", "study"]

study = typer.Typer(
    help="The paper's experiments beside its printed values: as stored and shuffled.",
    no_args_is_help=True,
)


@study.command()
@sharing_options
def tables(
    shared: Shared,
    methods: Methods = "all",
    draws: Draws = 20,
    members: Members = 10,
    cubic_limit: CubicLimit = CUBIC_LIMIT,
) -> None:
    """The paper's tables: every method on the same draws, seven scores, both orders.

    Each finished cell is kept at once. Ctrl-C, --budget or a crash lose nothing but the cells
    under way: the same command goes on where it stopped.
    """
    protocol = shared.protocol(methods, draws, members)
    run(Experiments(protocol), shared.running(cubic_limit))


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
    with Store(RunOptions(out).store) as store:
        for other in others:
            added, known, damaged = store.gather(other)
            said = f"{other}: {added} cells taken in, {known} known before"
            said += f", {damaged} damaged and left out." if damaged else "."
            console.print(said, markup=False, soft_wrap=True)


def run(experiments: Experiments, options: RunOptions) -> None:
    """Run experiments and say what was done."""
    experiments.require_libraries()
    make_folder(Path(options.out), "--out")
    console = messages()
    figures = ", ".join(experiments.figures)
    with showing(console, f"Study: {figures}" if figures else "Study of the tables"):
        progress = None if console.is_terminal else ProgressLines(sys.stderr)
        outcome = run_study(experiments, options, progress=progress)
    for sentence in _sentences(outcome, options):
        console.print(sentence, markup=False, soft_wrap=True)


def _sentences(outcome: Outcome, options: RunOptions) -> Iterator[str]:
    yield from outcome.report.sentences()
    files = [path for figure in outcome.figures for path in figure.files]
    if outcome.page is not None:
        yield f"Written: {outcome.page}"
    elif files:
        yield from (f"Written: {path}" for path in files)
    else:
        yield f"Written: {len(outcome.tables)} files in {options.out}"
    for figure in outcome.figures:
        yield from figure.sentences()
