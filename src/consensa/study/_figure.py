"""What a figure of the study is: cells to compute, lines of data, and pictures of those lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from consensa.datasets import Dataset
from consensa.plotting.axes import new_figure
from consensa.study._lines import Line
from consensa.study.cells import Cell
from consensa.study.material import Material
from consensa.study.protocol import Protocol

__all__ = [
    "NMI",
    "Figure",
    "Picture",
    "Plan",
    "digits",
    "panels",
]

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

    def by_size(self, datasets: Mapping[str, Dataset]) -> list[Dataset]:
        """The sets that are asked for, the smallest first: an early stop leaves most."""
        return sorted((datasets[name] for name in self.protocol.sets), key=lambda d: d.n_samples)

    def draws(self, datasets: Mapping[str, Dataset]) -> Iterator[tuple[Dataset, str, int]]:
        """Each set, order and number of a draw, in the order of the lines of the data."""
        for name in self.protocol.sets:
            for order in self.protocol.orders:
                for draw in range(self.protocol.draws):
                    yield datasets[name], order, draw


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
    def lines(self, plan: Plan, material: Material) -> dict[str, list[Line]]:
        """The data, by the stem of its CSV file; missing cells are left out."""

    @abstractmethod
    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """Pictures of the data, by the stem of their files; none where there are no data."""


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
