"""Exact nearest neighbors on a device, by blocks of all distances."""

from __future__ import annotations

from typing import Any

from consensa._array import Array, tensors_on, to_numpy

__all__ = ["nearest_on_device"]

_BLOCK_BYTES = 2**29  # of the distances of a block of points


def nearest_on_device(points: Array, others: Array, count: int, device: Any) -> Array:
    """Numbers of the `count` nearest rows of `others` for each point, the nearest first.

    Squares are expanded, in double precision, and all at once: a device multiplies matrices much
    faster than it walks through trees.
    """
    xp, (rows, targets) = tensors_on(device, points, others)
    lengths = xp.square(targets).sum(1)
    height = max(1, _BLOCK_BYTES // (8 * len(others)))
    found = []
    for block in xp.split(rows, height):
        # The square of the point itself changes no order, and rounds the others.
        squares = xp.addmm(lengths, block, targets.T, alpha=-2)
        found.append(
            squares.argmin(1, keepdim=True)
            if count == 1
            else xp.topk(squares, count, largest=False).indices
        )
    return to_numpy(xp.cat(found))
