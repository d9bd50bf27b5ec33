"""The compiled loop of TEA."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = ["LEAST", "tempered_affinity"]

LEAST = 1e-300  # certainties may underflow if theta is tiny


@compiled()
def tempered_affinity(
    ids: Any, certainty: Any, weights: Any, normalization: float, out: Any
) -> None:
    """Normalized affinity: mean certainty of the shared clusters over powers of the diagonal.

    The mean is over the partitions that label both samples, with their `weights`.
    """
    n, m = ids.shape
    scale = np.empty(n)
    for i in range(n):
        for j in range(i + 1):
            together, shared = 0.0, 0.0
            for p in range(m):
                if ids[i, p] >= 0 and ids[j, p] >= 0:
                    shared += weights[p]
                    if ids[i, p] == ids[j, p]:
                        together += weights[p] * certainty[ids[i, p]]
            out[i, j] = together / shared if shared else 0.0
        scale[i] = max(out[i, i], LEAST) ** -normalization
    for i in range(n):
        for j in range(i + 1):
            out[i, j] *= scale[i] * scale[j]
            out[j, i] = out[i, j]
