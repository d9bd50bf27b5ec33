"""Numbers in sentences, formatted in the same way everywhere."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

__all__ = ["counted", "landmark_line", "listed_sizes", "two_digits"]


def counted(number: int, thing: str) -> str:
    """A number of things: ``1 cluster``, ``2 clusters``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def listed_sizes(sizes: Iterable[int], most: int) -> str:
    """Sizes of clusters, the largest first; only the number of those after `most` is given."""
    ordered = np.sort(np.asarray(sizes))[::-1]
    shown = ", ".join(f"{size:,}" for size in ordered[:most])
    rest = len(ordered) - most
    return f"{shown} and {rest:,} smaller" if rest > 0 else shown


def two_digits(share: float) -> str:
    """A proportion in two digits; ``1.00`` only if it is exactly 1."""
    return "> 0.99" if 0.995 <= share < 1 else f"{share:.2f}"


def landmark_line(n_landmarks: int) -> str:
    """What it means that partitions were computed on some of the samples only."""
    return (
        f"Landmarks: the base partitions were computed on {n_landmarks:,} samples; every other "
        f"sample has the labels of the nearest one"
    )
