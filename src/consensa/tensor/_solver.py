"""What the solver's loop asks of whoever does the arithmetic."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

__all__ = ["Engine", "Report"]


class Report(NamedTuple):
    """Numbers of one iteration."""

    gaps: tuple[float, float, float]  # largest |P1 − B|, |P2 + E − A|, |P2 − C|
    norm: float  # tensor nuclear norm of P
    error_energy: float  # ‖E‖²
    n_survivors: int  # singular values above the threshold


class Engine(Protocol):
    """One way to do the arithmetic of an iteration; the loop around it is told once."""

    def iterate(self, step: float, next_step: float) -> Report:
        """Do one iteration with step size `step`; prepare the next one with `next_step`."""

    def iterate_arrays(self) -> tuple[Any, Any, Any]:
        """P1, P2 and E of the last iteration."""

    def result_arrays(self) -> tuple[Any, Any]:
        """Refined affinity and links, symmetric and in [0, 1]. The engine is used up."""
