"""``consensa study``: the experiments of the LTA paper, in a store that can be resumed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from consensa.cli._folder import make_folder
from consensa.cli._screen import messages, showing
from consensa.cli._shared_options import sharing
from consensa.cli._study_options import (
    CubicLimit,
    Draws,
    Members,
    Methods,
    Out,
    Shared,
)
from consensa.study.experiments import Experiments
from consensa.study.options import CUBIC_LIMIT, STORE, RunOptions
from consensa.study.progress import ProgressLines
from consensa.study.run import Outcome, run_study
from consensa.study.store import Store

__all__ = ["run", "study"]

study = typer.Typer(
    help="Run the experiments of the LTA paper, with the rows as stored and shuffled.",
    no_args_is_help=True,
)


@study.command()
@sharing
def tables(
    methods: Methods = "all",
    draws: Draws = 20,
    members: Members = 10,
    cubic_limit: CubicLimit = CUBIC_LIMIT,
    *,
    shared: Shared,
) -> None:
    """Compute the paper's tables: every method on the same draws, seven scores, both orders.

    Each cell is stored as soon as it is computed. After Ctrl-C, --budget or a crash, the same
    command continues; only the cells in progress are lost.
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
    """Import the cells of other stores, so that several machines can share a study."""
    make_folder(out, "--out", files=[STORE])
    console = messages()
    with Store(RunOptions(out).store) as store:
        for other in others:
            added, known, damaged = store.gather(other)
            said = f"{other}: {added} cells imported, {known} already known"
            said += f", {damaged} damaged and ignored." if damaged else "."
            console.print(said, markup=False, soft_wrap=True)


def run(experiments: Experiments, options: RunOptions) -> None:
    """Run experiments and print a summary."""
    experiments.require_libraries()
    make_folder(Path(options.out), "--out", files=[STORE])
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
        files = []
    elif outcome.tables:
        yield f"Written: {len(outcome.tables)} files in {options.out}"
    yield from (f"Written: {path}" for path in files)
    for figure in outcome.figures:
        yield from figure.sentences()
