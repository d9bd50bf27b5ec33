"""SC3Consensus: what is particular to it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist, squareform

from consensa import Ensemble, coassociation, sc3consensus
from consensa.consensus._sc3consensus import _squared_distances
from consensa.metrics import adjusted_rand_index


@pytest.fixture
def noisy():
    """Labels of which no two distances between rows are equal by accident."""
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2, 3], [20, 15, 12, 8])
    wrong = rng.uniform(size=(55, 9)) < 0.3
    return np.where(wrong, rng.randint(5, size=(55, 9)), truth[:, None])


def test_distances_are_those_between_the_rows_of_the_co_association_matrix(noisy):
    ensemble = Ensemble.from_labels(noisy)
    expected = squareform(pdist(coassociation(ensemble)))
    found = _squared_distances(ensemble)
    assert_allclose(np.sqrt(found) / 9, expected, atol=1e-12)
    assert (found == np.round(found)).all()  # whole numbers: ties are exact


def test_with_missing_labels_pairs_count_the_partitions_that_label_both(noisy):
    hidden = np.random.RandomState(1).uniform(size=noisy.shape) < 0.4
    hidden[:, 0] = False
    ensemble = Ensemble.from_labels(np.where(hidden, -1, noisy))
    expected = pdist(coassociation(ensemble))
    assert_allclose(squareform(_squared_distances(ensemble)) / 81, expected**2, atol=1e-7)
    tree = linkage(expected, method="complete")
    labels = sc3consensus(ensemble, 4).labels
    assert adjusted_rand_index(labels, cut_tree(tree, 4).ravel()) == pytest.approx(1)


def test_the_order_of_the_rows_changes_no_bit_of_a_distance(noisy):
    rng = np.random.RandomState(1)
    hidden = rng.uniform(size=noisy.shape) < 0.4
    hidden[:, 0] = False
    labels, order = np.where(hidden, -1, noisy), rng.permutation(55)
    given = _squared_distances(Ensemble.from_labels(labels))
    shuffled = _squared_distances(Ensemble.from_labels(labels[order]))
    assert_array_equal(shuffled, given[np.ix_(order, order)])


def test_clusters_are_those_of_complete_linkage_of_these_distances(noisy):
    ensemble = Ensemble.from_labels(noisy)
    tree = linkage(pdist(coassociation(ensemble)), method="complete")
    for n_clusters in (2, 4, 7):
        found = sc3consensus(ensemble, n_clusters).labels
        expected = cut_tree(tree, n_clusters).ravel()
        assert adjusted_rand_index(found, expected) == pytest.approx(1)


def test_the_affinity_is_in_the_unit_interval(noisy):
    affinity = sc3consensus(Ensemble.from_labels(noisy), 4).affinity
    assert affinity.min() >= 0
    assert_allclose(np.diagonal(affinity), 1)
