"""Spectral cuts of graphs of nearest neighbors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import GraphCuts
from consensa.generation._neighbor_graphs import NeighborGraph, spaced, tree_edges
from consensa.generation._neighborhood import Neighborhood, nearest_neighbors
from consensa.metrics import adjusted_rand_index


def neighborhood(points, count=5):
    sizes = np.ones(len(points), int)
    near = nearest_neighbors(points, count, 1)
    return Neighborhood(points, sizes, *near, np.arange(len(points)), None)


def test_the_graph_has_the_nearest_neighbors_of_each_point():
    points = np.random.default_rng(0).normal(size=(30, 2))
    found = neighborhood(points)
    graph = NeighborGraph(found, 3, tree_edges(found)).directed(np.ones((30, 3))).toarray()
    for i in range(30):
        others = np.linalg.norm(points - points[i], axis=1)
        assert_array_equal(np.flatnonzero(graph[i]), np.sort(np.argsort(others)[1:4]))


def test_faint_edges_of_the_tree_connect_it():
    found = neighborhood(np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.5]]))
    edges = tree_edges(found).toarray()
    assert_array_equal(edges, edges.T)
    assert_array_equal(np.argwhere(np.triu(edges)), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    assert_allclose(edges[edges > 0], 1e-3)


@pytest.mark.parametrize(
    ("ends", "count", "wanted"),
    [
        ((5, 14), 3, [5, 8, 14]),
        ((5, 14), 1, [5]),
        (7, 3, [7, 7, 7]),
        ((4, 4), 2, [4, 4]),
        (9, 0, []),
    ],
)
def test_numbers_of_neighbors_are_spaced_in_proportion(ends, count, wanted):
    assert spaced(ends, count) == wanted


def test_rings_inside_each_other_are_found_by_every_graph():
    angle = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    X = np.concatenate([ring, 3 * ring, 5 * ring])
    made = GraphCuts(8, n_clusters=3, n_neighbors=(4, 7)).generate(X, random_state=0)
    for column in made.labels.T:
        assert adjusted_rand_index(column, np.repeat([0, 1, 2], 80)) == 1


def test_the_cuts_of_a_graph_have_one_to_two_times_the_clusters_of_the_consensus():
    X = np.random.default_rng(0).normal(size=(200, 3))
    counts = GraphCuts(8).generate(X, n_clusters=3, random_state=1).cluster_counts
    assert counts.tolist() == [3, 4, 5, 6] * 2


def test_a_cut_into_as_many_clusters_as_points_leaves_the_other_cuts_alone():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    for seed in range(20):
        cuts = GraphCuts(4, n_neighbors=1)
        labels = cuts.generate(X, n_clusters=3, random_state=seed).labels
        assert_array_equal(labels[:, 0], [0, 0, 1, 1, 2, 2])
        assert_array_equal(labels[:, 3], np.arange(6))
