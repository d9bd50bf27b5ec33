"""Matrices over microclusters in place of matrices over samples."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa.consensus._exchangeable import (
    Resolvent,
    compress,
    entry_counts,
    expand,
    transpose,
)

SIZES = np.array([1, 3, 2, 1])
GROUP = np.array([1, 0, 2, 1, 3, 2, 1])


@pytest.fixture
def matrix():
    rng = np.random.RandomState(0)
    return compress(rng.normal(size=(4, 4)), rng.normal(size=4))


def test_entries_depend_on_the_groups_and_the_diagonal(matrix):
    full = expand(matrix, GROUP)
    assert full[0, 3] == full[3, 6] == matrix[1, 1]
    assert full[0, 0] == full[3, 3] == matrix[1, 4]
    assert full[0, 2] == matrix[1, 2]


def test_transpose_and_norm_are_those_of_the_full_matrix(matrix):
    full = expand(matrix, GROUP)
    assert_allclose(expand(transpose(matrix), GROUP), full.T)
    assert_allclose((matrix**2 * entry_counts(SIZES)).sum(), (full**2).sum())
    assert entry_counts(SIZES).sum() == 49


@pytest.mark.parametrize("shift", [0.1, 2.0, 100.0])
def test_resolvent_solves_the_full_system(matrix, shift):
    weights = np.random.RandomState(1).uniform(size=(4, 4))
    weights = (weights + weights.T) / 2
    graph = weights[np.ix_(GROUP, GROUP)]
    laplacian = np.diag(graph.sum(axis=1)) - graph
    resolvent = Resolvent(weights, SIZES)
    solved = resolvent.apply(resolvent.at(shift), matrix)
    assert_allclose(
        (2 * laplacian + shift * np.eye(7)) @ expand(solved, GROUP), expand(matrix, GROUP)
    )
