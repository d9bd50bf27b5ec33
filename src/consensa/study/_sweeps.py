"""Plots of scores against a parameter, one panel per set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from consensa._array import Array
from consensa.plotting import SweepDisplay
from consensa.plotting.axes import plain_text
from consensa.study._figure import Picture, panels
from consensa.study._lines import Line

__all__ = ["sweep_picture"]

_METRIC = "nmi"


def sweep_picture(
    stem: str,
    lines: Sequence[Line],
    parameter: str,
    *,
    label: str,
    score: str,
    log: bool = False,
    even: bool = False,
) -> dict[str, Picture]:
    """Plot scores against a parameter; nothing without scores.

    The values are at equal distances if `even` is true.
    """
    known = [line for line in lines if line[_METRIC] != ""]
    sets = list(dict.fromkeys(str(line["dataset"]) for line in known))
    values = sorted({float(str(line[parameter])) for line in known if line[parameter] != ""})
    if not sets or not values:
        return {}
    figure, axes = panels(len(sets))
    said = []
    for ax, name in zip(axes, sets, strict=True):
        series = _series([line for line in known if line["dataset"] == name], parameter, values)
        places = list(range(len(values))) if even else values
        SweepDisplay(places, series, parameter=label, score=score).plot(ax, log=log, legend=False)
        if even:
            ax.set_xticks(places, [f"{value:g}" for value in values])
        ax.set_title(plain_text(name))
        said.append(f"{name}: {_in_words(values, series)}")
    axes[0].set_ylim(0, 1.02)
    for ax in axes[1:]:
        ax.sharey(axes[0])
    handles, names = axes[0].get_legend_handles_labels()
    columns = 3 if len(sets) == 1 else 2 * min(len(sets), 3)
    figure.legend(
        handles, names, loc="outside upper center", ncols=columns, frameon=False, fontsize="small"
    )
    return {stem: Picture(figure, f"{score} against the {label}. " + " ".join(said))}


def _series(
    lines: Sequence[Line], parameter: str, values: Sequence[float]
) -> dict[tuple[str, str], Array]:
    """Scores by (row, order): one row per value, one column per draw; NaN if missing.

    A score without a value of the parameter is used for all values.
    """
    n_draws = 1 + max(int(str(line["draw"])) for line in lines)
    series: dict[tuple[str, str], Array] = {}
    for line in lines:
        key = (str(line["row"]), str(line["order"]))
        scores = series.setdefault(key, np.full((len(values), n_draws), np.nan))
        given = line[parameter]
        place = slice(None) if given == "" else values.index(float(str(given)))
        scores[place, int(str(line["draw"]))] = float(str(line[_METRIC]))
    return series


def _in_words(values: Sequence[float], series: Mapping[tuple[str, str], Array]) -> str:
    """First, best and last mean of each line."""
    said = []
    for name, scores in series.items():
        known = ~np.isnan(scores).all(axis=1)
        where, means = np.asarray(values)[known], np.nanmean(scores[known], axis=1)
        said.append(
            f"{', '.join(filter(None, name))}: {means[0]:.2f} at {where[0]:g}, "
            f"{means[-1]:.2f} at {where[-1]:g}, best {means.max():.2f}"
        )
    return "; ".join(said) + "."
