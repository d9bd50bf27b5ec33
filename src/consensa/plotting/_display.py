"""What every display has: axes to draw on, and the figure around them."""

from __future__ import annotations

from typing import Any

from consensa.plotting.axes import new_axes

__all__ = ["Display"]


class Display:
    """A picture with one pair of axes."""

    figure_: Any
    ax_: Any

    def _draw_on(self, ax: Any, size: tuple[float, float] = (6.4, 4.2)) -> None:
        """Take the axes of the caller, or make a figure of this size."""
        self.ax_ = new_axes(type(self).__name__, size) if ax is None else ax
        self.figure_ = self.ax_.figure
