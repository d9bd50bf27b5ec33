"""The points of a neighborhood, and their nearest neighbors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import TEA, GraphCuts
from consensa.features import read_features
from consensa.generation._neighborhood import find_neighborhood, nearest_neighbors


def two_clumps(columns, far, n=60):
    points = np.random.default_rng(0).normal(size=(n, columns))
    points[n // 2 :] += far
    return points


def found_in(X, **options):
    options = {"scaling": "none", "metric": "euclidean", "max_samples": 100} | options
    rng = np.random.RandomState(0)
    return find_neighborhood(read_features(X), n_jobs=1, rng=rng, **options)


def slowly(points, count, sample):
    """Numbers of the nearest other points, one by one; equal distances by number."""
    rows = []
    for own in sample:
        lengths = [float(np.linalg.norm(other - points[own])) for other in points]
        others = sorted((length, j) for j, length in enumerate(lengths) if j != own)
        rows.append(others[:count])
    return np.array([[j for _, j in row] for row in rows]), np.array(
        [[length for length, _ in row] for row in rows]
    )


GRID = np.stack(np.meshgrid(np.arange(6.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
COLUMN_OF_1E7 = np.c_[np.random.default_rng(1).normal(size=(50, 20)), np.full(50, 1e7)]


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize(
    "points",
    [
        np.random.default_rng(2).normal(size=(700, 3)),  # more than a block
        two_clumps(20, 1e8),
        two_clumps(2, 1e8),
        two_clumps(20, 1e8) - 5e7,
        COLUMN_OF_1E7,
        np.array([[0.0], [3.0]]),
    ],
    ids=["normal", "far clumps", "far clumps in the plane", "centered", "1e7", "two"],
)
def test_nearest_neighbors_are_those_of_a_slow_loop(points, n_jobs):
    neighbors, distances = nearest_neighbors(points, 7, n_jobs)
    sample = range(0, len(points), 1 + len(points) // 100)
    wanted, lengths = slowly(points, 7, sample)
    assert_array_equal(neighbors[sample], wanted)
    assert_allclose(distances[sample], lengths, rtol=1e-12)


def test_equal_distances_are_those_of_the_slow_loop_and_no_point_is_its_own_neighbor():
    neighbors, distances = nearest_neighbors(GRID, 4, 1)
    assert_allclose(distances, slowly(GRID, 4, range(len(GRID)))[1])
    assert (neighbors != np.arange(len(GRID))[:, None]).all()
    assert all(len(set(row)) == 4 for row in neighbors.tolist())


def test_points_are_the_distinct_samples_and_sizes_their_numbers():
    X = np.repeat(GRID, np.arange(len(GRID)) % 3 + 1, axis=0)[::-1]
    found = found_in(X)
    assert found.n_points == len(GRID)
    assert_array_equal(found.sizes, np.bincount(found.point_of_sample))
    back = found.points[found.point_of_sample] + X.mean(axis=0)
    assert_allclose(back, X, atol=1e-12)


@pytest.mark.parametrize(
    "X", [np.random.default_rng(3).normal(size=(90, 3)), two_clumps(20, 1e8, 90)]
)
def test_samples_that_were_not_drawn_go_with_the_nearest_point(X):
    found = found_in(X, max_samples=30)
    assert found.n_points == 30
    assert found.sizes.sum() == 90
    every = found.space.apply(X)
    distances = np.linalg.norm(every[:, None] - found.points, axis=2)
    own = distances[np.arange(90), found.point_of_sample]
    assert_allclose(own, distances.min(axis=1), rtol=1e-7, atol=1e-6)


def test_samples_of_far_clumps_are_predicted_to_be_where_they_are():
    X = two_clumps(20, 1e8)
    model = TEA(4, random_state=0, generator=GraphCuts(6)).fit(X)
    assert_array_equal(model.predict(X), model.labels_)
    for own, codes in zip(model.ensemble_.models, model.ensemble_.codes.T, strict=True):
        assert_array_equal(own.predict(X), codes)
