"""The arrays of a method that grow with its input, declared once.

The check before a run and `consensa plan` read the same declarations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from consensa._machine.memory import require_bytes, require_square
from consensa.ensemble import Ensemble, Microclusters
from consensa.ensemble.overlaps import most_pairs

__all__ = ["LABELS", "Arrays", "bytes_of", "groups_that_fit", "require_arrays", "sizes_of"]

_MEANING = {
    "n": "samples",
    "s": "samples at once",
    "m": "partitions",
    "c": "clusters in all",
    "p": "pairs of clusters",
    "K": "consensus clusters",
}


class Arrays(NamedTuple):
    """Arrays of one shape that a method has in memory at the same time.

    Attributes
    ----------
    number : float
        How many.
    shape : str
        A letter for each axis: n samples; s samples or representatives that the method works on
        at once; m partitions; c clusters of all partitions; p pairs of clusters that can share a
        sample; K consensus clusters.
    itemsize : int, default=8
        Bytes of an entry.
    """

    number: float
    shape: str
    itemsize: int = 8

    def __str__(self) -> str:
        return f"{self.number:g} of {' × '.join(self.shape)}"


LABELS = Arrays(5, "nm")
"""Labels in memory: codes, cluster ids, memberships, and their copies in canonical order."""


def groups_that_fit(
    ensemble: Ensemble, *, arrays: float, step: str, dtype: Any = np.float64
) -> Microclusters:
    """The microclusters; an error unless `arrays` matrices of their pairs fit in memory."""
    groups = ensemble.microclusters()
    require_square(len(groups.sizes), dtype, arrays=arrays, step=step, of="microclusters")
    return groups


def sizes_of(ensemble: Ensemble, n_clusters: int, n_seen: int) -> dict[str, int]:
    """The number that each letter stands for."""
    return {
        "n": ensemble.n_samples,
        "s": n_seen,
        "m": ensemble.n_partitions,
        "c": ensemble.n_clusters,
        "p": most_pairs(ensemble.cluster_counts, ensemble.n_samples),
        "K": n_clusters,
    }


def bytes_of(arrays: Sequence[Arrays], sizes: Mapping[str, float]) -> float:
    """Bytes of all arrays together."""
    return sum(
        each.itemsize * each.number * math.prod(float(sizes[axis]) for axis in each.shape)
        for each in arrays
    )


def require_arrays(name: str, arrays: Sequence[Arrays], sizes: Mapping[str, int]) -> None:
    """Raise `NotEnoughMemoryError` unless all arrays fit in memory together."""
    if sizes["s"] == sizes["n"]:
        arrays = [each._replace(shape=each.shape.replace("s", "n")) for each in arrays]
    used = "n" + "".join(each.shape for each in arrays)
    given = [f"{axis} = {sizes[axis]} {what}" for axis, what in _MEANING.items() if axis in used]
    require_bytes(
        bytes_of(arrays, sizes),
        step=f"{name} of {', '.join(given)}",
        why=f"arrays: {', '.join(map(str, arrays))}",
        remedy="Use fewer of them, dtype float32 where the method takes it, or a machine with "
        "more memory.",
    )
