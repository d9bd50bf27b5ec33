"""The solver's loop, its interface to the engines, and what the engines share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from consensa._machine.progress import track
from consensa._params import Declaration, Integer, NoneType, Real
from consensa._result import SolverTrace
from consensa.exceptions import ConvergenceWarning

__all__ = [
    "DECLARED",
    "Engine",
    "Iteration",
    "RefineIterate",
    "RefineResult",
    "Report",
    "SweepFactors",
    "default_tol",
    "solve",
    "sweep_factors",
    "trace_of",
    "warn_not_converged",
]

DECLARED: Declaration = {
    "penalty": (Real(above=0),),
    "tol": (Real(above=0), NoneType()),
    "max_iter": (Integer(1),),
    "step_size": (Real(above=0),),
    "step_growth": (Real(least=1),),
    "max_step_size": (Real(above=0),),
}
"""Parameters of the loop."""


class Report(NamedTuple):
    """Numbers of one iteration."""

    gaps: tuple[float, float, float]  # largest |P1 − B|, |P2 + E − A|, |P2 − C|
    norm: float  # tensor nuclear norm of P
    error_energy: float  # ‖E‖²
    n_survivors: int  # singular values above the threshold


class Iteration(NamedTuple):
    """What the trace keeps of an iteration."""

    gaps: tuple[float, ...]
    step: float
    objective: float
    n_survivors: int

    @property
    def residual(self) -> float:
        """The largest gap."""
        return max(self.gaps)


class SweepFactors(NamedTuple):
    """What a sweep over D1 = Λ1/μ, D3 = Λ3/μ and E multiplies with; Λ2 = −2λE is not kept."""

    ratio: float  # of D1 and D3, to be over the next μ
    keep: float  # of E in the next E
    gain: float  # of A − P2 in the next E
    carry: float  # of E in the next T


def sweep_factors(penalty: float, step: float, next_step: float) -> SweepFactors:
    """The factors of a sweep with step size `step` that prepares one with `next_step`."""
    twice = 2 * penalty
    return SweepFactors(
        ratio=step / next_step,
        keep=twice / (twice + step),
        gain=step / (twice + step),
        carry=1 - twice / next_step,
    )


def default_tol(xp: Any, dtype: Any) -> float:
    """Default tolerance: the smallest gap that the precision can resolve."""
    return 1e-8 if dtype == xp.float64 else 3e-6


class Engine(Protocol):
    """Implementation of the arithmetic of an iteration."""

    def iterate(self, step: float, next_step: float) -> Report:
        """Do one iteration with step size `step`; prepare the next one with `next_step`."""

    def iterate_arrays(self) -> tuple[Any, Any, Any]:
        """P1, P2 and E of the last iteration."""

    def result_arrays(self) -> tuple[Any, Any]:
        """Refined affinity and links, symmetric and in [0, 1]. The engine is used up."""


class RefineResult(NamedTuple):
    """Result of `refine`.

    Attributes
    ----------
    affinity : array of shape (n, n)
        Refined co-association matrix: symmetric, in [0, 1].
    links : array of shape (n, n)
        Its companion slice: symmetric, in [0, 1], 1 on the coherent links.
    trace : SolverTrace
        Trace of the solver.
    """

    affinity: Any
    links: Any
    trace: SolverTrace


class RefineIterate(NamedTuple):
    """State of the solver after an iteration, passed to a callback.

    Attributes
    ----------
    iteration : int
        Number of iterations done.
    links : array of shape (n, n)
        First frontal slice of the tensor, P1.
    affinity : array of shape (n, n)
        Second frontal slice of the tensor, P2.
    error : array of shape (n, n)
        The error E: the difference between the co-association matrix and P2.
    residual : float
        Largest of the three gaps.
    """

    iteration: int
    links: Any
    affinity: Any
    error: Any
    residual: float


def solve(
    engine: Engine,
    *,
    penalty: float,
    tol: float,
    max_iter: int,
    step_size: float,
    step_growth: float,
    max_step_size: float,
    callback: Callable[[RefineIterate], Any] | None = None,
) -> RefineResult:
    """Iterate an engine until its gaps are below `tol`."""
    step = step_size
    history: list[Iteration] = []
    converged = stopped = False
    with track("low-rank refinement") as advance:
        while not (converged or stopped) and len(history) < max_iter:
            next_step = min(step_growth * step, max_step_size)
            report = engine.iterate(step, next_step)
            objective = report.norm + penalty * report.error_energy
            history.append(Iteration(report.gaps, step, objective, report.n_survivors))
            residual = history[-1].residual
            converged = residual < tol
            step = next_step
            if callback is not None:
                state = RefineIterate(len(history), *engine.iterate_arrays(), residual)
                stopped = bool(callback(state))
            advance()
    if not (converged or stopped):
        warn_not_converged(max_iter, residual, tol, stacklevel=4)
    refined, completed = engine.result_arrays()
    return RefineResult(affinity=refined, links=completed, trace=trace_of(history, converged, tol))


def trace_of(history: Sequence[Iteration], converged: bool, tol: float) -> SolverTrace:
    """The trace of the iterations that were done."""
    gaps = np.array([iteration.gaps for iteration in history])
    return SolverTrace(
        residual=gaps.max(axis=1),
        gaps=gaps,
        step=np.array([iteration.step for iteration in history]),
        objective=np.array([iteration.objective for iteration in history]),
        n_survivors=np.array([iteration.n_survivors for iteration in history], dtype=np.int64),
        converged=converged,
        tol=tol,
    )


def warn_not_converged(max_iter: int, residual: float, tol: float, *, stacklevel: int) -> None:
    """Warn that the limit was reached; `stacklevel` is counted from this function."""
    message = (
        f"The refinement stopped after max_iter={max_iter} iterations with a gap of "
        f"{residual:.2g}, above tol={tol:.2g}. Raise max_iter or tol."
    )
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
