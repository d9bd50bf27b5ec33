"""Critical-difference plot of mean ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display

__all__ = ["CriticalDifferenceDisplay"]

_ROW = 0.24  # inches between two names
_INK, _BAR = "#222222", "#0072B2"


class CriticalDifferenceDisplay(Display):
    """Mean ranks over several data sets, and which of them differ significantly.

    Methods are placed on a line at their mean rank, the best on the left. A bar connects methods
    whose mean ranks are within the critical difference: they do not differ significantly [1]_.

    Parameters
    ----------
    mean_ranks : mapping of str to float
        Mean rank of each method, 1 for the best.
    critical_difference : float
        Smallest significant difference of mean ranks.
    title : str or None, default=None
        Title of the figure.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    groups_ : list of tuple of str
        Largest groups of methods that do not differ significantly.

    See Also
    --------
    AffinityDisplay : The consensus matrix of one method.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets",
       Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from consensa.plotting import CriticalDifferenceDisplay
    >>> ranks = {"LWEA": 1.2, "EAC": 2.1, "SEC": 2.7}
    >>> CriticalDifferenceDisplay(ranks, 1.0).plot().groups_
    [('LWEA', 'EAC'), ('EAC', 'SEC')]
    """

    mean_ranks: Mapping[str, float]
    critical_difference: float
    _: KW_ONLY
    title: str | None = None

    groups_: list[tuple[str, ...]] = field(init=False)

    def plot(self, ax: Any = None) -> CriticalDifferenceDisplay:
        """Draw the ranks.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        CriticalDifferenceDisplay
            The display itself.

        See Also
        --------
        AffinityDisplay.plot : The same for a consensus matrix.

        Examples
        --------
        >>> from consensa.plotting import CriticalDifferenceDisplay
        >>> display = CriticalDifferenceDisplay({"LWEA": 1.2, "EAC": 1.8}, 0.9, title="NMI")
        >>> display.plot().ax_.get_title()
        'NMI'
        """
        ordered = self._ordered()
        self.groups_ = _groups(ordered, self.critical_difference)
        half = (len(ordered) + 1) // 2
        depth = len(self.groups_) + half
        size = (9.0, 1.1 + _ROW * (depth + 2))
        self._draw_on(ax, size)
        self._draw_scale(ordered, depth)
        ranks = dict(ordered)
        for level, group in enumerate(self.groups_, start=1):
            ends = [ranks[group[0]] - 0.04, ranks[group[-1]] + 0.04]
            self.ax_.plot(ends, [-level] * 2, color=_BAR, linewidth=3.5, solid_capstyle="butt")
        self._hang(ordered[:half], "right")
        self._hang(ordered[half:][::-1], "left")
        return self

    def _ordered(self) -> list[tuple[str, float]]:
        """Methods and ranks, the best first."""
        ordered = sorted(self.mean_ranks.items(), key=lambda item: (item[1], item[0]))
        if len(ordered) < 2:
            message = f"mean_ranks must rank at least 2 methods. Got {len(ordered)}."
            raise InvalidInputError(message)
        return ordered

    def _draw_scale(self, ordered: list[tuple[str, float]], depth: int) -> None:
        ax, last = self.ax_, len(ordered)
        ax.plot([1, last], [0, 0], color=_INK, linewidth=1)
        for rank in range(1, last + 1):
            ax.plot([rank, rank], [0, 0.25], color=_INK, linewidth=1)
            ax.text(rank, 0.35, str(rank), ha="center", va="bottom", fontsize="small")
        width = self.critical_difference
        ax.plot([1, 1 + width], [1.6, 1.6], color=_BAR, linewidth=3.5, solid_capstyle="butt")
        ax.text(1 + width / 2, 1.75, f"critical difference {width:.2f}", ha="center", va="bottom",
                fontsize="small")  # fmt: skip
        ax.set_xlim(1 - 0.32 * last, last + 0.32 * last)
        ax.set_ylim(-depth - 0.8, 2.7)
        ax.axis("off")
        if self.title:
            ax.set_title(self.title)

    def _hang(self, methods: list[tuple[str, float]], align: str) -> None:
        """Draw the methods of one side, those nearest to its edge highest."""
        last = len(self.mean_ranks)
        edge = 1 - 0.04 * last if align == "right" else last + 0.04 * last
        gap = -0.01 * last if align == "right" else 0.01 * last
        top = -len(self.groups_) - 0.8
        for level, (name, rank) in enumerate(methods):
            height = top - level
            self.ax_.plot([rank, rank, edge], [0, height, height], color=_INK, linewidth=0.8)
            text = f"{name}  {rank:.2f}" if align == "right" else f"{rank:.2f}  {name}"
            self.ax_.text(edge + gap, height, text, ha=align, va="center", fontsize="small")


def _groups(ordered: list[tuple[str, float]], width: float) -> list[tuple[str, ...]]:
    """Largest runs of neighboring ranks that lie within `width`, of two methods or more."""
    ranks = np.array([rank for _, rank in ordered])
    groups: list[tuple[str, ...]] = []
    end = 0
    for start, rank in enumerate(ranks):
        stop = int(np.searchsorted(ranks, rank + width, side="right"))
        if stop > max(end, start + 1):
            groups.append(tuple(name for name, _ in ordered[start:stop]))
            end = stop
    return groups
