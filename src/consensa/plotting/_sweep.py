"""A score against a parameter, with its spread over repetitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display
from consensa.plotting._series import series_label, series_styles
from consensa.plotting.axes import tidy

__all__ = ["SweepDisplay"]

_APART = 0.012  # of the axis, between the error bars of neighboring lines


class SweepDisplay(Display):
    """Mean of a score against a parameter, one line per series, bars of one standard deviation.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Values of the parameter, ascending.
    scores : mapping of str or (str, str) to array-like of shape (n_values, n_repetitions)
        Scores of each series; NaN if there is none. For a name with two parts, the first
        determines color and marker and the second the dashes, so that two settings of a method
        have the same color.
    parameter : str, default="parameter"
        Name of the parameter.
    score : str, default="score"
        Name of the score.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    lines_ : dict of name to matplotlib Line2D
        The means.

    See Also
    --------
    BaseComparisonDisplay : Scores next to those of the base partitions.

    Examples
    --------
    >>> from consensa.plotting import SweepDisplay
    >>> scores = {("EAC", "stored"): [[0.5, 0.7], [0.8, 0.8]]}
    >>> display = SweepDisplay([5, 10], scores, parameter="partitions", score="NMI").plot()
    >>> display.lines_["EAC", "stored"].get_ydata()
    array([0.6, 0.8])
    """

    values: Any
    scores: Mapping[Any, Any]
    _: KW_ONLY
    parameter: str = "parameter"
    score: str = "score"

    lines_: dict[Any, Any] = field(init=False)

    def plot(self, ax: Any = None, *, log: bool = False, legend: bool = True) -> SweepDisplay:
        """Draw the lines.

        Parameters
        ----------
        %(ax)s
        log : bool, default=False
            Whether the parameter has a logarithmic axis.
        legend : bool, default=True
            Whether to name the lines.

        Returns
        -------
        SweepDisplay
            The display itself.

        See Also
        --------
        BaseComparisonDisplay.plot : The drawing of another display.

        Examples
        --------
        >>> from consensa.plotting import SweepDisplay
        >>> SweepDisplay([1, 10], {"EAC": [[0.5], [0.6]]}).plot(log=True).ax_.get_xscale()
        'log'
        """
        values = np.asarray(self.values, dtype=float)
        self._draw_on(ax)
        self.lines_ = {}
        styles = series_styles(list(self.scores))
        for place, (name, given) in enumerate(self.scores.items()):
            scores = self._read(name, given, len(values))
            means, deviations = over_repetitions(scores)
            offset = (place - (len(self.scores) - 1) / 2) * _APART
            x = _moved(values, offset, log)
            self.lines_[name] = self.ax_.errorbar(
                x, means, yerr=deviations, label=series_label(name), capsize=2, elinewidth=1,
                markersize=4.5, linewidth=1.6, **styles[name],
            ).lines[0]  # fmt: skip
        if log:
            self.ax_.set_xscale("log")
        self.ax_.set_xlabel(self.parameter)
        self.ax_.set_ylabel(self.score)
        tidy(self.ax_)
        if legend:
            self.ax_.legend(frameon=False, fontsize="small")
        return self

    @staticmethod
    def _read(name: Any, given: Any, n_values: int) -> Array:
        scores = np.asarray(given, dtype=float)
        if scores.ndim != 2 or len(scores) != n_values:
            message = (
                f"scores of {name!r} must have a row for each of the {n_values} values and a "
                f"column for each repetition. Got shape {scores.shape}."
            )
            raise InvalidInputError(message)
        return scores


def over_repetitions(scores: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each row, over what is not NaN; NaN where nothing is."""
    known = ~np.isnan(scores)
    count = known.sum(axis=1)
    filled = np.where(known, scores, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = filled.sum(axis=1) / count
        squares = np.where(known, (scores - means[:, None]) ** 2, 0).sum(axis=1)
        deviations = np.sqrt(squares / (count - 1))
    return means, np.where(count > 1, deviations, np.nan)


def _moved(values: Array, share: float, log: bool) -> Array:
    """Values a little to the side, so that error bars do not hide each other."""
    if len(values) < 2:
        return values
    if log:
        return np.exp(np.log(values) + share * np.ptp(np.log(values)))
    return values + share * np.ptp(values)
