"""The compiled loop of TEA."""

from __future__ import annotations

from typing import Any

from consensa._machine.compile import compiled

__all__ = ["tempered_affinity"]


@compiled()
def tempered_affinity(ids: Any, certainty: Any, weights: Any, scale: Any, out: Any) -> None:
    """Normalized affinity: mean certainty of the shared clusters, times the scale of both samples.

    The mean is over the partitions that label both samples, with their `weights`.
    """
    n, m = ids.shape
    for i in range(n):
        for j in range(i + 1):
            together, shared = 0.0, 0.0
            for p in range(m):
                if ids[i, p] >= 0 and ids[j, p] >= 0:
                    shared += weights[p]
                    if ids[i, p] == ids[j, p]:
                        together += weights[p] * certainty[ids[i, p]]
            out[i, j] = scale[i] * scale[j] * (together / shared) if shared else 0.0
            out[j, i] = out[i, j]
