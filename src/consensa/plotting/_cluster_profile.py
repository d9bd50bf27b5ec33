"""Profiles of the clusters: heat map, dot plot or small multiples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, field
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.description import cluster_profiles
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.plotting._clusters import cluster_paint
from consensa.plotting._display import Display
from consensa.plotting.axes import plain_text, short_name, tidy

__all__ = ["ClusterProfileDisplay"]

_LARGE = 2.0  # effect that has the full color; more would hide the differences below it
_LONGEST_BAR = 20.0  # an effect may be infinite
_MOST_FEATURES = 40
_LARGEST_DOT = 180.0  # square points
_PANELS_ACROSS = 3
_COLORS = "RdBu_r"


class ClusterProfileDisplay(Display):
    """Features that set the clusters apart, and by how much.

    Three pictures of one table: a heat map of the effects (``kind="heatmap"``), a dot plot
    (``"dots"``: the color is the effect, the area its size), and small multiples (``"panels"``:
    one panel for each cluster, with the intervals of its largest effects).

    Parameters
    ----------
    profiles : pandas.DataFrame
        Table that `consensa.cluster_profiles` returns.
    n_top : int, default=5
        Number of features of each cluster, those of largest effect. A heat map and a dot plot
        show each of them for all clusters.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    features_ : list of str
        Names of the features that are drawn, from the top.
    effects_ : ndarray of shape (n_features, n_clusters)
        Their effects; NaN where the table has none.
    panels_ : list of matplotlib Axes
        The axes of the clusters; empty unless ``kind="panels"``.

    See Also
    --------
    consensa.cluster_profiles : The table, and what its test does not show.

    Examples
    --------
    >>> import consensa as cs
    >>> from consensa.plotting import ClusterProfileDisplay
    >>> X = [[0.0, 5.0], [0.1, 4.0], [0.3, 4.5], [9.0, 4.1], [9.2, 5.2]]
    >>> profiles = cs.cluster_profiles(X, [0, 0, 0, 1, 1])
    >>> display = ClusterProfileDisplay(profiles).plot()
    >>> display.features_
    ['0', '1']
    """

    profiles: Any
    _: KW_ONLY
    n_top: int = 5

    features_: list[str] = field(init=False)
    effects_: Array = field(init=False)
    panels_: list[Any] = field(init=False)

    @classmethod
    def from_result(
        cls, X: Any, result: Any, *, kind: str = "heatmap", n_top: int = 5, ax: Any = None
    ) -> ClusterProfileDisplay:
        """Compute the profiles of a result, and draw them.

        Parameters
        ----------
        X : frame, array-like, sparse matrix or AnnData
            Features as they were measured.
        result : ConsensusResult, fitted estimator or array-like of shape (n_samples,)
            The clusters.
        kind : {"heatmap", "dots", "panels"}, default="heatmap"
            The picture.
        n_top : int, default=5
            Number of features of each cluster.
        %(ax)s

        Returns
        -------
        ClusterProfileDisplay
            The display, drawn.

        See Also
        --------
        consensa.cluster_profiles : The table.

        Examples
        --------
        >>> from consensa.plotting import ClusterProfileDisplay
        >>> X = [[0.0, 5.0], [0.1, 4.0], [0.3, 4.5], [9.0, 4.1], [9.2, 5.2]]
        >>> ClusterProfileDisplay.from_result(X, [0, 0, 0, 1, 1], kind="dots").effects_.shape
        (2, 2)
        """
        return cls(cluster_profiles(X, result), n_top=n_top).plot(ax, kind=kind)

    def plot(self, ax: Any = None, *, kind: str = "heatmap") -> ClusterProfileDisplay:
        """Draw the profiles.

        Parameters
        ----------
        %(ax)s
        kind : {"heatmap", "dots", "panels"}, default="heatmap"
            The picture.

        Returns
        -------
        ClusterProfileDisplay
            The display itself.

        See Also
        --------
        ClusterProfileDisplay.from_result : Compute and draw in one call.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import ClusterProfileDisplay
        >>> profiles = cs.cluster_profiles([[0.0], [0.1], [9.0], [9.2]], [0, 0, 1, 1])
        >>> len(ClusterProfileDisplay(profiles).plot(kind="panels").panels_)
        2
        """
        if kind not in _DRAWERS:
            message = f"kind must be one of {', '.join(map(repr, _DRAWERS))}. Got {kind!r}."
            raise InvalidParameterError(message)
        table = _read(self.profiles, self.n_top)
        self.features_, self.effects_, self.panels_ = table.features, table.effects, []
        draw, size = _DRAWERS[kind]
        self._draw_on(ax, size(table))
        draw(self, table)
        return self

    def _heatmap(self, table: _Table) -> None:
        image = self.ax_.imshow(
            np.clip(table.effects, -_LARGE, _LARGE),
            cmap=_COLORS, vmin=-_LARGE, vmax=_LARGE, aspect="auto", interpolation="nearest",
        )  # fmt: skip
        for (row, column), effect in np.ndenumerate(table.effects):
            dark = abs(effect) > 0.7 * _LARGE
            self.ax_.text(
                column, row, _shown(effect), ha="center", va="center", fontsize="x-small",
                color="white" if dark else "black",
            )  # fmt: skip
        self._name(table, image)

    def _dots(self, table: _Table) -> None:
        row, column = (part.ravel() for part in np.indices(table.effects.shape))
        effect = np.clip(np.nan_to_num(table.effects.ravel()), -_LARGE, _LARGE)
        dots = self.ax_.scatter(
            column, row, _LARGEST_DOT * np.abs(effect) / _LARGE, effect,
            cmap=_COLORS, vmin=-_LARGE, vmax=_LARGE, edgecolors="0.4", linewidths=0.5,
        )  # fmt: skip
        self.ax_.set_xlim(-0.5, table.effects.shape[1] - 0.5)
        self.ax_.set_ylim(len(table.features) - 0.5, -0.5)
        tidy(self.ax_, grid="both")
        self._name(table, dots)

    def _name(self, table: _Table, mappable: Any) -> None:
        """Name the axes and add the color bar of a heat map or a dot plot."""
        self.ax_.set_xticks(range(len(table.clusters)), table.clusters)
        self.ax_.set_yticks(range(len(table.features)), table.features, fontsize="small")
        self.ax_.tick_params(length=0)
        self.ax_.set_xlabel("cluster")
        self.ax_.set_title("Features that set the clusters apart", fontsize="medium")
        bar = self.figure_.colorbar(mappable, ax=self.ax_, label="effect", extend="both")
        bar.outline.set_visible(False)

    def _panels(self, table: _Table) -> None:
        self.ax_.set_axis_off()
        n_clusters = len(table.clusters)
        across = min(_PANELS_ACROSS, n_clusters)
        down = -(-n_clusters // across)
        for number, own in enumerate(table.largest):
            row, column = divmod(number, across)
            place = ((column + 0.46) / across, 1 - (row + 0.84) / down, 0.5 / across, 0.68 / down)
            panel = self.ax_.inset_axes(place)
            self.panels_.append(panel)
            for height, one in enumerate(own):
                effect, low, high = np.clip(one[1:], -_LONGEST_BAR, _LONGEST_BAR)
                panel.barh(height, effect, height=0.7, **cluster_paint(number))
                panel.plot([low, high], [height, height], color="0.2", linewidth=1)
            panel.set_yticks(range(len(own)), [one.name for one in own], fontsize="x-small")
            panel.set_ylim(len(own) - 0.5, -0.5)
            panel.axvline(0, color="0.2", linewidth=0.8)
            panel.tick_params(axis="x", labelsize="x-small")
            panel.set_title(f"cluster {table.clusters[number]}", fontsize="small")
            tidy(panel, grid="x")


def _size_of_grid(table: _Table) -> tuple[float, float]:
    return max(5.0, 3.2 + 0.5 * len(table.clusters)), 1.6 + 0.28 * len(table.features)


def _size_of_panels(table: _Table) -> tuple[float, float]:
    across = min(_PANELS_ACROSS, len(table.clusters))
    down = -(-len(table.clusters) // across)
    return 3.4 * across, down * (0.9 + 0.25 * max(map(len, table.largest)))


class _Drawer(NamedTuple):
    draw: Callable[[ClusterProfileDisplay, _Table], None]
    size: Callable[[_Table], tuple[float, float]]


_DRAWERS = {
    "heatmap": _Drawer(ClusterProfileDisplay._heatmap, _size_of_grid),
    "dots": _Drawer(ClusterProfileDisplay._dots, _size_of_grid),
    "panels": _Drawer(ClusterProfileDisplay._panels, _size_of_panels),
}


class _Effect(NamedTuple):
    name: str
    effect: float
    low: float
    high: float


class _Table(NamedTuple):
    """What is drawn: the largest effects of each cluster, and these features for all clusters."""

    clusters: list[str]
    features: list[str]
    effects: Array
    largest: list[list[_Effect]]


def _read(profiles: Any, n_top: int) -> _Table:
    wanted = ["cluster", "feature", "value", "effect", "low", "high"]
    missing = [name for name in wanted if name not in getattr(profiles, "columns", ())]
    if missing or len(profiles) == 0:
        message = (
            f"profiles must be the table of cluster_profiles, with at least one row. "
            f"Missing columns: {', '.join(missing) or 'none'}."
        )
        raise InvalidInputError(message)
    cluster, feature, value, *numbers = (profiles[name].to_list() for name in wanted)
    names = [_feature_name(*pair) for pair in zip(feature, value, strict=True)]
    known = list(dict.fromkeys(cluster))
    rows: dict[Any, list[_Effect]] = {own: [] for own in known}
    for own, name, *effect in zip(cluster, names, *numbers, strict=True):
        rows[own].append(_Effect(name, *effect))
    largest = [own[:n_top] for own in rows.values()]
    shown = list(dict.fromkeys(one.name for own in largest for one in own))[:_MOST_FEATURES]
    effects = np.full((len(shown), len(known)), np.nan)
    for column, own_rows in enumerate(rows.values()):
        for one in own_rows:
            if one.name in shown:
                effects[shown.index(one.name), column] = one.effect
    return _Table([plain_text(own) for own in known], shown, effects, largest)


def _feature_name(feature: Any, value: Any) -> str:
    is_text = isinstance(value, str)
    return short_name(f"{feature} = {value}" if is_text else feature, 28)


def _shown(effect: float) -> str:
    return "" if np.isnan(effect) else f"{effect:+.1f}"
