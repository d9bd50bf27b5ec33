"""The nearest point of each row: exactly that of a slow loop, in any block of rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa.features.space import learn_space
from consensa.generation._nearest_point import NearestPoint, coordinates_of


def slowly(where, points):
    """The nearest point, pair by pair; of equally near ones the first."""
    return np.array([np.square(points - row).sum(axis=1).argmin() for row in where])


def clumps(columns, far, n=300):
    rows = np.random.default_rng(0).normal(size=(n, columns))
    rows[n // 2 :] += far
    return rows


GRID = np.stack(np.meshgrid(np.arange(12.0), np.arange(10.0)), axis=-1).reshape(-1, 2)


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(1).normal(size=(700, 5)),
        clumps(20, 1e6),  # float32 leaves many candidates
        clumps(3, 1e-3) * 1e30,
        np.r_[GRID, GRID + 0.5],  # every row between the points has four nearest ones
        np.random.default_rng(2).normal(size=(600, 60)),  # principal components
    ],
    ids=["normal", "far clumps", "huge", "ties", "many columns"],
)
def test_the_nearest_point_is_that_of_a_slow_loop(rows):
    space = learn_space(rows, scaling="none")
    points = coordinates_of(rows[::4], space)
    found = NearestPoint(points, space)(rows)
    assert_array_equal(found, slowly(coordinates_of(rows, space), points))


def test_blocks_of_rows_do_not_matter():
    rows = np.random.default_rng(3).integers(0, 3, (900, 60)).astype(float)  # with ties
    space = learn_space(rows, scaling="none")
    points = coordinates_of(rows[:200], space)
    find = NearestPoint(points, space)
    whole = find(rows)
    assert_array_equal(whole[:200], slowly(points, points))
    for height in (1, 7, 511, 513):
        parts = [find(rows[start : start + height]) for start in range(0, 900, height)]
        assert_array_equal(np.concatenate(parts), whole)
