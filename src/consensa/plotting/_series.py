"""Styles of series: the method by color and marker, its setting by dashes and filling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consensa.plotting.axes import COLORS, DASHES, MARKERS

__all__ = ["series_label", "series_styles"]


def series_label(name: str | tuple[str, str]) -> str:
    """A name with one or two parts, as written in the legend."""
    return name if isinstance(name, str) else ", ".join(filter(None, name))


def series_styles(names: Sequence[Any]) -> dict[Any, dict[str, str]]:
    """Color and mark by the first part of a name; dashes, and an empty mark, by the second."""
    parts = [(name, "") if isinstance(name, str) else name for name in names]
    firsts = list(dict.fromkeys(first for first, _ in parts))
    seconds = list(dict.fromkeys(second for _, second in parts))
    styles = {}
    for name, (first, second) in zip(names, parts, strict=True):
        color = COLORS[firsts.index(first) % len(COLORS)]
        setting = seconds.index(second)
        styles[name] = {
            "color": color,
            "marker": MARKERS[firsts.index(first) % len(MARKERS)],
            "linestyle": DASHES[setting % len(DASHES)],
            "markerfacecolor": "white" if setting else color,
        }
    return styles
