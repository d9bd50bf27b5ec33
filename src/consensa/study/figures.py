"""The figures of the study, and the functions that write them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from consensa._machine.atomic import writing
from consensa.plotting.axes import save_figure
from consensa.study import _base_scores, _convergence, _matrices, _penalty, protocol
from consensa.study._base_scores import BaseFigure
from consensa.study._convergence import ConvergenceFigure
from consensa.study._degrees import DegreesFigure
from consensa.study._figure import Figure, Plan
from consensa.study._lines import csv_text
from consensa.study._matrices import MatricesFigure
from consensa.study._penalty import PenaltyFigure
from consensa.study._size import SizeFigure
from consensa.study.cells import Cell
from consensa.study.material import Material
from consensa.study.options import RunOptions

__all__ = ["FIGURES", "DrawnFigure", "Plan", "compute_cell", "write_figure"]

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        PenaltyFigure(),
        SizeFigure(),
        BaseFigure(),
        MatricesFigure(),
        ConvergenceFigure(),
        DegreesFigure(),
    )
}
_COMPUTE: dict[str, Callable[[Cell, RunOptions], Mapping[str, Any]]] = {
    "tables": protocol.compute,
    "penalty": _penalty.compute,
    "base": _base_scores.compute,
    "matrices": _matrices.compute,
    "convergence": _convergence.compute,
    "degrees": protocol.compute,
}


class DrawnFigure(NamedTuple):
    """The files of a figure."""

    figure: Figure
    about: str
    data: list[Path]
    pictures: list[tuple[Path, str]]  # path without suffix, description
    files: list[Path]  # data, then plots
    left_out: list[str]  # parts that cannot be computed
    possible: bool  # whether any part can be computed

    def sentences(self) -> list[str]:
        """Sentences on what is missing in the figure."""
        if self.pictures:
            return self.left_out
        why = "is computed yet" if self.possible else "can be computed"
        return [*self.left_out, f"No picture of {self.figure.name}: nothing of it {why}."]


def compute_cell(cell: Cell, options: RunOptions) -> Mapping[str, Any]:
    """Compute a cell of any experiment."""
    return _COMPUTE[cell.experiment](cell, options)


def write_figure(
    name: str, plan: Plan, material: Material, out: str | os.PathLike[str]
) -> DrawnFigure:
    """Write the CSV, PNG and SVG files of the stored cells, without computing any."""
    figure = FIGURES[name]
    lines = figure.lines(plan, material)
    data = []
    for stem, found in lines.items():
        data.append(Path(out) / f"{stem}.csv")
        with writing(data[-1]) as temporary:
            temporary.write_text(csv_text(found), encoding="utf-8")
    pictures, saved = [], []
    for stem, picture in figure.pictures(lines).items():
        saved += save_figure(picture.figure, Path(out) / stem)
        pictures.append((Path(out) / stem, picture.alt))
    return DrawnFigure(
        figure,
        figure.described(plan),
        data,
        pictures,
        data + saved,
        figure.left_out(plan, material.datasets),
        bool(figure.cells(plan, material.datasets)),
    )
