"""LCE: what is particular to it."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cut_tree, linkage

from consensa import Ensemble, eac, lce
from consensa.exceptions import InvalidParameterError
from consensa.metrics import adjusted_rand_index
from consensa.similarity import cluster_jaccard, link_similarity

KINDS = ("cts", "srs", "asrs")


@pytest.mark.parametrize("kind", KINDS)
def test_similarities_are_those_of_the_authors_program(reference_small, reference_links, kind):
    labels = reference_small["labels"][:30]
    found = link_similarity(labels, kind=kind)
    assert_allclose(found, reference_links[f"lce_{kind}"], rtol=0, atol=1e-12)


def test_simrank_of_equal_rows_is_that_of_a_loop_over_samples():
    labels = np.repeat([[0, 0], [0, 1], [1, 1], [2, 1]], [3, 1, 2, 2], axis=0)
    ensemble = Ensemble.from_labels(labels)
    belongs = ensemble.membership().toarray()
    samples, clusters = np.eye(8), np.eye(ensemble.n_clusters)
    mean = belongs / belongs.sum(axis=0)
    for _ in range(3):
        following = 0.7 * (belongs @ clusters @ belongs.T) / 4
        clusters = 0.7 * (mean.T @ samples @ mean)
        np.fill_diagonal(following, 1)
        np.fill_diagonal(clusters, 1)
        samples = following
    found = link_similarity(ensemble, kind="srs", decay=0.7, n_iter=4)
    assert_allclose(found, samples, atol=1e-12)


def test_asrs_is_the_mean_over_all_pairs_of_partitions_that_label_the_samples():
    labels = np.array([[0, 0, 0], [0, 1, -1], [1, 1, 1], [1, -1, 1], [-1, 0, 0], [-1, -1, 1]])
    ensemble = Ensemble.from_labels(labels)
    overlap = cluster_jaccard(ensemble) - np.eye(ensemble.n_clusters)
    linked = (overlap > 0).sum(axis=1)
    clusters = overlap @ overlap.T / np.outer(linked, linked)
    np.fill_diagonal(clusters, 0)
    clusters *= 0.7 / clusters.max()
    np.fill_diagonal(clusters, 1)
    expected = np.eye(6)
    for i, j in itertools.permutations(range(6), 2):
        pairs = itertools.product(ensemble.cluster_ids[i], ensemble.cluster_ids[j])
        expected[i, j] = np.mean([clusters[c, d] for c, d in pairs if min(c, d) >= 0])
    found = link_similarity(ensemble, kind="asrs", decay=0.7)
    assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_labels_leave_means_over_what_is_there(kind):
    labels = np.array([[0, 0, 0], [0, 1, -1], [1, 1, 1], [1, -1, 1], [-1, 0, 0]])
    found = link_similarity(labels, kind=kind)
    assert_allclose(found, found.T, atol=1e-12)
    assert_array_equal(np.diagonal(found), 1)
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()


def test_without_decay_left_connected_triples_are_the_coassociation(planted):
    ensemble = Ensemble.from_labels(planted[0])
    tiny = link_similarity(ensemble, kind="cts", decay=1e-12)
    assert_allclose(tiny, eac(ensemble, 3).affinity, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_the_cut_of_the_tree(planted, kind):
    labels, truth = planted
    result = lce(Ensemble.from_labels(labels), 3, similarity=kind)
    assert_array_equal(result.labels, truth)
    assert result.linkage_matrix.shape == (59, 4)


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_counts(kind):
    ensemble = Ensemble.from_labels(np.random.RandomState(0).randint(4, size=(40, 9)))
    options = {"decay": 0.6, "n_iter": 3}
    result = lce(ensemble, 5, similarity=kind, linkage="complete", **options)
    expected = link_similarity(ensemble, kind=kind, **options)
    assert_allclose(result.affinity, expected, atol=1e-12)
    tree = linkage(1 - expected[np.triu_indices(40, 1)], method="complete")
    assert adjusted_rand_index(result.labels, cut_tree(tree, 5).ravel()) == 1


def test_bad_parameters_are_refused(planted):
    with pytest.raises(InvalidParameterError, match="'kind' parameter of link_similarity"):
        link_similarity(planted[0], kind="rs")
    with pytest.raises(InvalidParameterError, match="'decay' parameter of lce"):
        lce(Ensemble.from_labels(planted[0]), 3, decay=1.5)
