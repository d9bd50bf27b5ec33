"""The solver's objective over its iterations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from consensa._result import SolverTrace
from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display
from consensa.plotting.axes import COLORS, DASHES, tidy

__all__ = ["ObjectiveDisplay"]


class ObjectiveDisplay(Display):
    """Objective of one or more runs of a solver against the iteration.

    ADMM satisfies its constraints only at the end: until then the objective is that of copies
    that do not agree, and need not be monotone.

    Parameters
    ----------
    traces : SolverTrace or mapping of str to SolverTrace
        Trace of one or several runs of the solver.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    lines_ : list of matplotlib Line2D
        One line per run.

    See Also
    --------
    ConvergenceDisplay : The gaps that decide when the solver stops.

    Examples
    --------
    >>> import consensa as cs
    >>> from consensa.plotting import ObjectiveDisplay
    >>> ensemble = cs.Ensemble.from_labels([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> refined = cs.tensor.refine(
    ...     cs.coassociation(ensemble), cs.coherent_links(ensemble), penalty=50.0
    ... )
    >>> len(ObjectiveDisplay(refined.trace).plot().lines_)
    1
    """

    traces: SolverTrace | Mapping[str, SolverTrace]

    lines_: list[Any] = field(init=False)

    def plot(self, ax: Any = None) -> ObjectiveDisplay:
        """Draw the objective.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        ObjectiveDisplay
            The display itself.

        See Also
        --------
        ConvergenceDisplay.plot : The drawing of the gaps.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa import SolverTrace
        >>> from consensa.plotting import ObjectiveDisplay
        >>> nothing = np.zeros(2)
        >>> trace = SolverTrace(nothing, np.zeros((2, 3)), nothing, np.array([5.0, 3.0]),
        ...                     nothing, True)
        >>> ObjectiveDisplay({"stored": trace}).plot().lines_[0].get_ydata()
        array([5., 3.])
        """
        runs = {"": self.traces} if isinstance(self.traces, SolverTrace) else dict(self.traces)
        if not runs:
            message = "traces must hold at least one run. It is empty."
            raise InvalidInputError(message)
        self._draw_on(ax)
        self.lines_ = []
        for number, (name, trace) in enumerate(runs.items()):
            style = {
                "color": COLORS[number % len(COLORS)],
                "linestyle": DASHES[number % len(DASHES)],
                "linewidth": 1.8,
            }
            iterations = np.arange(1, trace.n_iter + 1)
            self.lines_ += self.ax_.plot(iterations, trace.objective, label=name, **style)
        self.ax_.set_xlabel("iteration")
        self.ax_.set_ylabel("objective")
        self.ax_.set_title("Objective")
        tidy(self.ax_)
        if len(runs) > 1:
            self.ax_.legend(frameon=False)
        return self
