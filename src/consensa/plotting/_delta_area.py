"""Increase of the area below the consensus distribution with the number of clusters."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display
from consensa.plotting.axes import COLORS, number_of_clusters_axis, tidy
from consensa.selection import SelectionResult

__all__ = ["DeltaAreaDisplay"]


class DeltaAreaDisplay(Display):
    r"""Relative growth of the area below the consensus distribution.

    After the number of clusters from which the line stays near 0, more clusters add little.
    The first point, drawn hollow, is the area itself.

    Parameters
    ----------
    n_clusters : array-like of shape (n_candidates,)
        The numbers of clusters.
    delta_area : array-like of shape (n_candidates,)
        The first area, and the relative growth from each to the next; see
        `consensa.selection.delta_area`.
    chosen : int or None, default=None
        Number of clusters to mark.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    line_ : matplotlib Line2D
        The growth.

    See Also
    --------
    ConsensusCDFDisplay : The distributions.

    Examples
    --------
    >>> from consensa.plotting import DeltaAreaDisplay
    >>> DeltaAreaDisplay([2, 3, 4], [0.4, 0.5, 0.01]).plot().line_.get_ydata()
    array([0.4 , 0.5 , 0.01])
    """

    n_clusters: Any
    delta_area: Any
    _: KW_ONLY
    chosen: int | None = None

    line_: Any = field(init=False)

    @classmethod
    def from_selection(cls, selection: SelectionResult, *, ax: Any = None) -> DeltaAreaDisplay:
        """Draw the growth of the area in a selection.

        Parameters
        ----------
        %(selection)s
        %(ax)s

        Returns
        -------
        DeltaAreaDisplay
            The display, drawn.

        See Also
        --------
        SelectionDisplay.from_selection : The criteria of the selection.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import DeltaAreaDisplay
        >>> labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
        >>> found = cs.select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
        >>> DeltaAreaDisplay.from_selection(found).line_.get_xdata()
        array([2, 3])
        """
        scores = selection.scores
        return cls(scores["n_clusters"], scores["delta_area"], chosen=selection.n_clusters).plot(
            ax
        )

    def plot(self, ax: Any = None) -> DeltaAreaDisplay:
        """Draw the growth.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        DeltaAreaDisplay
            The display itself.

        See Also
        --------
        DeltaAreaDisplay.from_selection : From a selection in one call.

        Examples
        --------
        >>> from consensa.plotting import DeltaAreaDisplay
        >>> DeltaAreaDisplay([2], [0.4]).plot().ax_.get_xlabel()
        'number of clusters'
        """
        numbers, growth = np.asarray(self.n_clusters), np.asarray(self.delta_area, dtype=float)
        if numbers.ndim != 1 or numbers.size == 0 or growth.shape != numbers.shape:
            message = (
                f"delta_area must hold a value for each of the {numbers.size} numbers of "
                f"clusters. Got shape {growth.shape}."
            )
            raise InvalidInputError(message)
        self._draw_on(ax)
        self.ax_.axhline(0, color="0.6", linewidth=1)
        (self.line_,) = self.ax_.plot(numbers, growth, color=COLORS[0], marker="o")
        self.ax_.plot(
            numbers[:1], growth[:1], color=COLORS[0], marker="o", markerfacecolor="white"
        )
        number_of_clusters_axis(self.ax_, numbers, self.chosen)
        self.ax_.set_ylabel("growth of the area")
        self.ax_.set_title("Growth of the area below the distribution")
        tidy(self.ax_)
        return self
