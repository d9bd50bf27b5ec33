"""Scores of the consensus and of its base partitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display
from consensa.plotting._series import series_label, series_styles
from consensa.plotting._sweep import over_repetitions
from consensa.plotting.axes import plain_text, tidy

__all__ = ["BaseComparisonDisplay"]

_WIDTH = 0.26  # of the box; the points stand to the right of it
_ROOM = 0.5  # for the points


class BaseComparisonDisplay(Display):
    """Scores of consensus partitions next to a box plot of those of the base partitions.

    Parameters
    ----------
    base : mapping of str to array-like of shape (n_partitions,)
        Scores of the base partitions of each set.
    consensus : mapping of str or (str, str) to mapping of str to array-like
        Scores of each method on each set, one per repetition; drawn as the mean with a bar of one
        standard deviation. A method need not have scores for every set. For a name with two
        parts, the first determines color and marker, the second whether the marker is filled.
    score : str, default="score"
        Name of the score.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    boxes_ : dict
        Return value of matplotlib's ``boxplot``.
    points_ : dict of name to matplotlib Line2D
        Means of each method.

    See Also
    --------
    SweepDisplay : Scores against a parameter.

    Examples
    --------
    >>> from consensa.plotting import BaseComparisonDisplay
    >>> base = {"iris": [0.6, 0.7, 0.8], "wine": [0.4, 0.5, 0.5]}
    >>> consensus = {"EAC": {"iris": [0.8, 0.9], "wine": [0.6, 0.6]}}
    >>> display = BaseComparisonDisplay(base, consensus).plot()
    >>> display.points_["EAC"].get_ydata().round(2)
    array([0.85, 0.6 ])
    """

    base: Mapping[str, Any]
    consensus: Mapping[Any, Mapping[str, Any]]
    _: KW_ONLY
    score: str = "score"

    boxes_: dict[str, Any] = field(init=False)
    points_: dict[Any, Any] = field(init=False)

    def plot(self, ax: Any = None) -> BaseComparisonDisplay:
        """Draw a box and the points of each set.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        BaseComparisonDisplay
            The display itself.

        See Also
        --------
        SweepDisplay.plot : The drawing of another display.

        Examples
        --------
        >>> from consensa.plotting import BaseComparisonDisplay
        >>> display = BaseComparisonDisplay({"iris": [0.6, 0.8]}, {}, score="NMI").plot()
        >>> display.ax_.get_ylabel()
        'NMI'
        """
        sets = list(self.base)
        if not sets or any(np.size(values) == 0 for values in self.base.values()):
            message = "base must hold the scores of at least one partition for each set."
            raise InvalidInputError(message)
        self._draw_on(ax, (1.6 + 1.5 * len(sets), 4.2))
        places = np.arange(len(sets), dtype=float)
        gray = {"color": "0.35", "linewidth": 1}
        self.boxes_ = self.ax_.boxplot(
            [np.asarray(self.base[name], dtype=float) for name in sets],
            positions=places, widths=_WIDTH, patch_artist=True, manage_ticks=False,
            boxprops={"facecolor": "0.88", "edgecolor": "0.35"}, medianprops=gray,
            whiskerprops=gray, capprops=gray, flierprops={"marker": ".", "markersize": 4},
        )  # fmt: skip
        self.points_ = {}
        styles = series_styles(list(self.consensus))
        for number, (method, found) in enumerate(self.consensus.items()):
            share = (number + 1) / (len(self.consensus) + 1)
            style = styles[method] | {"linestyle": "none", "label": series_label(method)}
            self.points_[method] = self._points(found, sets, share, style)
        self._name(sets)
        return self

    def _points(
        self, found: Mapping[str, Any], sets: list[str], share: float, style: dict[str, str]
    ) -> Any:
        known = [name for name in sets if np.size(found.get(name, ()))]
        each = [np.asarray(found[name], dtype=float)[None, :] for name in known]
        pairs = [over_repetitions(scores) for scores in each]
        return self.ax_.errorbar(
            [sets.index(name) + _WIDTH / 2 + share * _ROOM for name in known],
            np.array([mean[0] for mean, _ in pairs]),
            yerr=np.array([deviation[0] for _, deviation in pairs]),
            capsize=2,
            markersize=6,
            **style,
        ).lines[0]

    def _name(self, sets: list[str]) -> None:
        self.boxes_["boxes"][0].set_label("base partitions")
        self.ax_.set_xticks(np.arange(len(sets)) + _ROOM / 2, list(map(plain_text, sets)))
        self.ax_.set_xlim(-0.5, len(sets) - 1 + _WIDTH + _ROOM + 0.1)
        self.ax_.set_ylabel(self.score)
        self.ax_.set_ylim(None, min(1.02, self.ax_.get_ylim()[1]))
        tidy(self.ax_)
        self.ax_.legend(frameon=False, fontsize="small", ncols=3, loc="lower left",
                        bbox_to_anchor=(0, 1))  # fmt: skip
