"""Jaccard coefficients of base clusters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import our_clusters
from strategies import label_matrices

from consensa import Ensemble
from consensa.similarity import cluster_jaccard


def by_definition(labels):
    clusters = [
        (column, {int(i) for i in np.flatnonzero(labels[:, column] == name)})
        for column in range(labels.shape[1])
        for name in range(labels[:, column].max() + 1)
    ]
    labeled = [{int(i) for i in np.flatnonzero(column >= 0)} for column in labels.T]
    jaccard = np.zeros((len(clusters), len(clusters)))
    for a, (p, first) in enumerate(clusters):
        for b, (q, second) in enumerate(clusters):
            both = labeled[p] & labeled[q]
            union = (first | second) & both
            jaccard[a, b] = len(first & second & both) / len(union) if union else 0
    return jaccard


@given(labels=label_matrices())
def test_agrees_with_sets_of_samples(labels):
    ensemble = Ensemble.from_labels(labels)
    assert_allclose(cluster_jaccard(ensemble), by_definition(ensemble.codes), atol=1e-15)


def test_missing_labels_do_not_count_against_an_overlap():
    # The second partition labels the first three samples only, and agrees on them.
    ensemble = Ensemble.from_labels([[0, 0], [0, 0], [1, 1], [1, -1], [0, -1]])
    assert_array_equal(cluster_jaccard(ensemble)[:2, 2:], np.eye(2))


def test_clusters_of_partitions_that_label_no_common_sample_do_not_overlap():
    jaccard = cluster_jaccard(Ensemble.from_labels([[0, -1], [0, -1], [-1, 0]]))
    assert_array_equal(jaccard, np.eye(2))


def test_agrees_with_the_authors_program(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    ours = our_clusters(ensemble, reference_small["labels"])
    jaccard = cluster_jaccard(ensemble)[np.ix_(ours, ours)]
    assert_allclose(jaccard, reference_small["ecpcs_Jaccard"], atol=1e-9)
