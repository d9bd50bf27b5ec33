"""Comparison of the data with reference data without clusters."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display
from consensa.plotting.axes import COLORS, number_of_clusters_axis, tidy
from consensa.selection import SelectionResult

__all__ = ["NullReferenceDisplay"]


class NullReferenceDisplay(Display):
    r"""Statistic of a selection for the data and for reference data without clusters.

    If the line of the data is inside the band of the references, the data show no more structure
    than noise.

    Parameters
    ----------
    n_clusters : array-like of shape (n_candidates,)
        The numbers of clusters.
    observed : array-like of shape (n_candidates,)
        Statistic of the data.
    references : array-like of shape (n_references, n_candidates)
        Statistic of each reference data set.
    p_value : float or None, default=None
        The p-value, for the title.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    line_ : matplotlib Line2D
        The data.
    reference_line_ : matplotlib Line2D
        Median of the references.
    band_ : matplotlib PolyCollection
        From the lowest to the highest of the references.

    See Also
    --------
    SelectionDisplay : The criteria.
    consensa.select_n_clusters : How the reference data are drawn.

    Examples
    --------
    >>> from consensa.plotting import NullReferenceDisplay
    >>> references = [[0.3, 0.4], [0.2, 0.5], [0.4, 0.3]]
    >>> display = NullReferenceDisplay([2, 3], [0.8, 0.6], references).plot()
    >>> display.reference_line_.get_ydata()
    array([0.3, 0.4])
    """

    n_clusters: Any
    observed: Any
    references: Any
    _: KW_ONLY
    p_value: float | None = None

    line_: Any = field(init=False)
    reference_line_: Any = field(init=False)
    band_: Any = field(init=False)

    @classmethod
    def from_selection(cls, selection: SelectionResult, *, ax: Any = None) -> NullReferenceDisplay:
        """Draw the comparison of a selection.

        Parameters
        ----------
        selection : SelectionResult
            Result of `consensa.select_n_clusters`, with references.
        %(ax)s

        Returns
        -------
        NullReferenceDisplay
            The display, drawn.

        See Also
        --------
        SelectionDisplay.from_selection : The criteria.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import NullReferenceDisplay
        >>> labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
        >>> found = cs.select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
        >>> NullReferenceDisplay.from_selection(found).line_.get_xdata()
        array([2, 3])
        """
        if selection.observed is None:
            message = (
                "This selection has no reference data: it was computed with "
                "n_references=0. Use 39 or more."
            )
            raise InvalidInputError(message)
        return cls(
            selection.tested,
            selection.observed,
            selection.references,
            p_value=selection.p_value,
        ).plot(ax)

    def plot(self, ax: Any = None) -> NullReferenceDisplay:
        """Draw the line and the band.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        NullReferenceDisplay
            The display itself.

        See Also
        --------
        NullReferenceDisplay.from_selection : From a selection in one call.

        Examples
        --------
        >>> from consensa.plotting import NullReferenceDisplay
        >>> NullReferenceDisplay([2], [0.8], [[0.3]], p_value=0.05).plot().ax_.get_title()
        'Data and 1 references without clusters: p = 0.05'
        """
        numbers = np.asarray(self.n_clusters)
        observed = np.asarray(self.observed, dtype=float)
        references = np.asarray(self.references, dtype=float)
        wanted = (len(references), numbers.size)
        if observed.shape != numbers.shape or references.shape != wanted or not references.size:
            message = (
                f"observed must hold a value, and references a column, for each of the "
                f"{numbers.size} numbers of clusters. Got shapes {observed.shape} and "
                f"{references.shape}."
            )
            raise InvalidInputError(message)
        self._draw_on(ax)
        self.band_ = self.ax_.fill_between(
            numbers, references.min(axis=0), references.max(axis=0),
            color="0.85", label=f"{len(references)} references, lowest to highest",
        )  # fmt: skip
        (self.reference_line_,) = self.ax_.plot(
            numbers, np.median(references, axis=0), color="0.4", linestyle="--", marker="s",
            markersize=4, label="references, median",
        )  # fmt: skip
        (self.line_,) = self.ax_.plot(
            numbers, observed, color=COLORS[1], marker="o", linewidth=2, label="data"
        )
        number_of_clusters_axis(self.ax_, numbers)
        self.ax_.set_ylabel("compared statistic")
        compared = "" if self.p_value is None else f": p = {self.p_value:.2f}"
        self.ax_.set_title(f"Data and {len(references)} references without clusters{compared}")
        tidy(self.ax_)
        self.ax_.legend(frameon=False, fontsize="small")
        return self
