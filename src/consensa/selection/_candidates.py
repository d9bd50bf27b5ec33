"""The numbers of clusters to choose from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._params import Integer
from consensa.exceptions import (
    FewerClustersWarning,
    InvalidInputError,
    InvalidParameterError,
)

__all__ = ["Candidates", "read_candidates"]

_FIRST_HIGH = 20  # of "auto"
_EDGE = 0.9  # of the largest number: the best one above it asks for larger ones
_ALL_UP_TO = 40  # above it, every twentieth or so
_OF_THE_CALL = 5  # stack level of the call of a selection, from a method of `Candidates`


class Candidates(NamedTuple):
    """Numbers to choose from; None if they are found automatically.

    Attributes
    ----------
    given : tuple of int or None
        The numbers, ascending.
    most : int
        The largest possible number.
    """

    given: tuple[int, ...] | None
    most: int

    def first_range(self) -> list[int]:
        """The numbers to measure first."""
        if self.given is not None:
            return list(self.given)
        return list(range(2, max(2, min(_FIRST_HIGH, self.most)) + 1))

    def possible(self, is_possible: Callable[[int], bool], *, there: str) -> list[int]:
        """Those of the first numbers that are possible; a warning says if some are not.

        `there` says how many samples there are to separate.
        """
        wanted = self.first_range()
        possible = [k for k in wanted if is_possible(k)]
        if not possible:
            message = f"{there}, too few for any candidate: {wanted[0]} to {wanted[-1]}."
            raise InvalidInputError(message)
        if len(possible) < len(wanted) and self.given is not None:
            message = f"{there}; candidates above {possible[-1]} are ignored."
            warnings.warn(message, FewerClustersWarning, stacklevel=_OF_THE_CALL)
        return possible

    def wider(self, numbers: Array, evidence: Array) -> list[int] | None:
        """More numbers, if the best one is near the largest; None if there are none to add."""
        high = int(numbers[-1])
        near_edge = numbers[np.argmax(evidence)] > _EDGE * high
        if self.given is not None or high >= self.most or not near_edge:
            return None
        top = min(2 * high, self.most)
        steps = [k for k in range(high + 1, top + 1) if k <= _ALL_UP_TO or k % (k // 20) == 0]
        return [*map(int, numbers), *steps] if steps else None


def read_candidates(n_clusters: Any, n_samples: int, *, owner: str) -> Candidates:
    """Numbers from "auto" or an iterable, for a number of samples."""
    if n_samples < 3:
        message = f"{owner} needs at least 3 samples to choose a number. Got {n_samples}."
        raise InvalidInputError(message)
    if isinstance(n_clusters, str):
        if n_clusters != "auto":
            raise InvalidParameterError(_refused(n_clusters, owner))
        return Candidates(None, max(2, min(n_samples - 1, n_samples // 5)))
    given = _numbers(n_clusters, owner)
    if max(given) > n_samples - 1:
        message = (
            f"The 'n_clusters' parameter of {owner} must be at most the number of samples minus "
            f"one, {n_samples - 1}. Got {max(given)}."
        )
        raise InvalidParameterError(message)
    return Candidates(tuple(given), max(given))


def _numbers(n_clusters: Any, owner: str) -> list[int]:
    """Distinct numbers of 2 or more, ascending; one cluster is tested with the references."""
    if not isinstance(n_clusters, Iterable):
        message = (
            f"The 'n_clusters' parameter of {owner} must be 'auto' or several numbers to choose "
            f"from, such as range(2, 11). Got the single number {n_clusters!r}."
            if Integer(1).accepts(n_clusters)
            else _refused(n_clusters, owner)
        )
        raise InvalidParameterError(message)
    given = list(n_clusters)
    if not given or not all(Integer(1).accepts(k) for k in given) or max(given) < 2:
        raise InvalidParameterError(_refused(n_clusters, owner))
    return sorted({int(k) for k in given} - {1})


def _refused(n_clusters: Any, owner: str) -> str:
    return (
        f"The 'n_clusters' parameter of {owner} must be 'auto' or an iterable of integers, at "
        f"least one of them 2 or more, such as range(2, 11). Got {n_clusters!r}."
    )
