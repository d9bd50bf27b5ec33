"""What a figure of the study is: cells to compute, lines of data, and pictures of those lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from consensa.datasets import Dataset
from consensa.plotting.axes import new_figure
from consensa.study._methods import METHODS
from consensa.study._protocol import METRICS, Protocol
from consensa.study._store import Cell, Record

__all__ = [
    "NMI",
    "Figure",
    "Line",
    "Picture",
    "Plan",
    "digits",
    "panels",
    "score_lines",
    "sets_by_size",
]

Line = Mapping[str, object]
_LEAST_WIDTH = 6.0  # inches, for the legend
NMI = "NMI over the larger entropy"


@dataclass(frozen=True)
class Plan:
    """What is asked of a figure.

    Attributes
    ----------
    protocol : Protocol
        Sets, methods, orders, draws and seed.
    values : tuple of float
        Grid of the parameter that the figure sweeps over, ascending; empty where it has none.
    """

    protocol: Protocol
    values: tuple[float, ...] = ()


class Picture(NamedTuple):
    """A drawn figure and what it shows, in words, for those who cannot see it."""

    figure: Any
    alt: str


class Figure(ABC):
    """One figure of the study.

    The data come first: `lines` makes the CSV from what the store has, and `pictures` draws
    from those lines and nothing else.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]  # what is shown, and what of it is ours; {members} is their number
    methods: ClassVar[tuple[str, ...]] = ("lta",)
    values: ClassVar[tuple[float, ...]] = ()

    def described(self, plan: Plan) -> str:
        """What is shown."""
        return self.about.format(members=plan.protocol.members)

    def left_out(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[str]:
        """What was asked for and cannot be computed, in sentences."""
        return []

    @abstractmethod
    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """What has to be computed, small sets first and whole draws together."""

    @abstractmethod
    def lines(
        self, plan: Plan, datasets: Mapping[str, Dataset], records: Mapping[str, Record]
    ) -> dict[str, list[Line]]:
        """The data, by the stem of its CSV file; missing cells are left out."""

    @abstractmethod
    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """Pictures of the data, by the stem of their files; none where there are no data."""


def sets_by_size(plan: Plan, datasets: Mapping[str, Dataset]) -> list[Dataset]:
    """The sets that are asked for, the smallest first: an early stop leaves most."""
    return sorted(
        (datasets[name] for name in plan.protocol.sets), key=lambda dataset: dataset.n_samples
    )


def score_lines(
    cells: Iterable[Cell], records: Mapping[str, Record], **more: object
) -> list[Line]:
    """A line for each row of each cell that the store has, with its scores or without."""
    lines: list[Line] = []
    for cell in cells:
        record = records.get(cell.key)
        if record is None:
            continue
        where = {"dataset": cell.dataset, "order": cell.order, "draw": cell.draw, **more}
        for row in METHODS[cell.method].rows:
            found = record.payload.get("rows", {}).get(row, {})
            scores = {name: f"{found[name]:.6f}" if found else "" for name in METRICS}
            lines.append({**where, "row": row, "state": record.state, **scores})
    return lines


def digits(value: float) -> float:
    """A value as it is kept: nine digits are more than anything here is known to."""
    return float(f"{value:.9g}")


def panels(count: int, *, width: float = 4.6, height: float = 3.6) -> tuple[Any, list[Any]]:
    """A figure with a panel for each of `count` things, and its axes."""
    across = min(count, 3)
    down = -(-count // across)
    figure = new_figure((max(width * across, _LEAST_WIDTH), height * down))
    axes = list(figure.subplots(down, across, squeeze=False).ravel())
    for ax in axes[count:]:
        ax.set_axis_off()
    return figure, axes[:count]
