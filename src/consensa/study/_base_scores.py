"""The paper's figure of the ensemble against its base partitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from consensa.datasets import Dataset
from consensa.plotting import BaseComparisonDisplay
from consensa.plotting.axes import new_figure
from consensa.study._figure import NMI, Figure, Picture, Plan, digits
from consensa.study._lines import Line, score_lines
from consensa.study.cells import Cell
from consensa.study.draws import METRICS, dataset_of, scores
from consensa.study.material import Material
from consensa.study.options import RunOptions

__all__ = ["BaseFigure", "compute"]

_BASE = "base partitions"


class BaseFigure(Figure):
    """Scores of the consensus and of the pool."""

    name = "base"
    title = "The ensemble against its base partitions"
    about = (
        "NMI of every base partition of the pool (box: quartiles; whiskers: 1.5 times their "
        "distance) and of the consensus of {members} of them (mean and standard deviation over "
        "the draws). The paper compares means; the box shows the distribution. The numbers of "
        "clusters of the base partitions differ from the number of classes, which lowers their "
        "NMI over the larger entropy."
    )
    methods = ("lta", "eac")

    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """The pool of each set, and cells of the tables."""
        return [
            cell
            for dataset in plan.by_size(datasets)
            for cell in (_pool(dataset), *_of_tables(plan, dataset))
        ]

    def lines(self, plan: Plan, material: Material) -> dict[str, list[Line]]:
        """One line per base partition, then one per draw, order and row."""
        lines: list[Line] = []
        for name in plan.protocol.sets:
            dataset = material.datasets[name]
            lines += [
                {"dataset": name, "order": "", "draw": number, "row": _BASE, "state": "done"}
                | {metric: f"{found[metric]:.6f}" for metric in METRICS}
                for pool in material.found([_pool(dataset)])
                for number, found in enumerate(pool.payload.get("partitions", []))
            ]
            lines += score_lines(material.found(_of_tables(plan, dataset)))
        return {self.name: lines}

    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """One figure for all sets."""
        base: dict[str, list[float]] = defaultdict(list)
        consensus: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for line in lines[self.name]:
            if line["nmi"] == "":
                continue
            name, score = str(line["dataset"]), float(str(line["nmi"]))
            if line["row"] == _BASE:
                base[name].append(score)
            else:
                consensus[str(line["row"]), str(line["order"])][name].append(score)
        if not base:
            return {}
        figure = new_figure((max(6.0, 2.2 + 1.9 * len(base)), 4.4))
        BaseComparisonDisplay(base, consensus, score=NMI).plot(figure.subplots())
        return {self.name: Picture(figure, _in_words(base, consensus))}


def _in_words(
    base: Mapping[str, Sequence[float]],
    consensus: Mapping[tuple[str, str], Mapping[str, Sequence[float]]],
) -> str:
    said = [f"{NMI}, means."]
    for name, values in base.items():
        others = [
            f"{row}, {order} {sum(found[name]) / len(found[name]):.2f}"
            for (row, order), found in consensus.items()
            if found.get(name)
        ]
        mean = sum(values) / len(values)
        said.append(f"{name}: base partitions {mean:.2f}; " + "; ".join(others) + ".")
    return " ".join(said)


def _pool(dataset: Dataset) -> Cell:
    # The scores of an existing partition do not depend on the order of the rows.
    return Cell("base", dataset.name, "stored", 0, "pool", {"data": dataset.fingerprint})


def _of_tables(plan: Plan, dataset: Dataset) -> list[Cell]:
    return [
        plan.protocol.cell(dataset, order, draw, method)
        for draw in range(plan.protocol.draws)
        for order in plan.protocol.orders
        for method in plan.protocol.methods
    ]


def compute(cell: Cell, options: RunOptions) -> dict[str, Any]:
    """Scores of every partition of the pool."""
    dataset = dataset_of(cell, options)
    assert dataset.members is not None  # checked by load_with_pool
    return {
        "partitions": [
            {name: digits(value) for name, value in scores(dataset.y, labels).items()}
            for labels in dataset.members.T
        ]
    }
