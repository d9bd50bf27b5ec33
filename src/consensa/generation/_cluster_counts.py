"""Range of the number of clusters of a base partition."""

from __future__ import annotations

import math
from typing import Any

from consensa.exceptions import InvalidParameterError

__all__ = ["range_of_counts"]


def range_of_counts(n_clusters: Any, n_samples: int, *, owner: str) -> tuple[int, int]:
    """Smallest and largest number of clusters to draw.

    None is the range of the LTA paper, 2 to the square root of the number of samples; an integer
    fixes the number; a pair is the range.
    """
    if n_clusters is None:
        return 2, max(2, min(math.isqrt(n_samples), n_samples - 1))
    if isinstance(n_clusters, (tuple, list)):
        low, high = (int(end) for end in n_clusters)
    else:
        low = high = int(n_clusters)
    if high > n_samples:
        message = (
            f"The 'n_clusters' parameter of {owner} must be at most the number of samples, "
            f"{n_samples}. Got {n_clusters!r}."
        )
        raise InvalidParameterError(message)
    return low, high
