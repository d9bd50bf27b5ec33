"""Trajectories of random walks on a graph."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import our_clusters
from scipy import sparse

from consensa import Ensemble
from consensa.exceptions import InvalidParameterError
from consensa.similarity import cluster_jaccard, trajectory_similarity


def by_definition(affinity, walk_length, sizes=None):
    """Stack the positions after every step, then take cosines."""
    weights = np.array(affinity, float)
    np.fill_diagonal(weights, 0)
    weights = weights * (1 if sizes is None else sizes)
    total = weights.sum(axis=1, keepdims=True)
    steps = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    trajectory = np.hstack([np.linalg.matrix_power(steps, t + 1) for t in range(walk_length)])
    similarity = np.eye(len(weights))
    for i in range(len(weights)):
        for j in range(len(weights)):
            lengths = np.linalg.norm(trajectory[i]) * np.linalg.norm(trajectory[j])
            if i != j and lengths > 0:
                similarity[i, j] = trajectory[i] @ trajectory[j] / lengths
    return similarity


def random_graph(n, share):
    rng = np.random.RandomState(n)
    weights = rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < share)
    return weights + weights.T


def test_the_ends_of_a_chain_are_alike_and_unlike_its_middle():
    chain = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert_allclose(trajectory_similarity(chain), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])


def test_a_triangle_by_hand():
    # One step with sizes 1, 2, 3: from 0 to (0, 2, 3)/5, from 1 to (1, 0, 3)/4, from 2 to
    # (1, 2, 0)/3.
    triangle = np.ones((3, 3))
    similarity = trajectory_similarity(triangle, walk_length=1, sizes=[1, 2, 3])
    assert_allclose(similarity[0], [1, 9 / np.sqrt(13 * 10), 4 / np.sqrt(13 * 5)])
    assert_allclose(similarity[1, 2], 1 / np.sqrt(10 * 5))


@pytest.mark.parametrize("walk_length", [1, 2, 3, 5, 6, 20])
@pytest.mark.parametrize("share", [0.01, 0.9], ids=["sparse", "dense"])
def test_agrees_with_the_definition(walk_length, share):
    weights = random_graph(40, share)
    sizes = np.arange(1, 41)
    assert_allclose(
        trajectory_similarity(weights, walk_length=walk_length, sizes=sizes),
        by_definition(weights, walk_length, sizes),
        atol=1e-12,
    )


@pytest.mark.parametrize("share", [0.01, 0.9], ids=["sparse", "dense"])
def test_sparse_and_dense_input_give_the_same_and_stay_as_they_were(share):
    weights = random_graph(30, share)
    np.fill_diagonal(weights, 3)
    weights.flags.writeable = False
    compressed = sparse.csr_array(weights)
    compressed.data.flags.writeable = False
    assert_array_equal(trajectory_similarity(weights), trajectory_similarity(compressed))


@pytest.mark.parametrize("share", [0.01, 0.9], ids=["sparse", "dense"])
def test_the_diagonal_is_not_read(share):
    weights = random_graph(100, share)
    assert_allclose(
        trajectory_similarity(weights + 3 * np.eye(100)),
        trajectory_similarity(weights - np.diag(weights.diagonal())),
        atol=1e-12,
    )


@pytest.mark.parametrize("share", [0.01, 0.9], ids=["sparse", "dense"])
def test_similarity_is_symmetric_and_in_the_unit_interval(share):
    apart = random_graph(50, share) * (1 - np.eye(50))
    similarity = trajectory_similarity(np.kron(apart, np.ones((2, 2))))  # every node has a twin
    assert_array_equal(similarity, similarity.T)
    assert_array_equal(similarity.diagonal(), 1)
    assert similarity.min() >= 0
    assert similarity.max() <= 1


def test_a_node_without_links_is_like_itself_only():
    weights = np.zeros((3, 3))
    weights[0, 1] = weights[1, 0] = 1
    assert_array_equal(trajectory_similarity(weights)[2], [0, 0, 1])
    assert_array_equal(trajectory_similarity(np.eye(3)), np.eye(3))


def test_a_walk_needs_a_step():
    with pytest.raises(InvalidParameterError, match="'walk_length' parameter of trajectory"):
        trajectory_similarity(np.ones((2, 2)), walk_length=0)


def test_agrees_with_the_authors_program(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    ours = our_clusters(ensemble, reference_small["labels"])
    similarity = trajectory_similarity(cluster_jaccard(ensemble), walk_length=20)
    assert_allclose(similarity[np.ix_(ours, ours)], reference_small["ecpcs_Z"], atol=1e-9)
