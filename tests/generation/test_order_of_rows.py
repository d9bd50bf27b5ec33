"""Generators on nearest neighbors: the order of the rows and the number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import consensa
from consensa.generation.neighborhood_generator import NeighborhoodGenerator
from consensa.metrics import adjusted_rand_index

RNG = np.random.default_rng(0)
GRID = np.stack(np.meshgrid(np.arange(6.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
INPUTS = {
    "normal": RNG.normal(size=(60, 4)),
    "duplicates": np.repeat(RNG.normal(size=(12, 3)), RNG.integers(1, 6, 12), axis=0),
    "grid": GRID,
    "grid with duplicates": np.r_[GRID, GRID[::3], GRID[::5]],
    "many columns": RNG.normal(size=(40, 60)),
    "three": np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
}
KINDS = [
    kind
    for name in consensa.generation.__all__
    if isinstance(kind := getattr(consensa.generation, name), type)
    and issubclass(kind, NeighborhoodGenerator)
]


@pytest.mark.parametrize("X", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_any_order_of_the_rows_and_any_number_of_threads_give_the_same_partitions(kind, X):
    wanted = kind(8, n_jobs=1).generate(X, n_clusters=2, random_state=0)
    threads = kind(8, n_jobs=4).generate(X, n_clusters=2, random_state=0)
    assert_array_equal(threads.labels, wanted.labels)
    for order in (np.arange(len(X))[::-1], RNG.permutation(len(X))):
        found = kind(8, n_jobs=1).generate(X[order], n_clusters=2, random_state=0)
        for column, expected in zip(found.labels.T, wanted.labels[order].T, strict=True):
            assert adjusted_rand_index(column, expected) == 1
        if wanted.weights is not None:
            np.testing.assert_allclose(found.weights, wanted.weights, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_that_are_not_drawn_do_not_depend_on_the_order_either(kind):
    X = INPUTS["normal"]
    order = RNG.permutation(len(X))
    one = kind(4, max_samples=25).generate(X, n_clusters=2, random_state=0).labels
    two = kind(4, max_samples=25).generate(X[order], n_clusters=2, random_state=0).labels
    for column, expected in zip(two.T, one[order].T, strict=True):
        assert adjusted_rand_index(column, expected) == 1
