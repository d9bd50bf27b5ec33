"""Figures, axes and files of the displays, and the colors that they share."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from consensa._machine.atomic import replacing
from consensa._machine.printable import printable
from consensa._optional import require

__all__ = [
    "COLORS",
    "DASHES",
    "MARKERS",
    "color_map",
    "figure_bytes",
    "new_axes",
    "new_figure",
    "number_of_clusters_axis",
    "plain_text",
    "require_matplotlib",
    "save_figure",
    "short_name",
    "tidy",
]

# Colors of Okabe and Ito, safe for color blindness; dashes and markers help in gray scale.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222")
DASHES = ("-", "--", ":", "-.")
# No date, no version, and names inside the SVG that do not change from run to run.
_METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
_MOST_TICKS = 12
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def require_matplotlib(purpose: str) -> Any:
    """Import matplotlib, or raise an error that `purpose` needs it."""
    return require("matplotlib", extra="plot", purpose=purpose)


def new_axes(purpose: str, size: tuple[float, float] = (6.4, 4.2)) -> Any:
    """Axes of a new pyplot figure, for interactive use."""
    pyplot = require("matplotlib.pyplot", extra="plot", purpose=purpose)
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def new_figure(size: tuple[float, float]) -> Any:
    """A figure independent of pyplot, which needs no window system."""
    figures: Any = require("matplotlib.figure", extra="plot", purpose="A picture in a file")
    return figures.Figure(figsize=size, layout="constrained")


def save_figure(figure: Any, stem: Path) -> list[Path]:
    """Write ``stem.png`` and ``stem.svg``; the same figure gives the same bytes."""
    written = []
    for kind in _METADATA:
        path = stem.with_name(f"{stem.name}.{kind}")
        with replacing(path) as temporary:
            temporary.write_bytes(figure_bytes(figure, kind))
        written.append(path)
    return written


def figure_bytes(figure: Any, kind: str) -> bytes:
    """A figure as PNG or SVG; the same figure gives the same bytes."""
    matplotlib = require_matplotlib("A picture in a file")
    buffer = io.BytesIO()
    with (
        matplotlib.rc_context({"svg.hashsalt": "consensa", "svg.fonttype": "path"}),
        warnings.catch_warnings(),
    ):
        # A letter of a name that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        figure.savefig(buffer, dpi=150, format=kind, metadata=_METADATA[kind])
    return buffer.getvalue()


def color_map(name: str) -> Any:
    """A color map of matplotlib by its name."""
    return require_matplotlib("A color map").colormaps[name]


def number_of_clusters_axis(ax: Any, numbers: Any, chosen: int | None = None) -> None:
    """Name the axis, tick at whole numbers only, and mark the number that was chosen."""
    different = np.unique(numbers)
    ax.set_xticks(different[:: -(-different.size // _MOST_TICKS)])
    ax.set_xlabel("number of clusters")
    if chosen in different:
        ax.axvline(chosen, color="0.2", linestyle="--", linewidth=1, zorder=0)


def tidy(ax: Any, *, grid: str = "y") -> None:
    """A light grid behind the data, and no frame where it separates nothing."""
    ax.grid(axis=grid, color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def plain_text(text: Any) -> str:
    """Text from outside, such as the name of a file, as matplotlib should draw it.

    On one line, with what has no glyph written by its number, and not taken for a formula, which
    the dollar signs of a name would begin and end.
    """
    return _one_line(text).replace("$", r"\$")


def short_name(name: Any, most: int = 20) -> str:
    """A name from outside, as it fits beside an axis."""
    text = _one_line(name)
    return plain_text(text if len(text) <= most else text[: most - 1] + "…")


def _one_line(text: Any) -> str:
    return " ".join(printable(text).split())
