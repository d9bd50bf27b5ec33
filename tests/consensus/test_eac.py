"""Evidence accumulation: what is particular to it."""

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cut_tree

from consensa import EAC, Ensemble, eac
from consensa.metrics import adjusted_rand_index

PARTITIONS = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]


@pytest.mark.parametrize("xp", [np, array_api_strict], ids=lambda m: m.__name__)
def test_coassociation_by_hand(xp):
    result = eac(Ensemble.from_labels(xp.asarray(PARTITIONS)), 2)
    # Samples 0 and 2 meet in two partitions of three; 2 and 3 in one; 0 and 3 in none.
    assert_allclose(np.asarray(result.affinity)[[0, 2, 0], [2, 3, 3]], [2 / 3, 1 / 3, 0])
    assert_array_equal(result.labels, [0, 0, 0, 1, 1])


@pytest.mark.parametrize(
    ("linkage", "expected"),
    [("single", [0, 0, 0, 0, 1, 1]), ("complete", [0, 0, 1, 1, 1, 1])],
)
def test_single_linkage_follows_a_chain_that_complete_linkage_breaks(linkage, expected):
    # The link 1-2 (2/5) beats the weak block {2, 3, 4, 5} (1/5), but 0-3 never meet.
    block, pairs, chain = [0, 1, 2, 2, 2, 2], [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 3, 3]
    ensemble = Ensemble.from_labels(np.stack([block, pairs, pairs, chain, chain], axis=1))
    assert_array_equal(eac(ensemble, 2, linkage=linkage).labels, expected)


@pytest.mark.parametrize("k", [2, 5, 17])
def test_result_can_be_cut_again_without_fitting(planted, k):
    result = eac(Ensemble.from_labels(planted[0]), 3)
    expected = cut_tree(result.linkage_matrix, k).ravel()
    assert adjusted_rand_index(result.cut(k), expected) == 1
    assert len(np.unique(result.cut(k))) == k


def test_listing_every_partition_twice_changes_nothing(planted):
    labels, _ = planted
    model = EAC(3, generator="precomputed")
    twice = np.concatenate([labels, labels], axis=1)
    assert_array_equal(model.fit_predict(labels), model.fit_predict(twice))


def test_single_linkage_heights_are_those_of_the_authors_vectors(reference_small):
    # Average linkage of a co-association matrix has ties that every library breaks its own way.
    result = eac(Ensemble.from_labels(reference_small["labels"]), 4, linkage="single")
    assert_allclose(result.affinity, reference_small["CA"], atol=1e-15)
    assert_allclose(result.linkage_matrix[:, 2], reference_small["eac_Z_sl"][:, 2], atol=1e-12)


def test_missing_pairs_have_no_affinity():
    # Samples 0 and 1 are never labeled by the same partition.
    ensemble = Ensemble.from_labels([[0, -1], [-1, 0], [0, 0], [1, 1]])
    assert_allclose(
        eac(ensemble, 2).affinity, [[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]]
    )
    assert_array_equal(eac(ensemble, 2).labels, [0, 0, 0, 1])
