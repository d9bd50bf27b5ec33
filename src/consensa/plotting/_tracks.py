"""Annotation tracks: known columns as strips of color along the samples of a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.exceptions import InvalidInputError
from consensa.plotting._clusters import cluster_color, read_clusters
from consensa.plotting.axes import color_map, require_matplotlib, short_name

__all__ = ["draw_tracks", "draw_tracks_of_leaves", "make_room"]

_POINTS_OF_A_TRACK = 11  # height with the gap above it
_HEIGHT, _STEP = 0.025, 0.034  # in heights of the axes
_MOST_CELLS = 1000
_CELLS_OF_A_LEAF = 20
_MOST_COLORS = 12  # numbers with more values have a scale of colors


def draw_tracks(ax: Any, tracks: Mapping[str, Any], order: Array) -> list[Any]:
    """Draw a strip above the axes for each column, samples in this order; returns their axes."""
    places = np.linspace(0, len(order), min(len(order), _MOST_CELLS), endpoint=False).astype(int)
    return [
        _strip(ax, row, name, _read(name, values, len(order)).colors[order][places])
        for row, (name, values) in enumerate(tracks.items())
    ]


def draw_tracks_of_leaves(ax: Any, tracks: Mapping[str, Any], leaf_of_sample: Array) -> list[Any]:
    """Draw the strips above leaves at 0, 1, …; the samples of a leaf are sorted by their values.

    The part of a color above a leaf is its share of the samples.
    """
    members = [np.flatnonzero(leaf_of_sample == leaf) for leaf in range(leaf_of_sample.max() + 1)]
    shares = (np.arange(_CELLS_OF_A_LEAF) + 0.5) / _CELLS_OF_A_LEAF
    made = []
    for row, (name, values) in enumerate(tracks.items()):
        track = _read(name, values, len(leaf_of_sample))
        sorted_members = [own[np.argsort(track.ranks[own], kind="stable")] for own in members]
        shown = [own[(shares * len(own)).astype(int)] for own in sorted_members]
        strip = _strip(ax, row, name, track.colors[np.concatenate(shown)])
        strip.images[0].set_extent((-0.5, len(members) - 0.5, 0, 1))
        strip.set_xlim(ax.get_xlim())
        made.append(strip)
    return made


def make_room(ax: Any, n_tracks: int) -> None:
    """Move the title of axes above their tracks."""
    if n_tracks:
        ax.set_title(ax.get_title(), pad=6 + _POINTS_OF_A_TRACK * n_tracks)


def _strip(ax: Any, row: int, name: str, colors: Array) -> Any:
    strip = ax.inset_axes((0, 1.01 + row * _STEP, 1, _HEIGHT))
    strip.imshow(colors[None], aspect="auto", interpolation="nearest")
    strip.set_axis_off()
    strip.text(
        -0.01, 0.5, short_name(name), transform=strip.transAxes, ha="right", va="center",
        fontsize="x-small",
    )  # fmt: skip
    return strip


class _Track(NamedTuple):
    ranks: Array  # of each sample, by which those of a leaf are sorted
    colors: Array


def _read(name: str, values: Any, n_samples: int) -> _Track:
    """Colors of the samples: a scale for numbers, the colors of clusters for other values."""
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
        return _Track(scaled, np.asarray(color_map("viridis")(scaled))[:, :3])
    to_rgb = require_matplotlib("A track").colors.to_rgb
    codes = read_clusters(entries, n_samples, "samples").codes
    palette = np.array([to_rgb(cluster_color(code)) for code in range(int(codes.max()) + 1)])
    return _Track(codes, palette[codes])
