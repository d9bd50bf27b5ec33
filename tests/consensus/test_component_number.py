"""Components that are more or fewer than the clusters: as their samples would be merged or cut."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, coassociation
from consensa.consensus import _component_number as module
from consensa.consensus._component_number import merged_components, split_components
from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index
from consensa.partition import cut_by_linkage


def seven_components(seed):
    """Components of 1 to 21 samples whose labels agree with them in part."""
    rng = np.random.RandomState(seed)
    component = np.repeat(np.arange(7), [1, 2, 3, 5, 8, 13, 21])
    labels = np.where(
        rng.uniform(size=(53, 9)) < 0.6, rng.randint(4, size=(53, 9)), component[:, None] % 4
    )
    return labels, component


def with_gaps(labels, component, seed):
    """Labels of some samples are missing: more in some partitions, and in some components."""
    rng = np.random.RandomState(seed)
    often = np.outer(rng.uniform(size=7), rng.uniform(size=labels.shape[1]))[component]
    gaps = np.where(rng.uniform(size=labels.shape) < often, -1, labels)
    empty = (gaps < 0).all(axis=1)
    gaps[empty] = labels[empty]
    return gaps


def of_microclusters(labels, component):
    """The microclusters of the samples, and their components, which no equal rows divide."""
    groups = Ensemble.from_labels(labels).microclusters()
    of_group = np.zeros(len(groups.sizes), int)
    of_group[groups.labels] = component
    assert_array_equal(of_group[groups.labels], component)
    return groups, of_group


def mean_coassociation_by_definition(labels, component):
    """Pairs that are together of those that are labeled, one pair and partition at a time."""
    together, labeled = np.zeros((2, 7, 7))
    for first, a in zip(labels, component, strict=True):
        for second, b in zip(labels, component, strict=True):
            for one, other in zip(first, second, strict=True):
                if one >= 0 and other >= 0:
                    labeled[a, b] += 1
                    together[a, b] += one == other
    return together / np.maximum(labeled, 1)


@pytest.mark.parametrize("seed", range(5))
def test_components_of_unequal_sizes_are_merged_as_their_samples_would_be(seed):
    labels, component = seven_components(seed)
    times = np.where(np.random.RandomState(seed).uniform(size=53) < 0.2, 20, 1)
    labels, component = np.repeat(labels, times, axis=0), np.repeat(component, times)
    groups, of_group = of_microclusters(labels, component)
    with pytest.warns(ConvergenceWarning, match="ABC found 7 components instead of 3"):
        merged = merged_components("ABC", of_group, groups, 3)[groups.labels]
    affinity = np.asarray(coassociation(Ensemble.from_labels(labels)))
    affinity[component[:, None] == component] = 1  # the samples of a component merge first
    expected = cut_by_linkage(affinity, 3, method="average")
    assert adjusted_rand_index(expected, merged) == 1


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_mean_coassociation_counts_pairs_where_both_are_labeled(seed, missing):
    labels, component = seven_components(seed)
    if missing:
        labels = with_gaps(labels, component, seed)
    times = np.random.RandomState(seed).randint(1, 4, size=53)
    labels, component = np.repeat(labels, times, axis=0), np.repeat(component, times)
    groups, of_group = of_microclusters(labels, component)
    expected = mean_coassociation_by_definition(labels, component)
    assert_allclose(module._mean_coassociation(of_group, groups), expected)


def test_components_that_no_partition_labels_together_are_not_together():
    groups, of_group = of_microclusters(np.array([[0, -1], [-1, 0], [0, 0]]), np.arange(3))
    found = module._mean_coassociation(of_group, groups)
    assert_allclose(found, [[1, 0, 1], [0, 1, 1], [1, 1, 1]])


def test_components_are_merged_where_both_are_labeled():
    # The first two agree in the only partition that labels both, the last two in one of two.
    labels = np.array([[0, 0, 0, -1, -1], [-1, -1, 0, 0, 0], [-1, -1, -1, 0, 1]])
    groups, of_group = of_microclusters(labels, np.arange(3))
    with pytest.warns(ConvergenceWarning):
        merged = merged_components("ABC", of_group, groups, 2)[groups.labels]
    assert_array_equal(merged == merged[2], [False, False, True])


def test_merging_starts_from_the_components_however_little_their_samples_meet():
    # Samples 0 and 1 form a component although they meet once and 1 meets 2 three times.
    labels = np.array([[0, 0, 0, 0], [0, 1, 1, 1], [1, 1, 1, 1], [2, 2, 2, 2]])
    groups, of_group = of_microclusters(labels, np.array([0, 0, 1, 2]))
    for n_clusters, expected in ((2, [0, 0, 0, 1]), (3, [0, 0, 1, 2])):
        with pytest.warns(ConvergenceWarning, match="found 3 components"):
            merged = merged_components("ABC", of_group, groups, n_clusters)[groups.labels]
        assert_array_equal(merged, expected)


@pytest.mark.parametrize(
    ("remedy", "said"), [("", "ask for n_clusters=7 to keep that many."), ("wait", "; wait.")]
)
def test_the_warning_says_what_to_do(remedy, said):
    groups, of_group = of_microclusters(*seven_components(0))
    with pytest.warns(ConvergenceWarning, match=said):
        merged_components("ABC", of_group, groups, 3, remedy=remedy)


def test_a_row_of_many_samples_counts_as_many_when_components_are_split():
    # Apart from their numbers, the first two rows are nearest; so many samples stay apart.
    angles = np.radians([0, 40, 90])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for sizes, expected in (([1, 1, 1], [0, 0, 1]), ([100, 100, 1], [0, 1, 1])):
        with pytest.warns(ConvergenceWarning, match="1 component instead of 2"):
            labels = split_components("ABC", np.zeros(3, int), vectors, np.array(sizes), 2)
        assert_array_equal(labels == labels[-1], np.array(expected) == expected[-1])


def test_rows_of_eigenvectors_are_compared_by_their_directions():
    angles = np.radians([0, 10, 80, 90])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    longer = vectors * np.array([[1.0], [100], [1], [0.01]])
    for rows in (vectors, longer):
        with pytest.warns(ConvergenceWarning, match="1 component instead of 2"):
            labels = split_components("ABC", np.zeros(4, int), rows, np.ones(4, int), 2)
        assert_array_equal(labels == labels[0], [True, True, False, False])


def test_as_many_clusters_as_rows_are_the_rows():
    vectors = np.ones((4, 2))  # from which k-means could tell nothing
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = split_components("ABC", np.zeros(4, int), vectors, np.ones(4, int), 4)
    assert_array_equal(labels, np.arange(4))
