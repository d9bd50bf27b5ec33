"""The plain implementation of an iteration, for any array library and any domain.

In the paper's notation, the tensor is P = (P1, P2), its copies that satisfy the
constraints are B and C, the error is E, the multipliers are Λ1, Λ2, Λ3 and the step size is μ.
The other engines are tested against this one.
"""

from __future__ import annotations

from typing import Any, Protocol

from consensa._array import namespace
from consensa.tensor.pairs import Shrunk
from consensa.tensor.solver import Report

__all__ = ["Domain", "PlainEngine", "unit_symmetric"]


class Domain(Protocol):
    """What makes a new domain: thresholding of the pair of slices in it."""

    def shrink(self, links: Any, affinity: Any, threshold: float) -> Shrunk:
        """Shrink the singular values of both slices together."""


class PlainEngine:
    """The paper's Algorithm 2, line by line."""

    def __init__(self, target: Any, linked: Any, penalty: float, domain: Domain) -> None:
        self.target, self.linked = target, linked
        self.penalty, self.domain = penalty, domain
        zero = namespace(target).zeros_like(target)
        self.copy1, self.copy2, self.error = zero, zero, zero  # B, C, E
        self.multiplier1, self.multiplier2, self.multiplier3 = zero, zero, zero  # Λ1, Λ2, Λ3

    def iterate(self, step: float, next_step: float) -> Report:
        """Do one iteration."""
        xp = namespace(self.target)
        del next_step  # the multipliers are kept unscaled
        # P: shrink the singular values of T, eq. (13) and the text after it
        shrunk = self.domain.shrink(
            self.copy1 - self.multiplier1 / step,
            (self.target - self.error + self.copy2 - (self.multiplier2 + self.multiplier3) / step)
            / 2,
            1 / step,
        )
        tensor1, tensor2 = self.tensor1, self.tensor2 = shrunk.links, shrunk.affinity

        self.error = (step * (self.target - tensor2) - self.multiplier2) / (
            2 * self.penalty + step
        )  # eq. (15)
        copy1 = unit_symmetric(xp, tensor1 + self.multiplier1 / step)  # eq. (17)
        self.copy1 = xp.where(self.linked, xp.ones_like(copy1), copy1)
        self.copy2 = unit_symmetric(xp, tensor2 + self.multiplier3 / step)  # eq. (20)

        gaps = (tensor1 - self.copy1, tensor2 + self.error - self.target, tensor2 - self.copy2)
        self.multiplier1 = self.multiplier1 + step * gaps[0]  # eq. (22)
        self.multiplier2 = self.multiplier2 + step * gaps[1]
        self.multiplier3 = self.multiplier3 + step * gaps[2]
        largest = [float(xp.max(xp.abs(gap))) for gap in gaps]
        return Report(
            gaps=(largest[0], largest[1], largest[2]),
            norm=shrunk.norm,
            error_energy=float(xp.sum(self.error * self.error, dtype=xp.float64)),
            n_survivors=shrunk.n_survivors,
        )

    def iterate_arrays(self) -> tuple[Any, Any, Any]:
        """P1, P2 and E of the last iteration."""
        return self.tensor1, self.tensor2, self.error

    def result_arrays(self) -> tuple[Any, Any]:
        """Refined affinity and links."""
        return unit_symmetric(namespace(self.target), self.tensor2), self.copy1


def unit_symmetric(xp: Any, matrix: Any) -> Any:
    """Nearest matrix that is symmetric and has its entries in [0, 1]."""
    return xp.clip((matrix + xp.matrix_transpose(matrix)) / 2, 0, 1)
