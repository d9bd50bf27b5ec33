"""Average linkage of groups, tempered by their sizes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import is_valid_linkage

from consensa.metrics import adjusted_rand_index
from consensa.partition import linkage_tree, sized_linkage


def random_affinity(n, seed):
    upper = np.triu(np.random.default_rng(seed).uniform(size=(n, n)), 1)
    return upper + upper.T + np.eye(n)


def greedy(affinity, sizes, exponent):
    """Merge the most similar two, again and again, by the definition: (members, score)."""
    groups = [(i,) for i in range(len(sizes))]
    merges = []

    def score(a, b):
        wa, wb = sizes[list(a)], sizes[list(b)]
        mean = wa @ affinity[np.ix_(a, b)] @ wb / (wa.sum() * wb.sum())
        return mean * (0.5 / wa.sum() + 0.5 / wb.sum()) ** exponent

    while len(groups) > 1:
        pairs = [(score(a, b), a, b) for i, a in enumerate(groups) for b in groups[:i]]
        best, a, b = max(pairs)
        groups = [g for g in groups if g not in (a, b)] + [a + b]
        merges.append((frozenset(a + b), best))
    return merges


def nodes(merges):
    """Leaves under each merge of a tree in SciPy's form."""
    below = [frozenset([i]) for i in range(len(merges) + 1)]
    for left, right, *_ in merges:
        below.append(below[int(left)] | below[int(right)])
    return below[len(merges) + 1 :]


@pytest.mark.parametrize("exponent", [0, 0.1, 0.5, 1])
@pytest.mark.parametrize("seed", range(4))
def test_is_the_greedy_tree_of_the_definition(exponent, seed):
    affinity = random_affinity(12, seed)
    sizes = np.random.default_rng(seed).integers(1, 9, 12)
    expected = greedy(affinity, sizes.astype(float), exponent)
    merges = sized_linkage(affinity.copy(), sizes, size_exponent=exponent).merges
    assert is_valid_linkage(merges)
    assert nodes(merges) == [members for members, _ in expected]
    assert_allclose(merges[:, 2], [1 - score for _, score in expected])


def test_without_exponent_groups_are_as_their_samples_in_average_linkage():
    affinity = random_affinity(9, 5)
    sizes = np.array([3, 1, 2, 1, 1, 4, 1, 2, 1])
    of_sample = np.repeat(np.arange(9), sizes)
    samples = affinity[np.ix_(of_sample, of_sample)]
    for k in range(1, 9):
        groups = sized_linkage(affinity.copy(), sizes).cut(k)[of_sample]
        assert adjusted_rand_index(groups, linkage_tree(samples).cut(k)) == 1


def test_small_groups_merge_first_where_affinities_are_equal():
    affinity = np.ones((4, 4))
    assert_array_equal(
        sized_linkage(affinity, np.array([90, 1, 90, 2]), size_exponent=0.1).cut(3), [0, 1, 2, 1]
    )


def test_groups_without_any_affinity_merge_small_ones_first():
    tree = sized_linkage(np.eye(4), np.array([9, 1, 9, 2]), size_exponent=0.1)
    assert_array_equal(tree.cut(3), [0, 1, 2, 1])
    assert_allclose(tree.merges[:, 2], 1)


def test_one_group_is_a_tree_without_merges():
    assert sized_linkage(np.ones((1, 1)), np.array([3])).merges.shape == (0, 4)


def test_similarities_that_differ_by_rounding_alone_are_equal():
    # Two pairs and a bridge: which pair merges first is decided by their order, not by bits.
    affinity = np.array([[1, 0.5, 0.1, 0], [0.5, 1, 0, 0], [0.1, 0, 1, 0.5], [0, 0, 0.5, 1]])
    sizes = np.ones(4)
    expected = sized_linkage(affinity.copy(), sizes).merges[:, :2]
    for a, b in ((0, 1), (2, 3)):
        rounded = affinity.copy()
        rounded[a, b] = rounded[b, a] = 0.5 + 1e-14
        assert_array_equal(sized_linkage(rounded, sizes).merges[:, :2], expected)
    square = np.full((4, 4), 0.5)
    expected = sized_linkage(square.copy(), sizes).merges[:, :2]
    square[1, 2] = square[2, 1] = 0.5 + 1e-14
    assert_array_equal(sized_linkage(square, sizes).merges[:, :2], expected)
