"""The paper's figure of the penalty λ: NMI of Ours-SC and Ours-EA over a grid, both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consensa.datasets import Dataset
from consensa.study._figure import NMI, Figure, Line, Picture, Plan, score_lines, sets_by_size
from consensa.study._methods import PAPER_PENALTY, run_lta
from consensa.study._protocol import dataset_of, draw_of, scores
from consensa.study._store import Cell, Record
from consensa.study._sweeps import sweep_picture

__all__ = ["PenaltyFigure", "compute"]


class PenaltyFigure(Figure):
    """Score against the penalty."""

    name = "penalty"
    title = "The penalty λ"
    about = (
        "NMI of LTA's two partitions against the penalty λ, rows as stored and shuffled; bars are "
        "a standard deviation over the draws. The paper's text names no grid but λ = 0.002, so "
        "the grid is ours. EAC, which has no penalty and does not read the order, is the level "
        "line."
    )
    methods = ("lta", "eac")
    values = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)

    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """Every penalty on every draw; the paper's own is a cell of the tables."""
        return [
            cell
            for dataset in sets_by_size(plan, datasets)
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

    def lines(
        self, plan: Plan, datasets: Mapping[str, Dataset], records: Mapping[str, Record]
    ) -> dict[str, list[Line]]:
        """A line a set, order, draw, penalty and row; no penalty for methods without one."""
        lines: list[Line] = []
        for name in plan.protocol.sets:
            dataset = datasets[name]
            for order in plan.protocol.orders:
                for draw in range(plan.protocol.draws):
                    for value in plan.values:
                        cell = _cell(plan, dataset, order, draw, value)
                        lines += score_lines([cell], records, penalty=f"{value:g}")
                    others = self._others(plan, dataset, order, draw)
                    lines += score_lines(others, records, penalty="")
        return {self.name: lines}

    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """A panel a set."""
        return sweep_picture(
            self.name, lines[self.name], "penalty", label="penalty λ", score=NMI, log=True
        )


def _cell(plan: Plan, dataset: Dataset, order: str, draw: int, penalty: float) -> Cell:
    of_tables = plan.protocol.cell(dataset, order, draw, "lta")
    if penalty == PAPER_PENALTY:
        return of_tables
    settings = {**of_tables.settings, "penalty": penalty}
    return Cell("penalty", dataset.name, order, draw, "lta", settings)


def compute(
    cell: Cell, *, folder: str | None, pools: str | None, device: str | None, **_: object
) -> dict[str, Any]:
    """LTA with the penalty of the cell, scored as for the tables."""
    dataset = dataset_of(cell, folder, pools)
    drawn = draw_of(cell, dataset)
    found = run_lta(
        drawn.ensemble,
        dataset.n_classes,
        drawn.random_state,
        device,
        penalty=cell.settings["penalty"],
    )
    rows = {row: scores(drawn.truth, labels) for row, labels in found.labels.items()}
    return {"rows": rows, "details": found.details}
