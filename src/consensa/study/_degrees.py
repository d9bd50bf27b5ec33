"""The gain from the order of the file: rows moved by degrees, from as stored to shuffled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from consensa.datasets import Dataset
from consensa.metrics import class_runs
from consensa.study._field_audit_page import TITLES
from consensa.study._figure import NMI, Figure, Picture, Plan
from consensa.study._lines import Line, score_lines
from consensa.study._sweeps import sweep_picture
from consensa.study.cells import Cell
from consensa.study.draws import draw_of
from consensa.study.material import Material

__all__ = ["DegreesFigure"]

_ALL = 100.0  # per cent


class DegreesFigure(Figure):
    """Score against the share of the rows that are moved."""

    name = "degrees"
    title = "Shuffling by degrees"
    about = (
        "NMI against the share of the rows that exchange their places at random, from the file as "
        "stored (0) to all rows shuffled (100); bars are a standard deviation over the draws. An "
        "order-free method has a level line."
    )
    methods = ("lta", "gtlec", "eac")
    values = (1, 5, 20, 50)

    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """Every share on every draw; 0 and 100 per cent are cells of the tables."""
        return [
            cell
            for dataset in plan.by_size(datasets)
            for draw in range(plan.protocol.draws)
            for _, cell in _cells(plan, dataset, draw)
        ]

    def lines(self, plan: Plan, material: Material) -> dict[str, list[Line]]:
        """One line per set, draw, share and row, with the sortedness of the moved file."""
        lines: list[Line] = []
        for name in plan.protocol.sets:
            dataset = material.datasets[name]
            for draw in range(plan.protocol.draws):
                for share, cell in _cells(plan, dataset, draw):
                    for record in material.found([cell]):
                        runs = class_runs(draw_of(cell, dataset).truth)
                        lines += score_lines(
                            [record],
                            order="by degrees",
                            moved=f"{share:g}",
                            sortedness=f"{runs.sortedness:.4f}",
                        )
        return {self.name: lines}

    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """One panel per set."""
        named = [
            {**line, "row": TITLES.get(str(line["row"]), line["row"]), "order": ""}
            for line in lines[self.name]
        ]
        return sweep_picture(
            self.name, named, "moved", label="rows moved, %", score=NMI, even=True
        )


def _cells(plan: Plan, dataset: Dataset, draw: int) -> Iterator[tuple[float, Cell]]:
    """The cells of one draw: as stored, with these shares moved, shuffled."""
    for share in (0.0, *plan.values, _ALL):
        order = "shuffled" if share else "stored"
        if order not in plan.protocol.orders:
            continue
        for method in plan.protocol.methods:
            cell = plan.protocol.cell(dataset, order, draw, method)
            if 0 < share < _ALL:
                # 5 and 5.0 are one cell.
                moved = int(share) if share == int(share) else share
                settings = {**cell.settings, "moved": moved}
                cell = Cell("degrees", dataset.name, order, draw, method, settings)
            yield share, cell
