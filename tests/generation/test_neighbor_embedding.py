"""Embeddings of the graph of nearest neighbors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import NeighborEmbedding
from consensa.generation import _embedding_kernels, _neighbor_embedding
from consensa.generation._embedding_kernels import (
    MOST,
    NEGATIVE,
    _force,
    _tables,
    fuzzy_weights,
    lay_out,
    pulls,
    pushes,
)
from consensa.metrics import adjusted_rand_index

DISTANCES = np.sort(np.random.default_rng(0).uniform(0.2, 3, size=(40, 12)), axis=1)


@pytest.mark.parametrize("unit", [1.0, 1e-30, 1e25, 1e-300, 1e290])
def test_weights_add_up_to_the_logarithm_of_their_number_in_any_unit(unit):
    weights = fuzzy_weights(DISTANCES * unit)
    assert_allclose(weights.sum(axis=1), np.log2(13), atol=2e-5)
    assert_array_equal(weights[:, 0], 1)
    assert (np.diff(weights, axis=1) <= 0).all()
    # One scale per point: the logarithms are proportional to what is beyond the nearest.
    scales = (DISTANCES - DISTANCES[:, :1])[:, 1:] / -np.log(weights[:, 1:])
    assert_allclose(scales, scales[:, :1] * np.ones(11), rtol=1e-6)


@pytest.mark.parametrize(
    "row", [[1.0] * 8, [0.0] * 8, [0.0] * 5 + [1.0] * 3, [5e-324] * 4 + [1e-323] * 4, [2.0]]
)
def test_weights_of_equal_distances_are_1_and_of_others_at_most_1(row):
    weights = fuzzy_weights(np.array([row]))[0]
    assert np.isfinite(weights).all()
    assert_array_equal(weights[np.array(row) == row[0]], 1)
    assert ((weights >= 0) & (weights <= 1)).all()


def test_the_layout_pulls_neighbors_together_and_pushes_others_away():
    n = 20
    first, second = np.divmod(np.arange(n * n), n)
    inside = (first // 10 == second // 10) & (first != second)
    points = np.random.default_rng(1).normal(size=(n, 2))
    start = points.copy()
    lay_out(points, first[inside], second[inside], np.ones(inside.sum()), 100, 3)
    apart = np.linalg.norm(points[:10].mean(axis=0) - points[10:].mean(axis=0))
    within = max(
        np.linalg.norm(part - part.mean(axis=0), axis=1).max()
        for part in (points[:10], points[10:])
    )
    assert apart > 3 * within
    again = start.copy()
    lay_out(again, first[inside], second[inside], np.ones(inside.sum()), 100, 3)
    assert_array_equal(again, points)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 9])
def test_any_number_of_partitions_is_made(size):
    X = np.concatenate([np.zeros((12, 3)), np.full((12, 3), 9.0)])
    X += np.random.default_rng(0).normal(size=X.shape)
    made = NeighborEmbedding(size, n_epochs=50).generate(X, n_clusters=2, random_state=0)
    assert made.n_partitions == size
    counts = [2, 3, 3, 4] if size > 3 else [2, 4] if size == 2 else [2, 3, 4]
    assert list(made.cluster_counts[:4]) == counts[: min(size, 4)]
    for column, start in zip(made.labels.T, range(size), strict=True):
        if start % 4 == 0:  # as many clusters as the consensus
            assert adjusted_rand_index(column, np.repeat([0, 1], 12)) == 1


def test_embeddings_do_not_depend_on_the_seed_and_differ_from_each_other():
    X = np.random.default_rng(0).uniform(size=(120, 3))
    generator = NeighborEmbedding(16, n_neighbors=10)  # four embeddings of one graph
    made, again = (generator.generate(X, n_clusters=4, random_state=seed) for seed in (0, 1))
    assert_array_equal(made.labels, again.labels)
    for first, second in itertools.combinations(np.split(made.labels, 4, axis=1), 2):
        agreements = [adjusted_rand_index(a, b) for a, b in zip(first.T, second.T, strict=True)]
        assert np.mean(agreements) < 1


@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_embeddings_may_have_more_dimensions_than_there_are_points(n_components):
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    made = NeighborEmbedding(4, n_components=n_components).generate(
        X, n_clusters=2, random_state=0
    )
    assert made.n_samples == 4


@pytest.mark.parametrize(("force", "table"), [(pulls, 0), (pushes, 1)])
def test_forces_are_read_from_tables(force, table):
    squares = np.exp2(np.random.default_rng(0).uniform(-40, 40, size=500))
    read = [_force(square, _tables()[table]) for square in squares]
    assert_allclose(read, force(squares), rtol=1e-7)
    ends = force(np.exp2([-40.0, 40.0]))
    assert_allclose(_force(5e-324, _tables()[table]), ends[0], rtol=0.02)
    assert_allclose(_force(1e300, _tables()[table]), ends[1], rtol=0.1)


def layout_by_formula(points, first, second, weights, n_epochs, seed):
    """The layout without tables, as slow as it is plain."""
    mask = 2**64 - 1
    interval = weights.max() / weights
    due, pushed = interval.copy(), interval / NEGATIVE
    state = (seed * 2654435761 + 88172645463325252) & mask
    for epoch in range(n_epochs):
        rate = 1 - epoch / n_epochs
        for e in np.flatnonzero(due <= epoch):
            due[e] += interval[e]
            i, j = first[e], second[e]
            apart = points[i] - points[j]
            step = rate * np.clip(pulls(apart @ apart) * apart, -MOST, MOST)
            points[i] += step
            points[j] -= step
            n_pushes = int((epoch - pushed[e]) / (interval[e] / NEGATIVE))
            pushed[e] += n_pushes * interval[e] / NEGATIVE
            for _ in range(n_pushes):
                state = state ^ (state << 13) & mask
                state ^= state >> 7
                state = state ^ (state << 17) & mask
                apart = points[i] - points[state % len(points)]
                points[i] += rate * np.clip(pushes(apart @ apart) * apart, -MOST, MOST)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_the_layout_is_that_of_the_formulas(n_components):
    rng = np.random.default_rng(2)
    first, second = np.divmod(np.arange(144), 12)
    edges = first[first != second], second[first != second], rng.uniform(0.1, 1, 132)
    points = rng.normal(scale=5, size=(12, n_components))
    wanted = points.copy()
    layout_by_formula(wanted, *edges, 5, 7)
    lay_out(points, *edges, 5, 7)
    assert_allclose(points, wanted, atol=1e-5)


def test_last_digits_of_weights_and_eigenvectors_do_not_change_an_embedding(monkeypatch):
    # They depend on the processor. Small differences grow in the layout.
    X = np.random.default_rng(0).normal(size=(150, 4))
    wanted = NeighborEmbedding(8, n_clusters=5).generate(X, random_state=0).labels
    for name, error in (("fuzzy_weights", 1e-13), ("graph_spectrum", 1e-7)):
        exact = getattr(_neighbor_embedding, name)

        def moved(*given, exact=exact, error=error):
            return nearly(exact(*given), error)

        monkeypatch.setattr(_neighbor_embedding, name, moved)
    found = NeighborEmbedding(8, n_clusters=5).generate(X, random_state=0).labels
    assert_array_equal(found, wanted)


def nearly(values, error):
    """The same numbers but for this relative error."""
    return values * (1 + error * np.random.default_rng(1).normal(size=values.shape))


def test_last_digits_of_the_tables_of_forces_do_not_change_an_embedding(monkeypatch):
    wanted = [table.copy() for table in _embedding_kernels._tables()]
    exact = np.linalg.inv
    monkeypatch.setattr(np.linalg, "inv", lambda matrix: nearly(exact(matrix), 1e-14))
    _embedding_kernels._tables.cache_clear()
    found = _embedding_kernels._tables()
    _embedding_kernels._tables.cache_clear()
    for table, same in zip(found, wanted, strict=True):
        assert (table == same).mean() > 0.999
