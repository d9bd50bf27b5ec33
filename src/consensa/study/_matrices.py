"""The paper's figure of the matrices: the affinities of several methods on one ensemble."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from consensa._array import Array, to_numpy
from consensa._machine.memory import require_square
from consensa.consensus import lta, spce
from consensa.datasets import Dataset
from consensa.ensemble import Ensemble
from consensa.plotting import MatricesDisplay
from consensa.plotting.axes import new_figure, plain_text
from consensa.plotting.blocks import block_means
from consensa.similarity import coassociation, coherent_links, locally_weighted_coassociation
from consensa.study._figure import Figure, Picture, Plan, digits
from consensa.study._lines import Line
from consensa.study.cells import Cell
from consensa.study.draws import Drawn, dataset_of, draw_of
from consensa.study.material import Material
from consensa.study.methods import PAPER_PENALTY
from consensa.study.options import RunOptions

__all__ = ["MatricesFigure", "compute"]

_MAX_CELLS = 108  # 3 cells for each of BinAlpha's 36 classes
_CELLS = "matrices-cells"
_SEPARATION = ("within", "between", "correlation_with_ideal")


def _refined(ensemble: Ensemble, n_clusters: int, device: str | None) -> Any:
    # The partition of the matrix is not plotted, so its seed has no effect.
    return lta(
        ensemble, n_clusters, penalty=PAPER_PENALTY, n_init=1, random_state=0, device=device
    ).affinity


def _ideal(truth: Array) -> Array:
    return truth[:, None] == truth[None, :]


# The matrices, in the order of the paper; the ideal one needs the classes and is separate.
_MATRICES: dict[str, Callable[[Ensemble, int, str | None], Any]] = {
    "coherent links": lambda ensemble, n_clusters, device: coherent_links(ensemble),
    "co-association": lambda ensemble, n_clusters, device: coassociation(ensemble),
    "LWCA": lambda ensemble, n_clusters, device: locally_weighted_coassociation(ensemble),
    "SPCE": lambda ensemble, n_clusters, device: spce(ensemble, n_clusters).affinity,
    "refined": _refined,
}
_READS_THE_ORDER = "refined"
_IDEAL = "ideal"


class MatricesFigure(Figure):
    """The matrices side by side, with one color bar."""

    name = "matrices"
    title = "The matrices"
    about = (
        "Affinities of several methods on the same {members} partitions: one draw, samples "
        "ordered by class in every panel, each matrix divided by its largest off-diagonal entry, "
        "one color bar. Only the refined matrix depends on the order of the rows, so it is shown "
        "for both orders."
    )

    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """One cell per matrix; the refined one in each order."""
        return [cell for dataset in plan.by_size(datasets) for cell in _cells(plan, dataset)]

    def lines(self, plan: Plan, material: Material) -> dict[str, list[Line]]:
        """The separation of the classes in each matrix, and the plotted values."""
        summary: list[Line] = []
        cells: list[Line] = []
        for name in plan.protocol.sets:
            for record in material.found(_cells(plan, material.datasets[name])):
                cell = record.cell
                where = {
                    "dataset": name,
                    "matrix": cell.method,
                    "order": cell.order if cell.method == _READS_THE_ORDER else "either",
                }
                found = record.payload.get("separation", {})
                shown = {key: f"{found[key]:.6f}" for key in _SEPARATION if key in found}
                summary.append({**where, "state": record.state, **shown})
                for number, row in enumerate(record.payload.get("cells", [])):
                    values = " ".join(f"{round(value, 2):g}" for value in row)
                    cells.append({**where, "cell_row": number, "values": values})
        return {self.name: summary, _CELLS: cells}

    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """One figure per set."""
        matrices: dict[str, dict[str, list[list[float]]]] = {}
        for line in lines[_CELLS]:
            order = "" if line["order"] == "either" else f"\nrows {line['order']}"
            row = [float(value) for value in str(line["values"]).split()]
            of_set = matrices.setdefault(str(line["dataset"]), {})
            of_set.setdefault(f"{line['matrix']}{order}", []).append(row)
        drawn = {}
        for name, found in matrices.items():
            figure = new_figure((2.4 * min(len(found), 4) + 0.8, 2.7 * -(-len(found) // 4)))
            MatricesDisplay({title: np.array(rows) for title, rows in found.items()}).plot(figure)
            figure.suptitle(f"{plain_text(name)}: samples ordered by class")
            said = _in_words([line for line in lines[self.name] if line["dataset"] == name])
            drawn[f"{self.name}-{name}"] = Picture(figure, f"Matrices of {name}. {said}")
        return drawn


def _in_words(summary: Sequence[Line]) -> str:
    said = [
        f"{line['matrix']} ({line['order']}): mean affinity {float(str(line['within'])):.2f} "
        f"within classes, {float(str(line['between'])):.2f} between"
        for line in summary
        if line.get("within")
    ]
    return "; ".join(said) + "."


def _cells(plan: Plan, dataset: Dataset) -> list[Cell]:
    orders = plan.protocol.orders
    named = [
        (name, order)
        for name in (*_MATRICES, _IDEAL)
        for order in (orders if name == _READS_THE_ORDER else orders[:1])
    ]
    shared = {
        "seed": plan.protocol.seed,
        "members": plan.protocol.members,
        "data": dataset.fingerprint,
        "max_cells": _MAX_CELLS,
    }
    penalty = {"penalty": PAPER_PENALTY}
    return [
        Cell("matrices", dataset.name, order, 0, name,
             shared | (penalty if name == _READS_THE_ORDER else {}))
        for name, order in named
    ]  # fmt: skip


def compute(cell: Cell, options: RunOptions) -> dict[str, Any]:
    """One matrix: its block means in order of the classes, and their separation."""
    dataset = dataset_of(cell, options)
    drawn = draw_of(cell, dataset)
    require_square(dataset.n_samples, np.float64, arrays=3, step="A matrix of the study")
    if cell.method == _IDEAL:
        matrix = _ideal(drawn.truth)
    else:
        made = _MATRICES[cell.method](drawn.ensemble, dataset.n_classes, options.device)
        matrix = to_numpy(made)
    return summarized(matrix, drawn, cell.settings["max_cells"])


def summarized(matrix: Array, drawn: Drawn, max_cells: int) -> dict[str, Any]:
    """Block means of a matrix scaled to [0, 1], and its means within and between classes."""
    scaled = np.array(matrix, dtype=np.float64)
    np.fill_diagonal(scaled, 0)
    largest = float(scaled.max())
    scaled = scaled / largest if largest > 0 else scaled
    np.fill_diagonal(scaled, 1)
    # By class, then by row of the file: the same order of samples in both orders of the rows.
    order = np.lexsort((drawn.rows, drawn.truth))
    cells = block_means(scaled, order, max_cells)
    return {
        "cells": [[round(float(value), 3) for value in row] for row in cells],
        "separation": {key: digits(value) for key, value in separation(scaled, drawn.truth)},
    }


def separation(matrix: Array, truth: Array) -> list[tuple[str, float]]:
    """Mean affinity of two samples of one class and of two classes; correlation with the ideal."""
    same = _ideal(truth)
    others = ~np.eye(len(truth), dtype=bool)  # without the diagonal
    within, between = matrix[same & others], matrix[~same]
    spread = float(matrix[others].std())
    share = len(within) / (len(within) + len(between))
    gap = float(within.mean() - between.mean())
    # Pearson's correlation with a 0/1 matrix, from the two means.
    correlation = gap * np.sqrt(share * (1 - share)) / spread if spread > 0 else 0.0
    values = (float(within.mean()), float(between.mean()), float(correlation))
    return list(zip(_SEPARATION, values, strict=True))
