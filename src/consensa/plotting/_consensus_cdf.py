"""The distribution of the consensus matrix for each number of clusters."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display
from consensa.plotting.axes import DASHES, color_map, tidy
from consensa.selection import SelectionResult

__all__ = ["ConsensusCDFDisplay"]

_AMBIGUOUS = (0.1, 0.9)  # pairs that are together in so many draws count as ambiguous (PAC)
_LINES_A_COLUMN = 8  # of the legend


class ConsensusCDFDisplay(Display):
    r"""Cumulative distribution of the consensus matrix, one line per number of clusters.

    If a line is flat between 0.1 and 0.9 (shaded), nearly all pairs of samples are
    always together or always separate: this number of clusters is stable. The increase of the
    line there is the proportion of ambiguous pairs.

    Parameters
    ----------
    grid : array-like of shape (n_points,)
        Values at which the distributions are given, from 0 to 1.
    cdf : array-like of shape (n_candidates, n_points)
        Distribution for each number of clusters.
    n_clusters : array-like of shape (n_candidates,)
        The numbers of clusters.
    chosen : int or None, default=None
        Number of clusters whose line is drawn bold.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    lines_ : list of matplotlib Line2D
        A line for each number of clusters.

    See Also
    --------
    DeltaAreaDisplay : How the area below the lines grows.
    consensa.selection.consensus_cdf : The distribution of one matrix.

    Examples
    --------
    >>> from consensa.plotting import ConsensusCDFDisplay
    >>> cdf = [[0.5, 0.5, 1], [0.2, 0.6, 1]]
    >>> display = ConsensusCDFDisplay([0, 0.5, 1], cdf, [2, 3], chosen=2).plot()
    >>> [line.get_label() for line in display.lines_]
    ['2 (chosen)', '3']
    """

    grid: Any
    cdf: Any
    n_clusters: Any
    _: KW_ONLY
    chosen: int | None = None

    lines_: list[Any] = field(init=False)

    @classmethod
    def from_selection(cls, selection: SelectionResult, *, ax: Any = None) -> ConsensusCDFDisplay:
        """Draw the distributions of a selection.

        Parameters
        ----------
        %(selection)s
        %(ax)s

        Returns
        -------
        ConsensusCDFDisplay
            The display, drawn.

        See Also
        --------
        SelectionDisplay.from_selection : All criteria.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import ConsensusCDFDisplay
        >>> labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
        >>> found = cs.select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
        >>> len(ConsensusCDFDisplay.from_selection(found).lines_)
        2
        """
        numbers = selection.scores["n_clusters"]
        return cls(selection.grid, selection.cdf, numbers, chosen=selection.n_clusters).plot(ax)

    def plot(self, ax: Any = None) -> ConsensusCDFDisplay:
        """Draw the lines.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        ConsensusCDFDisplay
            The display itself.

        See Also
        --------
        ConsensusCDFDisplay.from_selection : From a selection in one call.

        Examples
        --------
        >>> from consensa.plotting import ConsensusCDFDisplay
        >>> ConsensusCDFDisplay([0, 1], [[0.5, 1]], [2]).plot().ax_.get_xlabel()
        'co-association of a pair of samples over the draws'
        """
        grid, cdf, numbers = self._read()
        self._draw_on(ax)
        self.ax_.axvspan(*_AMBIGUOUS, color="0.95", zorder=0)
        shades = color_map("viridis")(np.linspace(0, 0.9, len(numbers)))
        self.lines_ = []
        for place, (number, values) in enumerate(zip(numbers, cdf, strict=True)):
            bold = number == self.chosen
            style = {"linewidth": 3 if bold else 1.4, "zorder": 3 if bold else 2}
            self.lines_ += self.ax_.step(
                grid, values, where="post", color=shades[place],
                linestyle="-" if bold else DASHES[place % len(DASHES)],
                label=f"{number} (chosen)" if bold else str(number), **style,
            )  # fmt: skip
        self.ax_.set_xlim(0, 1)
        self.ax_.set_ylim(0, 1.02)
        self.ax_.set_xlabel("co-association of a pair of samples over the draws")
        self.ax_.set_ylabel("cumulative proportion of pairs")
        self.ax_.set_title("Consensus distribution")
        tidy(self.ax_)
        self.ax_.legend(
            title="clusters", frameon=False, fontsize="small", loc="upper left",
            bbox_to_anchor=(1, 1), ncols=-(-len(numbers) // (2 * _LINES_A_COLUMN)),
        )  # fmt: skip
        return self

    def _read(self) -> tuple[Array, Array, Array]:
        grid, cdf = np.asarray(self.grid, dtype=float), np.asarray(self.cdf, dtype=float)
        numbers = np.asarray(self.n_clusters)
        if numbers.ndim != 1 or numbers.size == 0 or cdf.shape != (numbers.size, grid.size):
            message = (
                f"cdf must have a row for each of the {numbers.size} numbers of clusters and a "
                f"column for each of the {grid.size} values of grid. Got shape {cdf.shape}."
            )
            raise InvalidInputError(message)
        return grid, cdf, numbers
