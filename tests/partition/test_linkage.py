"""Trees cut into exactly K clusters."""

from __future__ import annotations

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from strategies import label_matrices

from consensa import Ensemble, coassociation
from consensa.exceptions import InvalidParameterError
from consensa.metrics import adjusted_rand_index
from consensa.partition import LINKAGES, Dendrogram, cut_by_linkage, linkage_tree

# Five samples: 0 and 1 are nearest, then 2 and 3, then 4 joins these.
FIVE = np.array(
    [
        [1.0, 0.9, 0.1, 0.0, 0.1],
        [0.9, 1.0, 0.2, 0.1, 0.0],
        [0.1, 0.2, 1.0, 0.8, 0.5],
        [0.0, 0.1, 0.8, 1.0, 0.7],
        [0.1, 0.0, 0.5, 0.7, 1.0],
    ]
)


def random_affinity(n, seed):
    upper = np.triu(np.random.default_rng(seed).random((n, n)), 1)
    return upper + upper.T + np.eye(n)


def test_five_samples_by_hand():
    heights = {
        "average": [0.1, 0.2, 0.4, 1 - (0.1 + 0 + 0.1 + 0.2 + 0.1 + 0) / 6],
        "complete": [0.1, 0.2, 0.5, 1.0],
        "single": [0.1, 0.2, 0.3, 0.8],
    }
    for method in LINKAGES:
        tree = linkage_tree(FIVE, method=method)
        np.testing.assert_allclose(tree.merges[:, 2], heights[method])
        assert tree.cut(1).tolist() == [0, 0, 0, 0, 0]
        assert tree.cut(2).tolist() == [0, 0, 1, 1, 1]
        assert tree.cut(3).tolist() == [0, 0, 1, 1, 2]
        assert tree.cut(4).tolist() == [0, 0, 1, 2, 3]
        assert tree.cut(5).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("n", [2, 3, 7, 40])
def test_every_cut_is_that_of_scipy(method, n):
    affinity = random_affinity(n, seed=n)
    tree = linkage_tree(affinity, method=method)
    merges = hierarchy.linkage(squareform(1 - affinity, checks=False), method)
    np.testing.assert_array_equal(tree.merges, merges)
    for k in range(1, n + 1):
        wanted = hierarchy.cut_tree(merges, n_clusters=k).ravel()
        labels = tree.cut(k)
        assert labels.dtype == np.int64
        assert list(dict.fromkeys(labels.tolist())) == list(range(k))
        assert adjusted_rand_index(labels, wanted) == 1


@given(label_matrices(most_samples=9), st.sampled_from(LINKAGES))
def test_exactly_k_clusters_come_back_whatever_the_ties(labels, method):
    tree = linkage_tree(coassociation(Ensemble.from_labels(labels)), method=method)
    for k in range(1, len(labels) + 1):
        assert tree.cut(k).max() + 1 == k


def test_ties_where_cutting_by_height_gives_fewer_clusters():
    affinity = np.kron(np.eye(2), np.ones((3, 3)))
    tree = linkage_tree(affinity)
    assert len(set(hierarchy.fcluster(tree.merges, 3, "maxclust"))) == 2  # noqa: TID251
    assert len(set(tree.cut(3))) == 3
    assert tree.cut(2).tolist() == [0, 0, 0, 1, 1, 1]


@given(label_matrices(most_samples=9))
def test_cuts_are_nested(labels):
    tree = linkage_tree(coassociation(Ensemble.from_labels(labels)))
    for k in range(1, len(labels)):
        coarse, fine = tree.cut(k), tree.cut(k + 1)
        assert len(set(zip(coarse.tolist(), fine.tolist(), strict=True))) == k + 1


def test_permuting_samples_permutes_the_clusters():
    affinity = random_affinity(30, seed=1)
    order = np.random.default_rng(0).permutation(30)
    for method in LINKAGES:
        labels = cut_by_linkage(affinity, 5, method=method)
        shuffled = cut_by_linkage(affinity[np.ix_(order, order)], 5, method=method)
        assert adjusted_rand_index(labels[order], shuffled) == 1


