"""Convergence of the solver: gaps and objective against the iteration, in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from consensa._result import SolverTrace
from consensa.consensus import lta
from consensa.datasets import Dataset
from consensa.plotting import ConvergenceDisplay, ObjectiveDisplay
from consensa.plotting.axes import new_figure, plain_text
from consensa.study._figure import Figure, Picture, Plan, digits
from consensa.study._lines import Line
from consensa.study.cells import Cell
from consensa.study.draws import dataset_of, draw_of
from consensa.study.material import Material
from consensa.study.methods import PAPER_PENALTY
from consensa.study.options import RunOptions

__all__ = ["ConvergenceFigure", "compute"]

_GAPS = ("gap_links", "gap_coassociation", "gap_affinity")


class ConvergenceFigure(Figure):
    """Gaps and objective of the solver."""

    name = "convergence"
    title = "Convergence of the solver"
    about = (
        "The three gaps between the copies of the solver's variables, and the objective, against "
        "the iteration: one draw, λ = 0.002, both orders. It converges in both orders, "
        "but to different matrices. The paper has no such figure."
    )

    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """One cell per set and order."""
        return [
            _cell(plan, dataset, order)
            for dataset in plan.by_size(datasets)
            for order in plan.protocol.orders
        ]

    def lines(self, plan: Plan, material: Material) -> dict[str, list[Line]]:
        """One line per iteration."""
        lines: list[Line] = []
        cells = [
            _cell(plan, material.datasets[name], order)
            for name in plan.protocol.sets
            for order in plan.protocol.orders
        ]
        for record in material.found(cells):
            found, cell = record.payload, record.cell
            for number, values in enumerate(found.get("iterations", []), start=1):
                named = zip((*_GAPS, "step", "objective", "survivors"), values, strict=True)
                lines.append(
                    {"dataset": cell.dataset, "order": cell.order, "iteration": number}
                    | {key: f"{value:.6g}" for key, value in named}
                    | {"tol": f"{found['tol']:g}", "converged": found["converged"]}
                )
        return {self.name: lines}

    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """One figure per set: the gaps of each order, and the objective of both."""
        runs: dict[str, dict[str, list[Line]]] = {}
        for line in lines[self.name]:
            of_set = runs.setdefault(str(line["dataset"]), {})
            of_set.setdefault(str(line["order"]), []).append(line)
        drawn = {}
        for name, orders in runs.items():
            traces = {order: _trace(found) for order, found in orders.items()}
            figure = new_figure((4.6 * (len(traces) + 1), 4.0))
            axes = figure.subplots(1, len(traces) + 1)
            for ax, (order, trace) in zip(axes, traces.items(), strict=False):
                ConvergenceDisplay(trace).plot(ax)
                ax.set_title(f"rows {order}: {ax.get_title().lower()}")
            ObjectiveDisplay({f"rows {o}": trace for o, trace in traces.items()}).plot(axes[-1])
            figure.suptitle(plain_text(name))
            drawn[f"{self.name}-{name}"] = Picture(figure, _in_words(name, traces))
        return drawn


def _in_words(name: str, traces: Mapping[str, SolverTrace]) -> str:
    said = [
        f"rows {order}: {'converged' if trace.converged else 'not converged'} after "
        f"{trace.n_iter} iterations with a largest gap of {trace.residual[-1]:.1e} and an "
        f"objective of {trace.objective[-1]:.4g}"
        for order, trace in traces.items()
    ]
    return f"The solver on {name}. " + "; ".join(said) + "."


def _cell(plan: Plan, dataset: Dataset, order: str) -> Cell:
    settings = plan.protocol.cell(dataset, order, 0, "lta").settings
    return Cell("convergence", dataset.name, order, 0, "lta", settings)


def _trace(lines: Sequence[Line]) -> SolverTrace:
    def column(name: str) -> np.ndarray[Any, Any]:
        return np.array([float(str(line[name])) for line in lines])

    gaps = np.stack([column(name) for name in _GAPS], axis=1)
    return SolverTrace(
        residual=gaps.max(axis=1),
        gaps=gaps,
        step=column("step"),
        objective=column("objective"),
        n_survivors=column("survivors").astype(np.int64),
        converged=str(lines[0]["converged"]) == "True",
        tol=float(str(lines[0]["tol"])),
    )


def compute(cell: Cell, options: RunOptions) -> dict[str, Any]:
    """The trace of one refinement with the paper's penalty."""
    dataset = dataset_of(cell, options)
    drawn = draw_of(cell, dataset)
    trace = lta(
        drawn.ensemble, dataset.n_classes, penalty=PAPER_PENALTY, n_init=1, random_state=0,
        device=options.device,
    ).trace  # fmt: skip
    assert trace is not None
    table = np.column_stack([trace.gaps, trace.step, trace.objective, trace.n_survivors])
    return {
        "iterations": [[digits(value) for value in row] for row in table],
        "tol": trace.tol,
        "converged": bool(trace.converged),
    }
