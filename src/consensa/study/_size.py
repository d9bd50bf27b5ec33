"""The paper's figure of the number of base partitions, with error bars over the draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from consensa.datasets import Dataset
from consensa.study._figure import NMI, Figure, Picture, Plan
from consensa.study._lines import Line, score_lines
from consensa.study._sweeps import sweep_picture
from consensa.study.cells import Cell
from consensa.study.material import Material
from consensa.study.protocol import Protocol

__all__ = ["SizeFigure"]


class SizeFigure(Figure):
    """Score against the number of base partitions."""

    name = "size"
    title = "The number of base partitions"
    about = (
        "NMI against the number of base partitions that are drawn from the pool; bars are a "
        "standard deviation over the draws. The paper shows LTA's two partitions; its text names "
        "no grid but 10 and 20. EAC represents the order-free methods."
    )
    methods = ("lta", "eac")
    values = (5, 10, 20, 30, 40, 50)

    def left_out(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[str]:
        """Sentences on sizes that are larger than the pool of a set."""
        said = []
        for name in plan.protocol.sets:
            available = _pool_size(datasets[name])
            sizes = [f"{value:g}" for value in plan.values if value > available]
            if sizes:
                said.append(
                    f"No draws of {', '.join(sizes)} partitions of {name}: its pool has "
                    f"{available}."
                )
        return said

    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """Cells as in the tables, with other numbers of members."""
        return [
            protocol.cell(dataset, order, draw, method)
            for dataset in plan.by_size(datasets)
            for draw in range(plan.protocol.draws)
            for _, protocol in _protocols(plan, dataset)
            for order in protocol.orders
            for method in protocol.methods
        ]

    def lines(self, plan: Plan, material: Material) -> dict[str, list[Line]]:
        """One line per set, order, draw, number of members and row."""
        lines: list[Line] = []
        for dataset, order, draw in plan.draws(material.datasets):
            for members, protocol in _protocols(plan, dataset):
                cells = [protocol.cell(dataset, order, draw, name) for name in protocol.methods]
                lines += score_lines(material.found(cells), members=members)
        return {self.name: lines}

    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """One panel per set."""
        return sweep_picture(
            self.name, lines[self.name], "members", label="number of base partitions", score=NMI
        )


def _protocols(plan: Plan, dataset: Dataset) -> list[tuple[int, Protocol]]:
    """The protocol for each number of members up to the size of the pool."""
    sizes = [int(value) for value in plan.values if value <= _pool_size(dataset)]
    return [(size, replace(plan.protocol, members=size)) for size in sizes]


def _pool_size(dataset: Dataset) -> int:
    return 0 if dataset.members is None else dataset.members.shape[1]
