"""The coordinates of the neighbor embedding on a device: many edges at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array, tensors_on, to_numpy
from consensa.generation._embedding_kernels import MOST, NEGATIVE, pulls, pushes

__all__ = ["lay_out_on_device"]

_N_BATCHES = 8  # of the edges; points stay where they are during one
_UNIT = 2.0**-40  # of the steps that are added up: sums of whole numbers do not depend on order
_FACTOR = 6364136223846793005  # of the linear congruential generators, and their increment
_INCREMENT = 1442695040888963407


class _Batch(NamedTuple):
    """Edges that move their points at the same time, as tensors that change in place."""

    first: Any
    second: Any
    interval: Any  # epochs between two pulls
    due: Any  # epoch of the next pull
    state: Any  # of the random numbers, one for each point that repels


def lay_out_on_device(
    points: Array,
    first: Array,
    second: Array,
    weights: Array,
    n_epochs: int,
    seed: int,
    device: Any,
) -> Array:
    """Coordinates after stochastic gradient descent, as `lay_out` moves them, batch by batch.

    The steps are those of `lay_out`: an edge pulls its points together at intervals given by its
    weight, and random points push the first one away. But instead of one edge after the other,
    an eighth of the edges moves the points at once. A point has few of its edges in each batch.
    """
    xp, (moved,) = tensors_on(device, points)
    interval = weights.max() / weights
    batches = [
        _batch(edges, first[edges], second[edges], interval[edges], seed, device)
        for edges in _batches_of(first)
    ]
    sums = xp.zeros(points.shape, dtype=xp.int64, device=device)
    for epoch in range(n_epochs):
        for batch in batches:
            _move(xp, moved, batch, sums, epoch, 1 - epoch / n_epochs)
    return to_numpy(moved)


def _batches_of(first: Array) -> list[Array]:
    """Numbers of the edges of each batch; the edges are ordered by their first point."""
    rank = np.arange(len(first)) - np.searchsorted(first, first)
    batches = [np.flatnonzero(rank % _N_BATCHES == own) for own in range(_N_BATCHES)]
    return [edges for edges in batches if len(edges)]


def _batch(
    edges: Array, first: Array, second: Array, interval: Array, seed: int, device: Any
) -> _Batch:
    numbers = edges[:, None] * NEGATIVE + np.arange(NEGATIVE)
    state = _mixed(numbers.astype(np.uint64) + (np.uint64(seed) << np.uint64(32)))
    _, tensors = tensors_on(device, first, second, interval, interval, state.view(np.int64))
    return _Batch(*tensors)


def _mixed(numbers: Array) -> Array:
    """Numbers that look random, from any different ones: the finalizer of SplitMix64."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _move(xp: Any, points: Any, batch: _Batch, sums: Any, epoch: int, rate: float) -> None:
    """Move the points of the edges that are due, in place."""
    now = batch.due <= epoch
    batch.due.add_(batch.interval * now)
    here = points[batch.first]
    pull = _clipped(_pull(xp, here - points[batch.second]))
    batch.state.mul_(_FACTOR).add_(_INCREMENT)
    others = ((batch.state >> 33) & 0x7FFFFFFF) % len(points)  # the first bits are the random ones
    push = _clipped(_push(xp, here[:, None] - points[others])).sum(1)
    scale = (rate / _UNIT) * now[:, None]
    steps = xp.cat([(pull + push) * scale, -pull * scale]).round().to(xp.int64)
    sums.zero_().index_add_(0, xp.cat([batch.first, batch.second]), steps)
    points.add_(sums, alpha=_UNIT)


def _clipped(steps: Any) -> Any:
    return steps.clamp_(-MOST, MOST)


def _pull(xp: Any, apart: Any) -> Any:
    """Steps of the first points towards the second ones."""
    squares = xp.square(apart).sum(-1, keepdim=True)
    return apart * pulls(xp.where(squares > 0, squares, 1))


def _push(xp: Any, apart: Any) -> Any:
    """Steps of points away from others."""
    return apart * pushes(xp.square(apart).sum(-1, keepdim=True))
