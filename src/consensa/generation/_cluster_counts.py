"""Numbers of clusters of the base partitions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from consensa.exceptions import InvalidParameterError

__all__ = ["ClusterCounts", "range_of_counts", "spaced"]

_MOST_CLUSTERS = 2  # times the number of clusters of the consensus


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


class ClusterCounts(NamedTuple):
    """Numbers of clusters of the partitions of one generator.

    Attributes
    ----------
    low, high : int
        The range that numbers are drawn from, inclusive.
    consensus : int or None
        Number of clusters of the consensus; None if it is not known or was overruled.
    steady : bool
        Whether drawing takes as many random numbers for every range, so that the seeds drawn
        afterwards are the same for every number of clusters.
    """

    low: int
    high: int
    consensus: int | None
    steady: bool = False

    @classmethod
    def of(cls, given: Any, consensus: int | None, n_points: int, *, owner: str) -> ClusterCounts:
        """The range in `given`; for None, from k to 2 k, for k clusters of the consensus."""
        if given is None and consensus is not None:
            k = min(consensus, n_points)
            return cls(k, min(_MOST_CLUSTERS * k, n_points), k)
        low, high = range_of_counts(given, n_points, owner=owner)
        return cls(low, high, None)

    def draw(self, size: int, rng: np.random.RandomState) -> list[int]:
        """Random numbers of clusters."""
        own = np.random.RandomState(rng.randint(2**31 - 1)) if self.steady else rng
        return [int(k) for k in own.randint(self.low, self.high + 1, size=size)]

    def spread(self, size: int, rng: np.random.RandomState) -> list[int]:
        """From the number k of the consensus to 2 k, in equal proportions; else random numbers."""
        drawn = self.draw(size, rng)
        if self.consensus is None:
            return drawn
        return spaced((self.consensus, self.high), size)

    def usual(self, size: int, rng: np.random.RandomState) -> list[int]:
        """The number of the consensus, if it is known; else random numbers."""
        drawn = self.draw(size, rng)  # drawn in any case, so that what follows is the same
        return drawn if self.consensus is None else [self.consensus] * size


def spaced(ends: Any, count: int) -> list[int]:
    """`count` integers in geometric progression between two ends; or one integer, repeated."""
    if isinstance(ends, tuple | list):
        return [int(number) for number in np.round(np.geomspace(ends[0], ends[1], num=count))]
    return [int(ends)] * count
