"""The minimum in a box: by hand, by its conditions and beside SciPy's."""

import itertools
from collections import deque

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from consensa.consensus import _box_descent as module
from consensa.consensus._box_descent import descend_in_box


def quadratic(seed, size=30):
    """A convex function whose minimum is outside the box."""
    rng = np.random.RandomState(seed)
    root = rng.normal(size=(size, size))
    matrix, center = root @ root.T / size + 0.1 * np.eye(size), rng.normal(0.5, 1, size)

    def objective(x):
        off = matrix @ (x - center)
        return float((x - center) @ off), 2 * off

    return objective, rng.uniform(0.5, 1, size)


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_is_zero_inside_and_points_out_at_the_bounds(seed):
    objective, upper = quadratic(seed)
    found = descend_in_box(objective, upper / 2, upper, 500)
    slope = objective(found)[1]
    low, high = found == 0, found == upper
    assert low.any()
    assert high.any()
    assert (slope[low] >= 0).all()
    assert (slope[high] <= 0).all()
    assert_allclose(slope[~low & ~high], 0, atol=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_the_minimum_is_that_of_scipy(seed):
    objective, upper = quadratic(seed)
    bounds = [(0, bound) for bound in upper]
    expected = minimize(objective, upper / 2, jac=True, method="L-BFGS-B", bounds=bounds)
    found = descend_in_box(objective, upper / 2, upper, 500)
    assert objective(found)[0] == pytest.approx(expected.fun, abs=1e-5)
    assert_allclose(found, expected.x, atol=1e-2)


def test_curvature_of_the_past_steps_saves_steps():
    scales = np.logspace(0, 3, 20)

    def objective(x):
        return float(scales @ (x - 0.5) ** 2), 2 * scales * (x - 0.5)

    found = descend_in_box(objective, np.zeros(20), np.ones(20), 60)
    steepest = np.zeros(20)
    for _ in range(60):
        steepest -= objective(steepest)[1] / scales.max() / 2
    assert objective(found)[0] < 1e-2 * objective(steepest)[0]


def test_every_step_lowers_the_value_and_stays_in_the_box():
    seen = []
    objective, upper = quadratic(7)
    for steps in range(1, 12):
        found = descend_in_box(objective, np.zeros(30), upper, steps)
        assert ((found >= 0) & (found <= upper)).all()
        seen.append(objective(found)[0])
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] < seen[0]


def test_a_corner_where_every_bound_pushes_back_is_the_answer_at_once():
    calls = []

    def objective(x):
        calls.append(1)
        return float(x.sum()), np.ones(3)

    assert_array_equal(descend_in_box(objective, np.zeros(3), np.ones(3), 20), np.zeros(3))
    assert len(calls) == 1


def test_a_gradient_that_promises_too_much_moves_nothing():
    def objective(x):
        return float(np.abs(x - 0.5).sum()), np.ones(3)  # wrong on one side

    start = np.full(3, 0.5)
    assert_array_equal(descend_in_box(objective, start, np.ones(3), 20), start)


def place(point, slope):
    return module._Place(np.array(point, float), 0.0, np.array(slope, float))


def past_steps(seed, count, size=6):
    """Steps on a convex quadratic function, as the descent remembers them."""
    rng = np.random.RandomState(seed)
    root, past = rng.normal(size=(size, size)), deque(maxlen=module._MEMORY)
    matrix = root @ root.T + np.eye(size)
    points = rng.normal(size=(count + 1, size))
    for before, here in itertools.pairwise(points):
        module._remember(past, place(before, matrix @ before), place(here, matrix @ here))
    return past


@pytest.mark.parametrize("count", [0, 1, 3, 7])
def test_the_inverse_hessian_is_that_of_the_updates_of_bfgs(count):
    past, unit = past_steps(count, count), np.eye(6)
    assert len(past) == min(count, 5)
    inverse = unit
    if past:
        inverse = unit * (past[-1].moved @ past[-1].bent) / (past[-1].bent @ past[-1].bent)
    for moved, bent, _ in past:
        away = unit - np.outer(moved, bent) / (moved @ bent)
        inverse = away @ inverse @ away.T + np.outer(moved, moved) / (moved @ bent)
    found = np.stack([module._times_inverse_hessian(row, past) for row in unit])
    assert_allclose(found, inverse, atol=1e-12)


