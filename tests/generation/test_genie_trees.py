"""Genie: merges of a spanning tree under a bound on the Gini index of the sizes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import linkage

from consensa import GenieTrees
from consensa.generation._genie_kernels import genie_merges, labels_after
from consensa.metrics import adjusted_rand_index
from consensa.partition import Dendrogram


def slow_merges(first, second, sizes, threshold):
    """The definition, word by word: the edges are in order of length."""
    cluster = list(range(len(sizes)))
    size = dict(enumerate(map(int, sizes)))
    left, order = list(range(len(first))), []
    while left:
        unequal = sum(abs(a - b) for a, b in combinations(size.values(), 2))
        # The Gini index, without its division, so that the comparison is exact.
        if unequal > threshold * (len(size) - 1.0) * sum(size.values()):
            smallest = min(size.values())
            edge = next(
                e for e in left if smallest in (size[cluster[first[e]]], size[cluster[second[e]]])
            )
        else:
            edge = left[0]
        left.remove(edge)
        order.append(edge)
        a, b = cluster[first[edge]], cluster[second[edge]]
        cluster = [a if own == b else own for own in cluster]
        size[a] += size.pop(b)
    return order


@st.composite
def trees(draw, most=25):
    n = draw(st.integers(2, most))
    to = [draw(st.integers(0, i - 1)) for i in range(1, n)]
    shuffled = draw(st.permutations(range(n - 1)))
    first, second = np.array(to)[shuffled], np.arange(1, n)[shuffled]
    sizes = draw(
        st.lists(st.integers(1, draw(st.sampled_from([1, 3, 50]))), min_size=n, max_size=n)
    )
    return first, second, np.array(sizes)


@given(trees(), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.99, 1.0]))
@settings(max_examples=200)
def test_merges_are_those_of_the_definition(tree, threshold):
    assert genie_merges(*tree, threshold).tolist() == slow_merges(*tree, threshold)


@given(trees(), st.data())
@settings(max_examples=50)
def test_labels_are_the_components_of_the_merged_edges(tree, data):
    first, second, sizes = tree
    order = genie_merges(first, second, sizes, 0.3)
    n_merges = data.draw(st.integers(0, len(order)))
    cluster = list(range(len(sizes)))
    for edge in order[:n_merges]:
        a, b = cluster[first[edge]], cluster[second[edge]]
        cluster = [a if own == b else own for own in cluster]
    found = labels_after(first, second, order, n_merges)
    assert adjusted_rand_index(found, cluster) == 1
    assert len(set(found.tolist())) == len(sizes) - n_merges
    assert_array_equal(
        np.unique(found, return_index=True)[1], np.sort(np.unique(found, return_index=True)[1])
    )


@pytest.mark.parametrize("k", [2, 3, 7, 20])
def test_threshold_1_is_single_linkage(k):
    rng = np.random.default_rng(k)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(8, 1, size=(30, 2))])
    found = GenieTrees(1, n_clusters=k, thresholds=(1.0,), scaling="none").generate(X)
    wanted = Dendrogram(linkage(X, "single"), np.arange(len(X))).cut(k)
    assert adjusted_rand_index(found.labels[:, 0], wanted) == 1


def test_duplicates_count_for_the_sizes():
    X = np.array([[0.0], [1.0], [10.0], [11.5]])
    apart = GenieTrees(1, n_clusters=3, thresholds=(0.0,)).generate(X).labels[:, 0]
    assert_array_equal(apart, [0, 0, 1, 2])
    heavy = np.repeat(X, [9, 9, 1, 9], axis=0)
    # The only cluster of the smallest size merges first, by its shortest edge.
    together = GenieTrees(1, n_clusters=3, thresholds=(0.0,)).generate(heavy).labels[:, 0]
    assert_array_equal(together[[0, 9, 18, 19]], [0, 1, 2, 2])


def test_each_threshold_gives_a_partition_into_the_clusters_of_the_consensus_first():
    X = np.random.default_rng(0).normal(size=(60, 3))
    made = GenieTrees(7, thresholds=(0.2, 0.6, 1.0)).generate(X, n_clusters=4, random_state=0)
    assert sorted(made.cluster_counts)[:3] == [4, 4, 4]
    assert ((made.cluster_counts >= 4) & (made.cluster_counts <= 12)).all()
