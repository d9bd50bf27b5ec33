"""What every display has: axes to draw on, and the figure around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, dataclass_transform

from consensa._docs import DISPLAY, documented
from consensa.plotting.axes import new_axes

__all__ = ["Display"]


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class Display:
    """A picture with one pair of axes.

    A subclass is a dataclass: its fields are what it draws and, with ``field(init=False)``, what
    it has drawn. Entries of `DISPLAY` are inserted into its docstrings.
    """

    figure_: Any
    ax_: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        documented(DISPLAY)(dataclass(eq=False, repr=False)(cls))

    def _draw_on(self, ax: Any, size: tuple[float, float] = (6.4, 4.2)) -> None:
        """Take the axes of the caller, or make a figure of this size."""
        self.ax_ = new_axes(type(self).__name__, size) if ax is None else ax
        self.figure_ = self.ax_.figure