def test_steps_along_which_the_slope_does_not_rise_are_forgotten():
    past = deque()
    for bent in ([-1.0, 0], [0.0, 1], [1e-20, 1]):
        module._remember(past, place([0, 0], [0, 0]), place([1, 0], bent))
    assert not past
    module._remember(past, place([1, 0], [0, 3]), place([3, 0], [1, 2]))
    assert_array_equal(past[0].moved, [2, 0])
    assert_array_equal(past[0].bent, [1, -1])
    assert past[0].inner == 2


def test_the_first_way_is_downhill_where_no_bound_is_in_the_way_and_no_longer_than_one():
    # At 0 and at the upper bound, first pushed out and then in, and between them.
    corners, upper = [0, 2, 0, 2, 1], np.full(5, 2.0)
    for slope, expected in (
        ([3.0, -3, -6, 8, 0], [0, 0, 0.6, -0.8, 0]),
        ([3, -3, -0.06, 0.08, 0.1], [0, 0, 0.06, -0.08, -0.1]),
    ):
        found = module._direction(place(corners, slope), upper, deque())
        assert_allclose(found, expected, atol=1e-15)


def test_later_ways_leave_bounds_alone_and_forget_what_leads_uphill():
    past, upper = past_steps(3, 3), np.full(6, 2.0)
    here = place([0, 2, 0, 2, 1, 1], [3, -3, -6, 8, 1, -2])
    free = np.array([0, 0, -6, 8, 1, -2.0])
    way = -module._times_inverse_hessian(free, past)
    assert (way != 0).all()
    way[:2] = 0
    way[2], way[3] = max(way[2], 0), min(way[3], 0)
    assert way @ free < 0
    assert_allclose(module._direction(here, upper, past), way)
    assert len(past) == 3
    ascent = deque([module._Step(np.ones(6), np.ones(6), -6.0)])
    assert_allclose(module._direction(here, upper, ascent), -free / np.linalg.norm(free))
    assert not ascent


@pytest.mark.parametrize("side", [0, 1])
def test_no_way_leads_through_a_bound_however_the_slope_points(side):
    # The slope alone would lead away from the bound of the first entry, the curvature through it.
    step = module._Step(np.array([1.0, 1]), np.array([1, 0.2]), 1.2)
    slope = np.array([-0.1, 5]) * (1 - 2 * side)
    here = place([2.0 * side, 1], slope)
    way = -module._times_inverse_hessian(slope, deque([step]))
    assert way[0] * slope[0] > 0
    found = module._direction(here, np.full(2, 2.0), deque([step]))
    assert_allclose(found, [0, way[1]])


def test_a_step_is_halved_until_the_value_falls():
    tried = []

    def objective(x):
        tried.append(float(x[0]))
        return float((x[0] - 1) ** 2 * (1 if x[0] > 1 else 100)), 2 * (x - 1)

    before = module._Place(np.array([3.0]), 4.0, np.array([4.0]))
    found = module._searched(objective, before, np.array([-3.0]), np.array([9.0]))
    assert tried == [0, 1.5]
    assert found == ([1.5], 0.25, [1])


@pytest.mark.parametrize(("share", "calls"), [(2e-4, 1), (5e-5, 20)])
def test_a_step_makes_a_share_of_the_gain_that_the_slope_promises_or_none(share, calls):
    tried = []

    def objective(x):
        tried.append(float(x[0]))
        return 4 - share * 4 * float(3 - x[0]), np.full(1, 4.0)

    before = module._Place(np.array([3.0]), 4.0, np.array([4.0]))
    found = module._searched(objective, before, np.array([-5.0]), np.array([9.0]))
    assert len(tried) == calls
    assert tried[0] == 0  # the bound
    assert found.point == (0 if calls == 1 else 3)


@pytest.mark.parametrize(("level", "reached"), [(1.0, 0.01), (1e6, 0.002), (-1e6, 0.002)])
def test_the_descent_ends_when_a_step_gains_next_to_nothing_of_the_value(level, reached):
    def objective(x):
        return level - 2e-3 * float(x[0]), np.full(1, -2e-3)

    assert_allclose(descend_in_box(objective, np.zeros(1), np.ones(1), 5), reached)
