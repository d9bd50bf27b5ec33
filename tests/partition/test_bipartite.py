"""Partition of a bipartite graph."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import our_clusters
from scipy import sparse
from scipy.linalg import eigh, svd

from consensa import Ensemble
from consensa.metrics import adjusted_rand_index
from consensa.partition import (
    _bipartite,
    bipartite_embedding,
    cut_bipartite,
    joint_bipartite_embedding,
)

WEIGHTS = np.random.default_rng(0).random((30, 8)) ** 3


def gram(points):
    """Inner products, which neither signs nor rotations of eigenvectors change."""
    return points @ points.T


def transfer_by_definition(weights, n_clusters):
    """The transfer cut as its authors write it, with full matrices."""
    inverse_rows = np.diag(1 / weights.sum(axis=1))
    between = weights.T @ inverse_rows @ weights
    inverse_root = np.diag(between.sum(axis=1) ** -0.5)
    vectors = eigh(inverse_root @ between @ inverse_root)[1][:, ::-1][:, :n_clusters]
    points = inverse_rows @ weights @ inverse_root @ vectors
    return points / (np.linalg.norm(points, axis=1, keepdims=True) + 1e-10)


def test_five_rows_by_hand():
    # Two components: rows 0 to 2 with columns 0 and 2, rows 3 and 4 with columns 1 and 3.
    weights = np.array([[1, 0, 2, 0], [3, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 5, 0, 1]])
    blocks = np.kron(np.eye(2), np.ones((3, 3)))[:5, :5]
    assert_allclose(gram(bipartite_embedding(weights, 2)), blocks, atol=1e-8)
    assert_array_equal(cut_bipartite(weights, 2, random_state=0), [0, 0, 0, 1, 1])


@pytest.mark.parametrize("n_clusters", [1, 3, 8])
def test_embedding_is_the_transfer_cut_by_definition(n_clusters):
    wanted = transfer_by_definition(WEIGHTS, n_clusters)
    assert_allclose(gram(bipartite_embedding(WEIGHTS, n_clusters)), gram(wanted), atol=1e-12)


def test_sparse_and_dense_weights_give_the_same_and_are_left_alone():
    weights = np.where(WEIGHTS > 0.3, WEIGHTS, 0)
    compressed = sparse.csc_matrix(weights)
    before = compressed.copy()
    assert_allclose(
        gram(bipartite_embedding(compressed, 3)), gram(bipartite_embedding(weights, 3)), atol=1e-12
    )
    assert (compressed != before).nnz == 0


def test_rows_and_columns_without_edges_are_zeros_and_disturb_nobody():
    weights = np.zeros((31, 9))
    weights[:30, :8] = WEIGHTS
    embedded = bipartite_embedding(weights, 3)
    assert_allclose(gram(embedded[:30]), gram(bipartite_embedding(WEIGHTS, 3)), atol=1e-10)
    assert_array_equal(embedded[30], 0)
    rows, columns = joint_bipartite_embedding(weights, 3)
    assert_array_equal(rows[30], 0)
    assert_allclose(columns[8], 0, atol=1e-5)


def test_more_clusters_than_columns_are_possible():
    labels = np.array(
        [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0]]
    )
    membership = Ensemble.from_labels(labels).membership()
    assert bipartite_embedding(membership, 7).shape == (7, 6)
    assert len(set(cut_bipartite(membership, 7, random_state=0))) == 7


def test_many_columns_are_never_squared(monkeypatch):
    wanted = gram(bipartite_embedding(WEIGHTS, 2))
    monkeypatch.setattr(_bipartite, "_SQUARE_BELOW", 5)
    assert_allclose(gram(bipartite_embedding(WEIGHTS, 2, random_state=0)), wanted, atol=1e-10)
    joint = joint_bipartite_embedding(WEIGHTS, 2, random_state=0)
    assert_allclose(np.linalg.norm(np.concatenate(joint), axis=1), 1, atol=1e-8)


def test_joint_embedding_is_the_singular_vectors_by_definition():
    normalized = WEIGHTS / np.sqrt(np.outer(WEIGHTS.sum(axis=1), WEIGHTS.sum(axis=0)))
    left, _, right = svd(normalized)
    wanted = np.concatenate([left[:, :4], right[:4].T])
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    ours = np.concatenate(joint_bipartite_embedding(WEIGHTS, 4))
    assert_allclose(gram(ours), gram(wanted), atol=1e-8)


def test_joint_embedding_leaves_out_directions_in_which_there_is_nothing():
    # Two partitions of two clusters: rank 3, and the fourth direction is only rounding.
    membership = Ensemble.from_labels([[0, 0], [0, 1], [1, 0], [1, 1]]).membership()
    rows, columns = joint_bipartite_embedding(membership, 4)
    assert_array_equal(rows[:, 3], 0)
    assert_array_equal(columns[:, 3], 0)


def test_same_seed_same_labels_and_n_init_is_passed_on(planted):
    membership = Ensemble.from_labels(planted[0]).membership()
    first = cut_bipartite(membership, 5, n_init=1, random_state=3)
    assert_array_equal(cut_bipartite(membership, 5, n_init=1, random_state=3), first)
    assert adjusted_rand_index(planted[1], cut_bipartite(membership, 3, random_state=0)) > 0.8


@pytest.mark.parametrize("name", ["small", "binalpha"])
def test_agrees_with_the_authors_program(name, request):
    stored = request.getfixturevalue(f"reference_{name}")
    arrays = stored if name == "small" else stored[0]
    ensemble = Ensemble.from_labels(arrays["labels"])
    certainty = np.empty(ensemble.n_clusters)
    certainty[our_clusters(ensemble, arrays["labels"])] = arrays["lwea_ECI"]
    ours = bipartite_embedding(ensemble.membership() * certainty, int(arrays["K"]))
    assert_allclose(gram(ours), gram(arrays["lwgp_embedding"]), rtol=0, atol=1e-9)
