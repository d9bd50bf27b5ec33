"""Weighted k-means on sparse points."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from consensa.metrics import adjusted_rand_index
from consensa.partition import _weighted_kmeans, weighted_kmeans
from consensa.partition import kmeans as _kmeans

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(90, 4)) + 8 * np.repeat(np.eye(3, 4), 30, axis=0)
WEIGHTS = RNG.uniform(0.5, 3, size=90)


def objective_by_definition(points, weights, labels):
    total = 0.0
    for k in set(labels.tolist()):
        own = labels == k
        center = weights[own] @ points[own] / weights[own].sum()
        total += weights[own] @ ((points[own] - center) ** 2).sum(axis=1)
    return total


def test_four_points_by_hand():
    # {0, 2} costs 0.1 · 1 / 1.1 · 4 = 0.36, {2, 3} costs 10 / 11: weights decide.
    points = np.array([[0.0], [2.0], [3.0]])
    assert_array_equal(weighted_kmeans(points, np.ones(3), 2, random_state=0).labels, [0, 1, 1])
    heavy = weighted_kmeans(points, np.array([0.1, 1, 10]), 2, random_state=0)
    assert_array_equal(heavy.labels, [0, 0, 1])
    assert_allclose(heavy.objective, 0.4 / 1.1)


def test_no_labeling_of_a_small_problem_is_better():
    points, weights = RNG.normal(size=(7, 2)), RNG.uniform(0.1, 5, size=7)
    best = min(
        objective_by_definition(points, weights, np.array(labels))
        for labels in itertools.product(range(3), repeat=7)
    )
    found = weighted_kmeans(points, weights, 3, n_init=50, random_state=0)
    assert_allclose(found.objective, best)


def test_objective_is_that_of_the_labels_and_each_point_is_with_its_nearest_center():
    run = weighted_kmeans(POINTS, WEIGHTS, 8, n_init=1, tol=0, random_state=1)
    assert run.converged
    assert_allclose(run.objective, objective_by_definition(POINTS, WEIGHTS, run.labels))
    centers = np.stack(
        [
            np.average(POINTS[run.labels == k], axis=0, weights=WEIGHTS[run.labels == k])
            for k in range(8)
        ]
    )
    distances = ((POINTS[:, None] - centers) ** 2).sum(axis=2)
    assert_array_equal(distances.argmin(axis=1), run.labels)


def test_a_weight_of_two_is_the_point_twice():
    twice = weighted_kmeans(np.repeat(POINTS, 2, axis=0), np.repeat(WEIGHTS, 2), 3, random_state=0)
    once = weighted_kmeans(POINTS, 2 * WEIGHTS, 3, random_state=0)
    assert_allclose(once.objective, twice.objective)
    assert_array_equal(once.labels, twice.labels[::2])


def test_sparse_points_are_read_as_they_are_and_left_alone():
    points = sparse.coo_array(np.where(np.abs(POINTS) > 1, POINTS, 0))
    before = points.toarray()
    run = weighted_kmeans(points, WEIGHTS, 3, random_state=0)
    dense = weighted_kmeans(before, WEIGHTS, 3, random_state=0)
    assert_array_equal(run.labels, dense.labels)
    assert_array_equal(points.toarray(), before)


def test_a_center_that_is_nearest_to_nothing_moves_to_the_costliest_point():
    problem = _weighted_kmeans._Problem.of(np.array([[0.0], [1.0], [5.0], [9.0]]), np.ones(4))
    labels, cost = _weighted_kmeans._nearest(problem, np.array([[1.0], [8.0], [100.0]]))
    assert_array_equal(labels, [0, 0, 1, 2])  # 5 is 3 from its center; 9 keeps the other
    assert cost == 1 + 0 + 0 + 1


def test_what_a_point_costs_is_its_weight_times_the_square():
    points, weights = np.array([[0.0], [1.0], [3.0]]), np.array([1, 10, 1])
    problem = _weighted_kmeans._Problem.of(points, weights)
    labels, cost = _weighted_kmeans._nearest(problem, np.array([[2.0], [100.0]]))
    assert_array_equal(labels, [0, 1, 0])  # 10 · 1 against 1 · 4
    assert cost == 4 + 1


def test_a_point_that_is_alone_is_not_taken_from_its_cluster():
    problem = _weighted_kmeans._Problem.of(np.array([[0.0], [1.0], [50.0]]), np.ones(3))
    labels, _ = _weighted_kmeans._nearest(problem, np.array([[0.0], [40.0], [-900.0]]))
    assert_array_equal(labels, [0, 1, 2])


@pytest.mark.parametrize("seed", range(10))
def test_as_many_clusters_come_back_as_asked_for(seed):
    points = np.random.default_rng(seed).normal(size=(30, 2))
    for n_clusters in (1, 12, 30):
        run = weighted_kmeans(points, np.ones(30), n_clusters, n_init=1, random_state=seed)
        assert len(set(run.labels.tolist())) == n_clusters


def test_fewer_distinct_points_give_fewer_clusters():
    points = np.repeat([[0.0, 1], [1, 0]], 4, axis=0)
    run = weighted_kmeans(points, np.ones(8), 5, random_state=0)
    assert_array_equal(run.labels, np.repeat([0, 1], 4))
    assert run.objective == 0


def test_more_starts_are_no_worse_and_seeds_repeat():
    one = weighted_kmeans(POINTS, WEIGHTS, 12, n_init=1, random_state=5)
    many = weighted_kmeans(POINTS, WEIGHTS, 12, n_init=20, random_state=5)
    again = weighted_kmeans(POINTS, WEIGHTS, 12, n_init=20, random_state=5)
    assert many.objective <= one.objective + 1e-12
    assert_array_equal(many.labels, again.labels)


def test_running_out_of_iterations_is_told():
    points = np.random.default_rng(3).random((200, 2))
    run = weighted_kmeans(points, np.ones(200), 9, n_init=1, max_iter=1, tol=0, random_state=0)
    assert (run.n_iter, run.converged) == (1, False)


def test_many_points_are_started_on_a_sample_and_all_of_them_labeled(monkeypatch):
    wanted = weighted_kmeans(POINTS, WEIGHTS, 3, random_state=0)
    monkeypatch.setattr(_kmeans, "_SAMPLE", 40)
    monkeypatch.setattr(_kmeans, "_SAMPLE_PER_CLUSTER", 5)
    sizes = []
    seed = _weighted_kmeans._seed
    monkeypatch.setattr(
        _weighted_kmeans, "_seed", lambda p, k, rng: sizes.append(p.n_points) or seed(p, k, rng)
    )
    sampled = weighted_kmeans(POINTS, WEIGHTS, 3, random_state=0)
    assert set(sizes) == {40}
    assert adjusted_rand_index(sampled.labels, wanted.labels) == 1
    assert_allclose(sampled.objective, wanted.objective)
