"""The paper's figure of the penalty λ: NMI of Ours-SC and Ours-EA over a grid, both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consensa.datasets import Dataset
from consensa.study._figure import NMI, Figure, Picture, Plan
from consensa.study._lines import Line, score_lines
from consensa.study._sweeps import sweep_picture
from consensa.study.cells import Cell
from consensa.study.draws import dataset_of, draw_of, scores
from consensa.study.material import Material
from consensa.study.methods import PAPER_PENALTY, run_lta
from consensa.study.options import RunOptions

__all__ = ["PenaltyFigure", "compute"]


class PenaltyFigure(Figure):
    """Score against the penalty."""

    name = "penalty"
    title = "The penalty λ"
    about = (
        "NMI of LTA's two partitions against the penalty λ, rows as stored and shuffled; bars are "
        "a standard deviation over the draws. The paper's text names no grid but λ = 0.002, so "
        "the grid is ours. EAC, which has no penalty and is order-free, is the level "
        "line."
    )
    methods = ("lta", "eac")
    values = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)

    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """Every penalty on every draw; the paper's penalty is a cell of the tables."""
        return [
            cell
            for dataset in plan.by_size(datasets)
            for draw in range(plan.protocol.draws)
            for order in plan.protocol.orders
            for cell in (
                *(_cell(plan, dataset, order, draw, value) for value in plan.values),
                *self._others(plan, dataset, order, draw),
            )
        ]

    def _others(self, plan: Plan, dataset: Dataset, order: str, draw: int) -> list[Cell]:
        return [
            plan.protocol.cell(dataset, order, draw, method)
            for method in plan.protocol.methods
            if method != "lta"
        ]

    def lines(self, plan: Plan, material: Material) -> dict[str, list[Line]]:
        """One line per set, order, draw, penalty and row; no penalty for methods without one."""
        lines: list[Line] = []
        for drawn in plan.draws(material.datasets):
            for value in plan.values:
                found = material.found([_cell(plan, *drawn, value)])
                lines += score_lines(found, penalty=f"{value:g}")
            lines += score_lines(material.found(self._others(plan, *drawn)), penalty="")
        return {self.name: lines}

    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """One panel per set."""
        return sweep_picture(
            self.name, lines[self.name], "penalty", label="penalty λ", score=NMI, log=True
        )


def _cell(plan: Plan, dataset: Dataset, order: str, draw: int, penalty: float) -> Cell:
    of_tables = plan.protocol.cell(dataset, order, draw, "lta")
    if penalty == PAPER_PENALTY:
        return of_tables
    settings = {**of_tables.settings, "penalty": penalty}
    return Cell("penalty", dataset.name, order, draw, "lta", settings)


def compute(cell: Cell, options: RunOptions) -> dict[str, Any]:
    """LTA with the penalty of the cell, scored as for the tables."""
    dataset = dataset_of(cell, options)
    drawn = draw_of(cell, dataset)
    penalty = cell.settings["penalty"]
    found = run_lta(
        drawn.ensemble, dataset.n_classes, drawn.random_state, options.device, penalty=penalty
    )
    rows = {row: scores(drawn.truth, labels) for row, labels in found.labels.items()}
    return {"rows": rows, "details": found.details}
