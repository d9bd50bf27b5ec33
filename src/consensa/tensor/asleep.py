"""The first iterations of the Fourier solver, on scalars.

Until the first singular value passes the threshold 1/μ, the tensor P is zero and everything else
is a multiple of the links or of A, so an engine need not touch a matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa.tensor.pairs import Gram, shrinkage
from consensa.tensor.solver import Report

__all__ = ["Asleep"]


class Asleep:
    """The multiples while P = 0: D1 = −d·links, D3 = 0, E = e·A, T1 = t1·links, T2 = t2·A."""

    def __init__(self, start: Gram, target: Any, linked: Any, energy: float, penalty: float):
        self.start = start  # Gram sums of the pair (links, A), on the host
        self.penalty, self.energy = penalty, energy  # λ, ‖A‖²
        self.largest, self.has_links = float(target.max()), float(linked.any())
        self.d = self.e = self.t1 = 0.0
        self.t2 = 0.5

    def ends(self, step: float) -> bool:
        """Say whether a singular value passes the threshold of this step."""
        cross = self.t1 * self.t2
        sums = Gram(
            self.start.first * self.t1**2,
            self.start.second * self.t2**2,
            self.start.cross_real * cross,
            self.start.cross_imag * cross,
        )
        return bool(shrinkage(np, sums, 1 / step).singular_values.any())

    def iterate(self, step: float, next_step: float) -> Report:
        """No singular value passes: P = 0, B = links, C = 0."""
        self.d = (1 + self.d) * step / next_step
        self.e = (step + 2 * self.penalty * self.e) / (2 * self.penalty + step)
        self.t1 = 1 + self.d
        self.t2 = (1 - self.e + 2 * self.penalty * self.e / next_step) / 2
        return Report(
            gaps=(self.has_links, (1 - self.e) * self.largest, 0.0),
            norm=0.0,
            error_energy=self.e**2 * self.energy,
            n_survivors=0,
        )
