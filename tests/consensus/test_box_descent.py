"""The minimum in a box: by hand, by its conditions and beside SciPy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

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
