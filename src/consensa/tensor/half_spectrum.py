"""The transform of real numbers: half of its frequencies are the mirror of the others."""

from __future__ import annotations

from typing import Any

from consensa._array import device, namespace

__all__ = ["multiplicity"]


def multiplicity(n_samples: int, like: Any, dtype: Any = None) -> Any:
    """How often each frequency of the half spectrum stands in the full one; float64 if None."""
    count = [2.0] * (n_samples // 2 + 1)  # the full spectrum holds f and n − f
    count[0] = 1.0
    if n_samples % 2 == 0:
        count[-1] = 1.0
    xp = namespace(like)
    return xp.asarray(count, dtype=dtype or xp.float64, device=device(like))
