"""Minimum of a smooth function in a box, by a projected limited-memory quasi-Newton method."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from consensa._array import Array

__all__ = ["descend_in_box"]

_EPS = np.finfo(np.float64).eps
_MEMORY = 5  # steps that the curvature is taken from
_SLOPE = 1e-3  # stop if no entry of the projected gradient is larger
_GAIN = 1e7 * _EPS  # stop if a step gains less, relative to the value
_DESCENT = 1e-4  # share of the gain promised by the slope that a step must make
_HALVINGS = 20

Objective = Callable[[Array], tuple[float, Array]]


def descend_in_box(objective: Objective, start: Array, upper: Array, max_steps: int) -> Array:
    r"""Point of :math:`0 \le x \le u` where `objective` is small, from `start` downhill.

    .. math:: x \leftarrow P(x - t\, B\, g)

    :math:`P` cuts off what is outside the box. :math:`g` is the gradient without the entries that
    push against a bound, :math:`B` the inverse Hessian by the last five steps (L-BFGS), and
    :math:`t` is halved until the value falls enough. SciPy's L-BFGS-B finds points as low, but
    converts the bounds one by one in Python, which takes longer than its steps.

    Parameters
    ----------
    objective : callable
        Value and gradient at a point.
    start, upper : ndarray of shape (n,)
        First point, and the upper bounds. The lower ones are 0.
    max_steps : int
        Maximum number of steps.

    Examples
    --------
    >>> import numpy as np
    >>> def distance(x): return float(np.sum((x - [0.5, 3]) ** 2)), 2 * (x - [0.5, 3])
    >>> descend_in_box(distance, np.zeros(2), np.ones(2), 20)
    array([0.5, 1. ])
    """
    here = _Place(start, *objective(start))
    past: deque[_Step] = deque(maxlen=_MEMORY)
    for _ in range(max_steps):
        if np.abs(np.clip(here.point - here.slope, 0, upper) - here.point).max() < _SLOPE:
            break
        before, way = here, _direction(here, upper, past)
        here = _searched(objective, before, way, upper)
        if before.value - here.value <= _GAIN * max(abs(before.value), abs(here.value), 1):
            break
        _remember(past, before, here)
    return here.point


class _Place(NamedTuple):
    point: Array
    value: float
    slope: Array


class _Step(NamedTuple):
    moved: Array
    bent: Array  # change of the gradient
    inner: float


def _dot(a: Array, b: Array) -> float:
    # BLAS adds in another order, and rounding alone can lead CESHL to another minimum: its labels
    # would change, in 2 of 240 random cases.
    return float(np.einsum("i,i->", a, b))


def _remember(past: deque[_Step], before: _Place, here: _Place) -> None:
    moved, bent = here.point - before.point, here.slope - before.slope
    inner = _dot(moved, bent)
    if inner > _EPS * _dot(bent, bent):
        past.append(_Step(moved, bent, inner))


def _direction(here: _Place, upper: Array, past: deque[_Step]) -> Array:
    """Way downhill that no bound stops at once; its first trial step is 1."""
    low, high = here.point <= 0, here.point >= upper
    free = np.where(low & (here.slope > 0) | high & (here.slope < 0), 0.0, here.slope)
    way = -_times_inverse_hessian(free, past)
    way[low & (way < 0) | high & (way > 0) | (free == 0)] = 0
    if past and _dot(free, way) < 0:
        return way
    past.clear()
    return -free * min(1.0, 1 / np.sqrt(_dot(free, free)))


def _times_inverse_hessian(vector: Array, past: deque[_Step]) -> Array:
    """The two loops of L-BFGS."""
    out, taken = vector.copy(), []
    for step in reversed(past):
        taken.append(_dot(step.moved, out) / step.inner)
        out -= taken[-1] * step.bent
    if past:
        out *= past[-1].inner / _dot(past[-1].bent, past[-1].bent)
    for step, first in zip(past, reversed(taken), strict=True):
        out += (first - _dot(step.bent, out) / step.inner) * step.moved
    return out


def _searched(objective: Objective, before: _Place, way: Array, upper: Array) -> _Place:
    """Place on the way, bent along the bounds, where the value has fallen enough, if any."""
    for halvings in range(_HALVINGS):
        point = np.clip(before.point + 0.5**halvings * way, 0, upper)
        value, slope = objective(point)
        if value <= before.value + _DESCENT * _dot(before.slope, point - before.point):
            return _Place(point, value, slope)
    return before