def test_one_sample_is_a_tree_without_merges():
    tree = linkage_tree([[1.0]])
    assert tree.merges.shape == (0, 4)
    assert tree.cut(1).tolist() == [0]


def test_two_samples_are_one_cluster_or_two():
    tree = linkage_tree([[1.0, 0.25], [0.25, 1.0]])
    assert tree.merges.tolist() == [[0, 1, 0.75, 2]]
    assert tree.cut(1).tolist() == [0, 0]
    assert tree.cut(2).tolist() == [0, 1]


def test_samples_may_share_a_leaf():
    merges = linkage_tree(FIVE).merges
    tree = Dendrogram(merges, leaf_of_sample=np.array([4, 4, 0, 1, 2, 3, 0]))
    assert tree.cut(2).tolist() == [0, 0, 1, 1, 0, 0, 1]
    assert tree.cut(5).tolist() == [0, 0, 1, 2, 3, 4, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, bool, int])
def test_affinities_of_every_type_are_cut(dtype):
    affinity = np.kron(np.eye(2), np.ones((2, 2))).astype(dtype)
    affinity.flags.writeable = False
    assert cut_by_linkage(affinity, 2).tolist() == [0, 0, 1, 1]


def test_an_affinity_of_another_library_is_cut_on_the_host():
    assert cut_by_linkage(strict.asarray(FIVE), 2).tolist() == [0, 0, 1, 1, 1]


def test_k_may_be_an_integer_of_numpy():
    assert cut_by_linkage(FIVE, np.int64(2)).tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("n_clusters", "said"),
    [
        (0, "must be an integer ≥ 1. Got 0"),
        (1.5, "must be an integer ≥ 1. Got 1.5"),
        (6, "must be at most 5, the number of leaves of the tree. Got 6"),
    ],
)
def test_a_number_of_clusters_that_cannot_be_is_refused(n_clusters, said):
    with pytest.raises(InvalidParameterError, match=f"'n_clusters' parameter of cut {said}"):
        cut_by_linkage(FIVE, n_clusters)


def test_an_unknown_linkage_is_refused():
    with pytest.raises(InvalidParameterError, match="Did you mean 'average'"):
        linkage_tree(FIVE, method="averag")


def test_merges_of_the_same_height_go_by_the_order_of_the_rows():
    # A chain 0 - 1 - 2 of equal links: whoever comes first takes the middle.
    chain = np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])
    np.testing.assert_array_equal(linkage_tree(chain).cut(2), [0, 0, 1])


def test_no_cut_separates_the_samples_of_a_group():
    # Samples 2 and 3 have the same row and hardly any affinity; 0 and 1 merge far below.
    affinity = np.array([[1, 0.9, 0, 0], [0.9, 1, 0, 0], [0, 0, 1, 0.1], [0, 0, 0.1, 1]])
    natural = linkage_tree(affinity)
    grouped = linkage_tree(affinity, groups=np.array([0, 1, 2, 2]))
    np.testing.assert_array_equal(natural.cut(3), [0, 0, 1, 2])
    np.testing.assert_array_equal(grouped.cut(3), [0, 1, 2, 2])
    np.testing.assert_array_equal(grouped.cut(4), [0, 1, 2, 3])
    np.testing.assert_allclose(grouped.merges, natural.merges)


def test_groups_that_are_farther_apart_inside_than_from_others_stay_a_tree():
    affinity = np.array([[1, 0.2, 0.9], [0.2, 1, 0.9], [0.9, 0.9, 1]])
    tree = linkage_tree(affinity, groups=np.array([0, 0, 1]))
    np.testing.assert_array_equal(tree.cut(2), [0, 0, 1])
    assert (np.diff(tree.merges[:, 2]) >= 0).all()


def test_renaming_the_leaves_permutes_the_cut():
    rng = np.random.RandomState(0)
    affinity = rng.random_sample((12, 12))
    affinity = (affinity + affinity.T) / 2
    names = rng.permutation(12)
    tree = linkage_tree(affinity[np.ix_(names, names)])
    np.testing.assert_allclose(tree.renamed(names).merges, linkage_tree(affinity).merges)
