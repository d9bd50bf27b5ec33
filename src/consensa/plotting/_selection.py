"""Criteria for the number of clusters."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display
from consensa.plotting._series import series_styles
from consensa.plotting.axes import number_of_clusters_axis, tidy
from consensa.selection import SelectionResult

__all__ = ["SelectionDisplay"]

_CRITERIA = ("evidence", "stability", "agreement", "eigengap", "pac")


class SelectionDisplay(Display):
    r"""Criteria against the number of clusters; larger values are better.

    The bold line, the evidence, is the mean of the others: stability under dropped partitions,
    agreement with the base partitions, eigengap, and one minus the proportion of ambiguous
    pairs (PAC).

    Parameters
    ----------
    scores : structured array of shape (n_candidates,)
        The scores of a `SelectionResult`, one row per number of clusters.
    chosen : int or None, default=None
        Number of clusters to mark.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    lines_ : dict of str to matplotlib Line2D
        A line for each criterion: ``evidence``, ``stability``, ``agreement``, ``eigengap`` and
        ``pac``, of which one minus the score is drawn.

    See Also
    --------
    NullReferenceDisplay : Comparison with reference data without clusters.
    consensa.select_n_clusters : Computes the scores.

    Examples
    --------
    >>> import consensa as cs
    >>> from consensa.plotting import SelectionDisplay
    >>> labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
    >>> found = cs.select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
    >>> list(SelectionDisplay(found.scores).plot().lines_)
    ['evidence', 'stability', 'agreement', 'eigengap', 'pac']
    """

    scores: Any
    _: KW_ONLY
    chosen: int | None = None

    lines_: dict[str, Any] = field(init=False)

    @classmethod
    def from_selection(cls, selection: SelectionResult, *, ax: Any = None) -> SelectionDisplay:
        """Draw the criteria of a selection and mark the recommended number.

        Parameters
        ----------
        %(selection)s
        %(ax)s

        Returns
        -------
        SelectionDisplay
            The display, drawn.

        See Also
        --------
        TrackingDisplay.from_selection : The clusters of the samples for each number.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import SelectionDisplay
        >>> labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
        >>> found = cs.select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
        >>> SelectionDisplay.from_selection(found).ax_.get_xlabel()
        'number of clusters'
        """
        return cls(selection.scores, chosen=selection.n_clusters).plot(ax)

    def plot(self, ax: Any = None) -> SelectionDisplay:
        """Draw the lines.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        SelectionDisplay
            The display itself.

        See Also
        --------
        SelectionDisplay.from_selection : From a selection in one call.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa.plotting import SelectionDisplay
        >>> names = ["n_clusters", "evidence", "stability", "agreement", "eigengap", "pac"]
        >>> scores = np.array([(2, 0.5, 0.5, 0.5, 0.5, 0.5)], [(name, float) for name in names])
        >>> SelectionDisplay(scores).plot().ax_.get_title()
        'Evidence for each number of clusters'
        """
        scores = np.asarray(self.scores)
        if scores.dtype.names is None or not {"n_clusters", *_CRITERIA} <= set(scores.dtype.names):
            message = (
                "scores must be those of a SelectionResult, with the fields n_clusters, "
                f"{', '.join(_CRITERIA)}. Got dtype {scores.dtype}."
            )
            raise InvalidInputError(message)
        self._draw_on(ax)
        numbers = scores["n_clusters"]
        styles = series_styles(_CRITERIA)
        self.lines_ = {}
        for name in _CRITERIA:
            values, label = (
                (1 - scores[name], "1 − PAC") if name == "pac" else (scores[name], name)
            )
            look = styles[name] | ({"linewidth": 3} if name == "evidence" else {"linewidth": 1.2})
            (self.lines_[name],) = self.ax_.plot(
                numbers, values, label=label, markersize=5, **look
            )
        self._name(numbers)
        return self

    def _name(self, numbers: Any) -> None:
        title = "Evidence for each number of clusters"
        if self.chosen is not None:
            title += f": {self.chosen} recommended"
        self.ax_.set_title(title)
        number_of_clusters_axis(self.ax_, numbers, self.chosen)
        self.ax_.set_ylabel("score (large is good)")
        lowest = min(float(np.min(line.get_ydata())) for line in self.lines_.values())
        self.ax_.set_ylim(min(0.0, lowest) - 0.02, 1.02)
        tidy(self.ax_)
        self.ax_.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
