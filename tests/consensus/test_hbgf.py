"""HBGF: samples and clusters cut together."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, hbgf
from consensa.metrics import adjusted_rand_index
from consensa.partition import cut_by_spectrum, joint_bipartite_embedding


def test_five_samples_by_hand():
    # Clusters: a = {0, 1, 2}, b = {3, 4}; x = {0, 1, 2}, y = {3, 4}; z = {0, 1}, w = {2, 3, 4}
    labels = [[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]]
    result = hbgf(Ensemble.from_labels(labels), 2, random_state=0)
    assert_array_equal(result.labels, [0, 0, 0, 1, 1])
    assert_array_equal(result.details["part_of_cluster"], [0, 1, 0, 1, 0, 1])


def test_embedding_is_that_of_the_graph_of_all_vertices(planted):
    membership = Ensemble.from_labels(planted[0]).membership().toarray()
    n, c = membership.shape
    graph = np.block([[np.zeros((n, n)), membership], [membership.T, np.zeros((c, c))]])
    degree = graph.sum(axis=1)
    vectors = np.linalg.eigh(graph / np.sqrt(np.outer(degree, degree)))[1][:, ::-1][:, :3]
    wanted = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    ours = np.concatenate(joint_bipartite_embedding(membership, 3))
    assert_allclose(ours @ ours.T, wanted @ wanted.T, atol=1e-8)


def test_it_agrees_with_spectral_clustering_of_the_whole_graph(planted):
    ensemble = Ensemble.from_labels(planted[0])
    membership = ensemble.membership().toarray()
    n, c = membership.shape
    graph = np.block([[np.zeros((n, n)), membership], [membership.T, np.zeros((c, c))]])
    whole = cut_by_spectrum(graph, 3, random_state=0)
    result = hbgf(ensemble, 3, random_state=0)
    ours = np.concatenate([result.labels, result.details["part_of_cluster"]])
    assert adjusted_rand_index(whole, ours) == 1


def test_shuffling_the_rows_changes_nothing_even_with_one_start():
    labels = np.random.default_rng(0).integers(0, 5, (80, 6))  # no structure to lean on
    order = np.random.default_rng(1).permutation(80)
    here = hbgf(Ensemble.from_labels(labels), 4, n_init=1, random_state=0).labels
    there = hbgf(Ensemble.from_labels(labels[order]), 4, n_init=1, random_state=0).labels
    assert adjusted_rand_index(here[order], there) == 1


def test_a_missing_label_is_an_edge_that_is_not_there():
    labels = np.array([[0, 0, 0], [0, 0, -1], [0, -1, 0], [1, 1, 1], [-1, 1, 1], [1, -1, -1]])
    result = hbgf(Ensemble.from_labels(labels), 2, random_state=0)
    assert_array_equal(result.labels, [0, 0, 0, 1, 1, 1])
    assert_array_equal(result.details["part_of_cluster"], [0, 1] * 3)
