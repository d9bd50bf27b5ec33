"""The interface between the solver's loop and its engines, and what the engines share."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

__all__ = ["Engine", "Report", "SweepFactors", "default_tol", "sweep_factors"]


class Report(NamedTuple):
    """Numbers of one iteration."""

    gaps: tuple[float, float, float]  # largest |P1 − B|, |P2 + E − A|, |P2 − C|
    norm: float  # tensor nuclear norm of P
    error_energy: float  # ‖E‖²
    n_survivors: int  # singular values above the threshold


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
