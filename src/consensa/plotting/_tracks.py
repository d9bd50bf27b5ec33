"""Annotation tracks: known columns as strips of color along the samples of a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.exceptions import InvalidInputError
from consensa.plotting._clusters import cluster_color, read_clusters
from consensa.plotting.axes import color_map, require_matplotlib, short_name

__all__ = ["POINTS_OF_A_TRACK", "draw_tracks"]

POINTS_OF_A_TRACK = 11  # height with the gap above it
_HEIGHT, _STEP = 0.025, 0.034  # in heights of the axes
_MOST_CELLS = 1000
_MOST_COLORS = 12  # numbers with more values have a scale of colors


def draw_tracks(ax: Any, tracks: Mapping[str, Any], order: Array) -> list[Any]:
    """Draw a strip above the axes for each column, samples in this order; returns their axes."""
    made = []
    places = np.linspace(0, len(order), min(len(order), _MOST_CELLS), endpoint=False).astype(int)
    for row, (name, values) in enumerate(tracks.items()):
        colors = _colors(name, values, len(order))[order][places]
        strip = ax.inset_axes((0, 1.01 + row * _STEP, 1, _HEIGHT))
        strip.imshow(colors[None], aspect="auto", interpolation="nearest")
        strip.set_axis_off()
        strip.text(
            -0.01, 0.5, short_name(name), transform=strip.transAxes, ha="right", va="center",
            fontsize="x-small",
        )  # fmt: skip
        made.append(strip)
    return made


def _colors(name: str, values: Any, n_samples: int) -> Array:
    """Color of each sample: a scale for numbers, the colors of clusters for other values."""
    entries = np.asarray(values)
    if entries.shape != (n_samples,):
        message = (
            f"tracks must have a value for each of the {n_samples} samples. {name!r} has shape "
            f"{entries.shape}."
        )
        raise InvalidInputError(message)
    if entries.dtype.kind in "fiu" and len(np.unique(entries)) > _MOST_COLORS:
        low, high = np.nanmin(entries), np.nanmax(entries)
        scaled = np.nan_to_num((entries - low) / (high - low or 1))
        return np.asarray(color_map("viridis")(scaled))[:, :3]
    to_rgb = require_matplotlib("A track").colors.to_rgb
    codes = read_clusters(entries, n_samples, "samples").codes
    palette = np.array([to_rgb(cluster_color(code)) for code in range(int(codes.max()) + 1)])
    return palette[codes]
