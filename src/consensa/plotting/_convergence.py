"""The solver's gaps over its iterations."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._result import ConsensusResult, SolverTrace
from consensa.exceptions import InvalidInputError
from consensa.plotting._display import Display
from consensa.plotting.axes import tidy

__all__ = ["ConvergenceDisplay"]

_GAPS_OF_REFINEMENT = (
    "links and their copy",
    "co-association and its parts",
    "affinity and its copy",
)
# Colors of Okabe and Ito, safe for color blindness; dashes distinguish them in gray scale.
_STYLES = (("#222222", "-"), ("#0072B2", "--"), ("#E69F00", "-."), ("#009E73", ":"))


class ConvergenceDisplay(Display):
    """Gaps between the copies of the solver's variables, on a logarithmic axis.

    The solver stops when the largest gap is below its tolerance. The gaps should decrease along
    straight lines; a line that levels off above the tolerance has not converged.

    Parameters
    ----------
    trace : SolverTrace
        Trace of the solver.
    tol : float or None, default=None
        Tolerance to draw; None is the one in the trace, if it has one.
    names : sequence of str or None, default=None
        Names of the gaps; None names those of the low-rank refinement.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    lines_ : list of matplotlib Line2D
        One line per gap.

    See Also
    --------
    AffinityDisplay : The resulting matrix.

    Examples
    --------
    >>> import consensa as cs
    >>> from consensa.plotting import ConvergenceDisplay
    >>> ensemble = cs.Ensemble.from_labels([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> refined = cs.tensor.refine(
    ...     cs.coassociation(ensemble), cs.coherent_links(ensemble), penalty=50.0
    ... )
    >>> display = ConvergenceDisplay(refined.trace).plot()
    >>> len(display.lines_)
    3
    """

    trace: SolverTrace
    _: KW_ONLY
    tol: float | None = None
    names: Any = None

    lines_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> ConvergenceDisplay:
        """Draw the convergence of the solver of a fitted estimator.

        Parameters
        ----------
        estimator : fitted consensus estimator
            With ``trace_``.
        %(ax)s

        Returns
        -------
        ConvergenceDisplay
            The display, drawn.

        See Also
        --------
        ConvergenceDisplay.plot : The drawing itself.

        Examples
        --------
        >>> import warnings
        >>> import consensa as cs
        >>> from consensa.plotting import ConvergenceDisplay
        >>> model = cs.LTA(2, generator="precomputed", random_state=0)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")  # the warning about the order of the rows
        ...     _ = model.fit([[0, 0], [0, 0], [1, 1], [1, 1]])
        >>> ConvergenceDisplay.from_estimator(model).ax_.get_yscale()
        'log'
        """
        trace = getattr(estimator, "trace_", None)
        if trace is None:
            message = (
                f"ConvergenceDisplay needs a fitted estimator that iterates. This "
                f"{type(estimator).__name__} has no trace_: call fit first, or use a method "
                f"with a solver, such as LTA."
            )
            raise InvalidInputError(message)
        return cls(trace).plot(ax)

    @classmethod
    def from_result(cls, result: ConsensusResult, *, ax: Any = None) -> ConvergenceDisplay:
        """Draw the convergence of the solver of a result.

        Parameters
        ----------
        result : ConsensusResult
            Of a method that iterates.
        %(ax)s

        Returns
        -------
        ConvergenceDisplay
            The display, drawn.

        See Also
        --------
        ConvergenceDisplay.from_estimator : The same from a fitted estimator.

        Examples
        --------
        >>> import warnings
        >>> import consensa as cs
        >>> from consensa.plotting import ConvergenceDisplay
        >>> ensemble = cs.Ensemble.from_labels([[0, 0], [0, 0], [1, 1], [1, 1]])
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")  # the warning about the order of the rows
        ...     result = cs.lta(ensemble, 2, random_state=0)
        >>> ConvergenceDisplay.from_result(result).ax_.get_xlabel()
        'iteration'
        """
        if result.trace is None:
            message = "This result has no trace to draw: its method does not iterate. Use LTA."
            raise InvalidInputError(message)
        return cls(result.trace).plot(ax)

    def plot(self, ax: Any = None) -> ConvergenceDisplay:
        """Draw the gaps.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        ConvergenceDisplay
            The display itself.

        See Also
        --------
        ConvergenceDisplay.from_estimator : From a fitted estimator in one call.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa import SolverTrace
        >>> from consensa.plotting import ConvergenceDisplay
        >>> gaps = np.array([[1.0, 0.5], [0.1, 0.05]])
        >>> nothing = np.zeros(2)
        >>> trace = SolverTrace(gaps.max(axis=1), gaps, nothing, nothing, nothing, True)
        >>> ConvergenceDisplay(trace).plot().ax_.get_title()
        'Converged after 2 iterations'
        """
        trace = self.trace
        self._draw_on(ax)
        iterations = np.arange(1, trace.n_iter + 1)
        self.lines_ = []
        for gap, name in enumerate(self._names()):
            color, dashes = _STYLES[gap % len(_STYLES)]
            # A gap of exactly zero has no place on a logarithmic axis: leave it out.
            values = np.where(trace.gaps[:, gap] > 0, trace.gaps[:, gap], np.nan)
            style = {"color": color, "linestyle": dashes, "linewidth": 1.8}
            self.lines_ += self.ax_.plot(iterations, values, label=name, **style)
        self._name()
        return self

    def _names(self) -> list[str]:
        n_gaps = self.trace.gaps.shape[1]
        if self.names is not None:
            if len(self.names) != n_gaps:
                message = f"names must name the {n_gaps} gaps. Got {len(self.names)} names."
                raise InvalidInputError(message)
            return list(self.names)
        if n_gaps == len(_GAPS_OF_REFINEMENT):
            return list(_GAPS_OF_REFINEMENT)
        return [f"gap {number}" for number in range(1, n_gaps + 1)]

    def _name(self) -> None:
        """Draw the tolerance, the axis labels and the title."""
        ax, trace = self.ax_, self.trace
        ax.set_yscale("log")
        tol = trace.tol if self.tol is None else self.tol
        if tol is not None:
            ax.axhline(tol, color="0.45", linewidth=1, zorder=1)
            ax.annotate(
                f"tolerance {tol:g}", (0.01, tol), (0, 3), xycoords=ax.get_yaxis_transform(),
                textcoords="offset points", color="0.35", fontsize="small",
            )  # fmt: skip
        ended = "Converged" if trace.converged else "Not converged"
        ax.set_title(f"{ended} after {trace.n_iter} iterations")
        ax.set_xlabel("iteration")
        ax.set_ylabel("largest absolute gap")
        ax.legend(title="gap between", frameon=False, alignment="left")
        tidy(ax)
