"""The minimum spanning tree of points."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from consensa.generation import _spanning_tree
from consensa.generation._neighborhood import nearest_neighbors
from consensa.generation._spanning_tree import smoothed_tree, spanning_tree


def clumps(n_clumps, size, columns, far=50.0):
    rng = np.random.default_rng(n_clumps)
    middles = rng.uniform(0, far * n_clumps, size=(n_clumps, 1, columns))
    return (middles + rng.normal(size=(n_clumps, size, columns))).reshape(-1, columns)


LINE = np.arange(40.0)[:, None] * [1.0, 2.0, -1.0]
GRID = np.stack(np.meshgrid(np.arange(7.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
CASES = {
    "one clump": (clumps(1, 60, 2), 10),
    "two clumps": (clumps(2, 30, 2), 5),
    "nine clumps": (clumps(9, 8, 3), 5),
    "many pairs": (clumps(30, 2, 2), 1),
    "many columns": (clumps(6, 12, 20), 5),
    "binary columns": (np.random.default_rng(0).integers(0, 2, (90, 20)).astype(float), 1),
    "collinear": (LINE, 3),
    "collinear, with a gap": (np.r_[LINE, 1e6 + LINE], 3),
    "grid": (GRID, 4),
    "equal points": (np.r_[GRID, GRID, GRID], 2),  # clipped samples may be equal points
    "all equal": (np.zeros((9, 2)), 3),
    "far": (np.r_[clumps(1, 20, 2), 1e8 + clumps(1, 20, 2)], 5),
    "two points": (np.array([[0.0], [3.0]]), 1),
}


@pytest.mark.parametrize(("points", "count"), CASES.values(), ids=CASES)
def test_its_length_is_that_of_the_minimum_spanning_tree_of_all_distances(points, count):
    n = len(points)
    tree = spanning_tree(points, *nearest_neighbors(points, count, 1))
    assert len(tree.first) == n - 1
    edges = csr_array((np.ones(n - 1), (tree.first, tree.second)), shape=(n, n))
    assert connected_components(edges, directed=False)[0] == 1
    between = cdist(points, points)
    assert_allclose(tree.lengths, between[tree.first, tree.second], atol=1e-12)
    assert (np.diff(tree.lengths) >= 0).all()
    assert (tree.first < tree.second).all()
    wanted = minimum_spanning_tree(csr_array(np.maximum(between, np.finfo(float).tiny))).sum()
    assert_allclose(tree.lengths.sum(), wanted, rtol=1e-12, atol=1e-12)


def test_one_point_has_no_edge():
    tree = spanning_tree(np.zeros((1, 2)), *nearest_neighbors(np.zeros((1, 2)), 5, 1))
    assert [len(part) for part in tree] == [0, 0, 0]


@pytest.mark.parametrize("moved", [0.0, 1e7 / 3])
@pytest.mark.parametrize("kind", ["numbers", "ties"])
def test_the_shortest_distance_is_the_first_one_of_all_distances(monkeypatch, kind, moved):
    monkeypatch.setattr(_spanning_tree, "_BLOCK", 7)
    rng = np.random.default_rng(0)
    ties = np.repeat(rng.integers(0, 2, (70, 5)), 4, axis=1)
    points = rng.normal(size=(70, 20)) if kind == "numbers" else ties
    points = points + moved  # expanded squares lose digits far from zero
    for these, others in ((points[:30], points[30:]), (points[30:], points[:30])):
        between = cdist(these, others)
        row, other = np.unravel_index(between.argmin(), between.shape)
        wanted = (between[row, other], row, other)
        assert _spanning_tree._shortest_distance(these, others) == wanted


@pytest.mark.parametrize("count", [1, 3, 10])
def test_the_smoothed_tree_is_the_minimum_spanning_tree_of_mutual_reachability(count):
    points = np.random.RandomState(count).normal(size=(60, 2))
    neighbors, distances = nearest_neighbors(points, 59, None)
    tree = spanning_tree(points, neighbors, distances)
    # All other points are candidates for edges; the distance to the last of `count` smooths them.
    between = cdist(points, points)
    core = np.sort(between, axis=1)[:, count]
    reach = np.maximum(between, np.maximum(core[:, None], core))
    np.fill_diagonal(reach, 0)
    wanted = minimum_spanning_tree(csr_array(reach)).sum()
    smooth = smoothed_tree(tree, neighbors[:, :count], distances[:, :count])
    assert len(smooth.first) == 59
    assert (
        connected_components(
            csr_array((smooth.lengths, (smooth.first, smooth.second)), shape=(60, 60)),
            directed=False,
        )[0]
        == 1
    )
    assert (np.diff(smooth.lengths) >= 0).all()
    assert_allclose(smooth.lengths, reach[smooth.first, smooth.second])
    # The nearest neighbors and the plain tree hold nearly all of the edges of the smoothed one.
    assert 0.999 * wanted < smooth.lengths.sum() <= 1.02 * wanted
