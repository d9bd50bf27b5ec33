"""Base partitions by spectral clustering with random similarities on random columns."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import RandomMetrics
from consensa.exceptions import InvalidParameterError
from consensa.generation import _random_metrics as module
from consensa.metrics import adjusted_rand_index

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 10))
GRID = np.stack(np.meshgrid(np.arange(6.0), np.arange(5.0)), axis=-1).reshape(-1, 2)


def by_definition(points, r, scale):
    """The formula of the docstring, pair by pair."""
    n = len(points)
    d = np.array([[np.linalg.norm(a - b) for b in points] for a in points])
    nearest = [[j for j in np.argsort(d[i], kind="stable") if j != i][:r] for i in range(n)]
    rho = [np.mean([d[i, j] for j in nearest[i]]) for i in range(n)]
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j and (j in nearest[i] or i in nearest[j]):
                width = (rho[i] + rho[j] + d[i, j]) / 3
                found[i, j] = np.exp(-d[i, j] / (scale * width))
    return found


@pytest.mark.parametrize(("r", "scale"), [(1, 0.2), (4, 0.5), (20, 0.8)])
def test_similarities_follow_the_definition(r, scale):
    points = X[:30, :4]
    found = module._similarities(points, r, scale).toarray()
    assert_allclose(found, by_definition(points, r, scale), atol=1e-12)
    assert_allclose(module._similarities(7 * points, r, scale).toarray(), found, atol=1e-12)


def test_every_partition_has_its_own_columns_neighbors_and_scale():
    features = type("Features", (), {"points": X})
    calls = list(RandomMetrics(30)._calls(features, None, np.random.RandomState(0)))
    metrics = [arguments[1] for _, arguments, _ in calls]
    assert {len(set(metric.columns)) for metric in metrics} == {5}
    assert len({tuple(metric.columns) for metric in metrics}) > 20
    neighbors = {metric.n_neighbors for metric in metrics}
    assert min(neighbors) >= 5
    assert max(neighbors) <= 20
    assert len(neighbors) > 8
    scales = [metric.scale for metric in metrics]
    assert 0.2 < min(scales) < 0.3
    assert 0.7 < max(scales) < 0.8
    assert {arguments[2] for _, arguments, _ in calls} <= set(range(2, 9))


def test_columns_that_were_not_drawn_do_not_matter():
    ensemble = RandomMetrics(1, n_features=4).generate(X, random_state=0)
    others = np.setdiff1d(np.arange(10), ensemble.models[0].model.columns)
    changed = X.copy()
    changed[:, others] = 1e3 * RNG.normal(size=(64, 6))
    again = RandomMetrics(1, n_features=4).generate(changed, random_state=0)
    assert_array_equal(again.labels, ensemble.labels)


@pytest.mark.parametrize(
    "points", [X, GRID, np.r_[GRID, GRID[::3]], X[:, :1]], ids=["normal", "grid", "equal", "line"]
)
def test_any_order_of_the_rows_gives_the_same_partitions(points):
    wanted = RandomMetrics(6).generate(points, random_state=0).labels
    order = RNG.permutation(len(points))
    found = RandomMetrics(6).generate(points[order], random_state=0).labels
    for column, expected in zip(found.T, wanted[order].T, strict=True):
        assert adjusted_rand_index(column, expected) == 1


def test_clusters_far_apart_are_found_though_their_graphs_are_not_connected():
    points = np.r_[X[:20], X[20:40] + 50, X[40:] - 50]
    ensemble = RandomMetrics(5, n_clusters=3).generate(points, random_state=0)
    for column in ensemble.labels.T:
        assert_array_equal(column, np.repeat([0, 1, 2], [20, 20, 24]))


def test_more_columns_than_there_are_is_refused():
    message = r"of RandomMetrics must be at most the number of columns, 10\. Got 11"
    with pytest.raises(InvalidParameterError, match=message):
        RandomMetrics(n_features=11).generate(X)


@pytest.mark.parametrize(("n_blobs", "size"), [(10, 29), (10, 40), (20, 20)])
def test_clusters_far_apart_are_never_split(n_blobs, size):
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(n_blobs), size)
    points = 100 * rng.normal(size=(n_blobs, 4))[truth] + 0.01 * rng.normal(size=(len(truth), 4))
    made = RandomMetrics(10, n_clusters=n_blobs, n_features=4).generate(points, random_state=0)
    assert [adjusted_rand_index(truth, codes) for codes in made.labels.T] == [1.0] * 10


def test_neighbors_always_have_some_similarity():
    made = RandomMetrics(3, scale=(1e-3, 1e-3)).generate(X[:30, :4], random_state=0)
    assert made.labels.shape == (30, 3)
    assert module._similarities(X[:30, :4], 5, 1e-3).data.min() == module._LEAST


@pytest.mark.parametrize("power", [-500, 500])
def test_numbers_of_any_size_have_the_same_partitions(power):
    here = RandomMetrics(4).generate(X[:50], random_state=0).labels
    assert_array_equal(RandomMetrics(4).generate(X[:50] * 2.0**power, random_state=0).labels, here)
