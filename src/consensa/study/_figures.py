"""The figures together: fill the store with what they need, write their data and pictures."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from consensa._machine.atomic import replacing
from consensa.datasets import Dataset
from consensa.plotting.axes import save_figure
from consensa.study import _base_scores, _convergence, _matrices, _penalty, _protocol
from consensa.study._base_scores import BaseFigure
from consensa.study._convergence import ConvergenceFigure
from consensa.study._figure import Figure, Line, Plan
from consensa.study._fill import compute_missing, open_store, read_sets
from consensa.study._matrices import MatricesFigure
from consensa.study._penalty import PenaltyFigure
from consensa.study._protocol import Protocol
from consensa.study._runner import RunReport
from consensa.study._size import SizeFigure
from consensa.study._store import Cell

__all__ = ["FIGURES", "Drawn", "compute_cell", "fill_figures", "write_figures"]

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        PenaltyFigure(),
        SizeFigure(),
        BaseFigure(),
        MatricesFigure(),
        ConvergenceFigure(),
    )
}
_COMPUTE: dict[str, Callable[..., Mapping[str, Any]]] = {
    "tables": _protocol.compute,
    "penalty": _penalty.compute,
    "base": _base_scores.compute,
    "matrices": _matrices.compute,
    "convergence": _convergence.compute,
}


class Drawn(NamedTuple):
    """A figure in files."""

    figure: Figure
    about: str
    data: list[Path]
    pictures: list[tuple[Path, str]]  # each without its ending, and its words
    left_out: list[str]  # what was asked for and cannot be computed
    possible: bool  # whether anything of it can


def compute_cell(cell: Cell, **context: Any) -> Mapping[str, Any]:
    """Compute a cell of any part of the study."""
    return _COMPUTE[cell.experiment](cell, **context)


def fill_figures(
    out: str | os.PathLike[str],
    plans: Mapping[str, Plan],
    *,
    tables: Protocol | None = None,
    **options: Any,
) -> RunReport:
    """Compute the cells that figures and tables need and the store of the folder `out` lacks.

    Parameters
    ----------
    out : path
        Folder of the store; it is made.
    plans : mapping of str to Plan
        What is wanted of each figure, by its name.
    tables : Protocol or None, default=None
        Tables that are wanted too.
    **options
        As for `fill`: folder, jobs, budget, device, cubic_limit, progress.

    Returns
    -------
    RunReport
        What was done and what is missing.
    """

    def cells(datasets: Mapping[str, Dataset]) -> list[Cell]:
        wanted = [] if tables is None else tables.cells(datasets)
        for name, plan in plans.items():
            wanted += FIGURES[name].cells(plan, datasets)
        return wanted

    protocols = [*([tables] if tables else []), *(plan.protocol for plan in plans.values())]
    sets = dict.fromkeys(name for protocol in protocols for name in protocol.sets)
    return compute_missing(out, sets, cells, compute_cell, **options)


def write_figures(
    out: str | os.PathLike[str],
    plans: Mapping[str, Plan],
    *,
    folder: str | os.PathLike[str] | None = None,
) -> list[Drawn]:
    """Write the CSV, PNG and SVG files of what the store has; nothing is computed."""
    names = dict.fromkeys(name for plan in plans.values() for name in plan.protocol.sets)
    datasets = read_sets(names, folder, out)
    with open_store(out) as store:
        records = store.records()
    written = []
    for name, plan in plans.items():
        figure = FIGURES[name]
        lines = figure.lines(plan, datasets, records)
        data = [_write_csv(Path(out) / f"{stem}.csv", found) for stem, found in lines.items()]
        pictures = []
        for stem, picture in figure.pictures(lines).items():
            save_figure(picture.figure, Path(out) / stem)
            pictures.append((Path(out) / stem, picture.alt))
        left_out, possible = figure.left_out(plan, datasets), bool(figure.cells(plan, datasets))
        about = figure.described(plan)
        written.append(Drawn(figure, about, data, pictures, left_out, possible))
    return written


def _write_csv(path: Path, lines: Sequence[Line]) -> Path:
    text = io.StringIO()
    heads = list(dict.fromkeys(key for line in lines for key in line))
    writer = csv.DictWriter(text, heads, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    with replacing(path) as temporary:
        temporary.write_text(text.getvalue(), encoding="utf-8")
    return path
