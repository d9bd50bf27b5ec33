"""Exact nearest rows of a table on a device: candidates there, measured again on the processor."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from consensa._array import Array, tensors_on, to_numpy
from consensa.generation._exact_search import ExactSearch, Room

__all__ = ["DeviceSearch", "search_among"]

_BLOCK_BYTES = 2**28  # of the distances of a block of rows
_SPARE = 8  # candidates beyond the nearest, for equal distances


def search_among(targets: Array, count: int, device: Any) -> ExactSearch:
    """The search for the `count` nearest targets: with NumPy, or on a device of torch."""
    if device is None:
        return ExactSearch(targets, count)
    return DeviceSearch(targets, count, device)


class DeviceSearch(ExactSearch):
    """Finds the same rows as `ExactSearch`, with candidates from all distances on a device."""

    def __init__(self, targets: Array, count: int, device: Any) -> None:
        super().__init__(targets, count)
        self.device = device
        self.xp, (self.there, self.lengths) = tensors_on(device, self.targets, self.squares)
        self.lock = Lock()  # one block of distances at a time, however many threads measure

    def _height(self) -> int:
        return max(1, _BLOCK_BYTES // (8 * len(self.targets)))

    def _of_block(self, rows: Array, room: Room) -> tuple[Array, Array]:
        n_candidates = min(len(self.targets), self.count + _SPARE)
        candidates, furthest = self._found_there(rows, n_candidates)
        measured = np.linalg.norm(self.targets[candidates] - rows[:, None], axis=2)
        order = np.lexsort((candidates, measured), axis=1)[:, : self.count]
        numbers, distances = (
            np.take_along_axis(part, order, axis=1) for part in (candidates, measured)
        )
        if n_candidates < len(self.targets):
            beyond = furthest - 2 * self._rounding(rows, np.float64) * self.unit**2
            unsure = np.flatnonzero(np.square(distances[:, -1]) >= beyond)
            if len(unsure):
                numbers[unsure], distances[unsure] = super()._of_block(rows[unsure], room)
        return numbers, distances

    def _found_there(self, rows: Array, count: int) -> tuple[Array, Array]:
        """The nearest targets as far as rounding tells, and the squared distance of the last."""
        with self.lock:
            _, (block,) = tensors_on(self.device, rows)
            squares = self.xp.addmm(self.lengths, block, self.there.T, alpha=-2)
            least, candidates = self.xp.topk(squares, count, largest=False)
            furthest = to_numpy(least[:, -1]) + np.square(rows).sum(axis=1)
            return to_numpy(candidates), furthest
