"""Base class of the figures of the study: cells to compute, lines of data, and their plots."""

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
    """Parameters of a figure.

    Attributes
    ----------
    protocol : Protocol
        Sets, methods, orders, draws and seed.
    values : tuple of float
        Grid of the parameter that the figure varies, ascending; empty if there is none.
    """

    protocol: Protocol
    values: tuple[float, ...] = ()

    def by_size(self, datasets: Mapping[str, Dataset]) -> list[Dataset]:
        """The sets, smallest first, so that an early stop leaves most of them complete."""
        return sorted((datasets[name] for name in self.protocol.sets), key=lambda d: d.n_samples)

    def draws(self, datasets: Mapping[str, Dataset]) -> Iterator[tuple[Dataset, str, int]]:
        """Each set, order and draw number, in the order of the lines of data."""
        for name in self.protocol.sets:
            for order in self.protocol.orders:
                for draw in range(self.protocol.draws):
                    yield datasets[name], order, draw


class Picture(NamedTuple):
    """A figure and its description in words (alternative text)."""

    figure: Any
    alt: str


class Figure(ABC):
    """One figure of the study.

    The data come first: `lines` makes the CSV from what the store has, and `pictures` draws
    from those lines and nothing else.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]  # caption; {members} is the number of partitions of a draw
    methods: ClassVar[tuple[str, ...]] = ("lta",)
    values: ClassVar[tuple[float, ...]] = ()

    def described(self, plan: Plan) -> str:
        """The caption."""
        return self.about.format(members=plan.protocol.members)

    def left_out(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[str]:
        """Sentences on the parts that cannot be computed."""
        return []

    @abstractmethod
    def cells(self, plan: Plan, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """The cells to compute, smallest sets first and draw by draw."""

    @abstractmethod
    def lines(self, plan: Plan, material: Material) -> dict[str, list[Line]]:
        """The data, by the stem of the CSV file; without missing cells."""

    @abstractmethod
    def pictures(self, lines: Mapping[str, Sequence[Line]]) -> dict[str, Picture]:
        """Plots of the data, by the stem of their files; none without data."""


def digits(value: float) -> float:
    """A value as it is stored, in nine digits."""
    return float(f"{value:.9g}")


def panels(count: int, *, width: float = 4.6, height: float = 3.6) -> tuple[Any, list[Any]]:
    """A figure with `count` panels, and its axes."""
    across = min(count, 3)
    down = -(-count // across)
    figure = new_figure((max(width * across, _LEAST_WIDTH), height * down))
    axes = list(figure.subplots(down, across, squeeze=False).ravel())
    for ax in axes[count:]:
        ax.set_axis_off()
    return figure, axes[:count]
