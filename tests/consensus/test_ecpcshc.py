"""ECPCS-HC: co-association that counts similar clusters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import assert_entries, our_clusters

from consensa import Ensemble, coassociation, ecpcshc
from consensa.exceptions import UndecidedTieWarning
from consensa.metrics import adjusted_rand_index


def test_tree_and_labels_agree_with_the_authors_program(reference_small):
    result = ecpcshc(Ensemble.from_labels(reference_small["labels"]), int(reference_small["K"]))
    assert_allclose(result.affinity, reference_small["ecpcs_ECA"], atol=1e-9)
    heights = reference_small["ecpcs_tree"][:, 2]
    assert_allclose(result.linkage_matrix[:, 2], heights, atol=1e-9)
    assert adjusted_rand_index(result.labels, reference_small["ECPCS_HC"]) == 1


def test_agrees_with_the_authors_program_on_binalpha(reference_binalpha):
    arrays, matrices = reference_binalpha
    ensemble = Ensemble.from_labels(arrays["labels"])
    result = ecpcshc(ensemble, int(arrays["K"]))
    ours = our_clusters(ensemble, arrays["labels"])
    assert_entries(result.details["cluster_similarity"][np.ix_(ours, ours)], matrices["ecpcs_Z"])
    assert_entries(result.affinity, matrices["ecpcs_ECA"])
    assert_allclose(result.linkage_matrix[:, 2], arrays["ecpcs_tree"][:, 2], atol=1e-9)
    assert adjusted_rand_index(result.labels, arrays["ECPCS_HC"]) == 1


def test_samples_that_never_meet_are_alike_through_similar_clusters():
    # Samples 0 and 3 share no cluster, but 0 and 1, 1 and 2, 2 and 3 each share one.
    chain = np.array([[0, 0], [0, 1], [1, 1], [1, 2], [2, 3], [2, 3]])
    ensemble = Ensemble.from_labels(chain)
    affinity = ecpcshc(ensemble, 2).affinity
    assert coassociation(ensemble)[0, 3] == 0
    assert affinity[0, 3] > 0.5
    assert_array_equal(affinity[0, 4:], 0)


def test_one_partition_comes_back_as_it_is():
    partition = np.array([0, 1, 1, 2, 0])
    assert_array_equal(ecpcshc(Ensemble.from_labels(partition[:, None]), 3).labels, partition)


def test_samples_that_no_partition_labels_together_are_not_alike():
    labels = np.array([[0, -1], [0, -1], [1, 0], [-1, 1], [-1, 1]])
    with pytest.warns(UndecidedTieWarning):  # the sample in the middle is as well with either pair
        affinity = ecpcshc(Ensemble.from_labels(labels), 2).affinity
    assert affinity[0, 3] == 0
    assert affinity[0, 1] == affinity[3, 4] == 1


def test_the_length_of_the_walk_reaches_the_similarity(planted):
    ensemble = Ensemble.from_labels(planted[0])
    assert np.abs(
        ecpcshc(ensemble, 3, walk_length=1).affinity - ecpcshc(ensemble, 3).affinity
    ).max()
