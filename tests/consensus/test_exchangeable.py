"""Matrices over microclusters in place of matrices over samples."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa.consensus import _exchangeable
from consensa.consensus._exchangeable import (
    Resolvent,
    compress,
    expand,
    row_chunks,
    squared_norm,
    symmetrized,
    transposed,
)

SIZES = np.array([1.0, 3.0, 2.0, 1.0])
GROUP = np.array([1, 0, 2, 1, 3, 2, 1])


@pytest.fixture(params=[8, 2**18])
def matrix(request, monkeypatch):
    monkeypatch.setattr(_exchangeable, "_CHUNK_BYTES", request.param)  # one row, or all
    rng = np.random.RandomState(0)
    return compress(rng.normal(size=(4, 4)), rng.normal(size=4))


def test_entries_depend_on_the_groups_and_the_diagonal(matrix):
    full = expand(matrix, GROUP)
    assert full[0, 3] == full[3, 6] == matrix[1, 1]
    assert full[0, 0] == full[3, 3] == matrix[1, 4]
    assert full[0, 2] == matrix[1, 2]


def test_chunks_cover_all_rows_once(matrix):
    rows = np.concatenate([np.arange(4)[chunk] for chunk in row_chunks(4)])
    assert_array_equal(rows, np.arange(4))


def test_transpose_mean_and_norm_are_those_of_the_full_matrix(matrix):
    full = expand(matrix, GROUP)
    turned = np.vstack([transposed(matrix, rows) for rows in row_chunks(4)])
    assert_array_equal(expand(turned, GROUP), full.T)
    mean = np.vstack([symmetrized(matrix, rows) for rows in row_chunks(4)])
    assert_allclose(expand(mean, GROUP), (full + full.T) / 2)
    norm = sum(squared_norm(matrix[rows], rows, SIZES) for rows in row_chunks(4))
    assert_allclose(norm, (full**2).sum())


@pytest.mark.parametrize("shift", [0.1, 2.0, 100.0])
@pytest.mark.parametrize("links", ["all", "two components", "own only"])
def test_resolvent_solves_the_full_system(matrix, shift, links):
    weights = np.random.RandomState(1).uniform(size=(4, 4))
    weights = (weights + weights.T) / 2
    if links == "two components":
        weights[[0, 0, 2, 2], [1, 3, 1, 3]] = weights[[1, 3, 1, 3], [0, 0, 2, 2]] = 0
    if links == "own only":
        weights = np.diag(np.diag(weights))
    graph = weights[np.ix_(GROUP, GROUP)]
    laplacian = np.diag(graph.sum(axis=1)) - graph
    solved = np.empty_like(matrix)
    Resolvent(weights, SIZES).at(shift).apply(matrix, out=solved)
    assert_allclose(
        (2 * laplacian + shift * np.eye(7)) @ expand(solved, GROUP), expand(matrix, GROUP)
    )
