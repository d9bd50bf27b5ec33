"""GP-MGLA: what is particular to it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, gpmgla
from consensa.consensus import _gpmgla as module
from consensa.consensus._crowd_agreement import crowd_agreement
from consensa.consensus._gpmgla import source_aware_triples
from consensa.partition import bipartite_embedding
from consensa.partition.kmeans import best_kmeans
from consensa.partition.membership_embedding import linked_embedding
from consensa.similarity import cluster_jaccard


def of_clusters(ensemble):
    return np.repeat(crowd_agreement(ensemble) ** 2, ensemble.cluster_counts)


def in_order_of_labels(labels, ensemble):
    """Number of each cluster of the ensemble when clusters are numbered by their labels."""
    counts = ensemble.cluster_counts
    first = np.cumsum(counts) - counts
    numbers = np.empty(counts.sum(), int)
    for j, column in enumerate(labels.T):
        for label in np.unique(column):
            code = ensemble.codes[np.argmax(column == label), j]
            numbers[first[j] + label - 1] = first[j] + code
    return numbers


def test_links_and_embedding_are_those_of_the_authors_program(reference_small, reference_links):
    labels = reference_small["labels"]
    ensemble = Ensemble.from_labels(labels)
    weights = of_clusters(ensemble)
    links = source_aware_triples(ensemble, weights)
    order = in_order_of_labels(labels, ensemble)
    expected = reference_links["gpmgla_sact"]
    assert_allclose(links[np.ix_(order, order)], expected, rtol=0, atol=1e-12)
    embedding = linked_embedding(ensemble, 0.5 * weights, links, 4, np.random.RandomState(0))
    points, theirs = embedding.points(ensemble.cluster_ids), reference_links["gpmgla_embedding"]
    # Their rows are divided by their norms plus 1e-10.
    assert_allclose(points @ points.T, theirs @ theirs.T, rtol=0, atol=1e-7)


def test_links_are_sums_over_all_third_clusters(planted):
    ensemble = Ensemble.from_labels(planted[0][:, :4])
    weights, overlap = of_clusters(ensemble), cluster_jaccard(ensemble)
    expected = np.array([
        [sum(w * min(a, b) for w, a, b in zip(weights, one, other, strict=True))
         for other in overlap] for one in overlap
    ])  # fmt: skip
    expected /= expected.max()
    np.fill_diagonal(expected, 1)
    assert_allclose(source_aware_triples(ensemble, weights), expected, atol=1e-12)


def test_the_embedding_is_the_transfer_cut_of_the_whole_graph(planted):
    ensemble = Ensemble.from_labels(planted[0])
    weights = of_clusters(ensemble)
    links = source_aware_triples(ensemble, weights)
    graph = np.vstack([ensemble.membership().toarray() * weights, links])
    expected = bipartite_embedding(graph, 3)[:60]
    found = linked_embedding(ensemble, weights, links, 3, np.random.RandomState(0))
    points = found.points(ensemble.cluster_ids)
    assert_allclose(points @ points.T, expected @ expected.T, atol=1e-7)


def test_alpha_weights_the_links_of_the_samples(planted, monkeypatch):
    asked, ensemble = [], Ensemble.from_labels(planted[0])

    def noted(ensemble, edges, *others):
        asked.append((edges, of_clusters(ensemble)))
        return linked_embedding(ensemble, edges, *others)

    monkeypatch.setattr(module, "linked_embedding", noted)
    gpmgla(ensemble, 3, random_state=0)
    gpmgla(ensemble, 3, alpha=3.0, random_state=0)
    for alpha, (edges, weights) in zip((0.5, 3), asked, strict=True):
        assert_allclose(edges, alpha * weights)


def test_rows_that_are_drawn_count_as_often_as_they_occur(monkeypatch):
    counts = np.arange(1, 13)
    rows = np.random.RandomState(0).randint(4, size=(12, 5))
    times = np.append(counts, 21_000 - counts.sum())  # of more than 20,000 samples
    labels = np.repeat(np.vstack([rows, np.full(5, 4)]), times, axis=0)
    asked = []

    def noted(points, n_clusters, *, weights, **options):
        asked.append(weights)
        return best_kmeans(points, n_clusters, weights=weights, **options)

    monkeypatch.setattr(module, "best_kmeans", noted)
    gpmgla(Ensemble.from_labels(labels), 3, random_state=0)
    assert_array_equal(np.sort(asked[0]), np.sort(times))


def test_details_are_numbered_as_given(planted):
    ensemble = Ensemble.from_labels(planted[0])
    result = gpmgla(ensemble, 3, random_state=0)
    assert_allclose(result.details["partition_weights"], crowd_agreement(ensemble) ** 2)
    links = source_aware_triples(ensemble, of_clusters(ensemble))
    assert_allclose(result.details["cluster_similarity"], links)


@pytest.mark.filterwarnings("ignore::consensa.exceptions.ThinEvidenceWarning")
def test_samples_that_only_a_partition_of_weight_zero_labels_are_separated_by_it():
    known, others = np.repeat([0, 1], 3), np.full(6, -1)
    labels = np.stack([np.r_[known, others], np.r_[known, others], np.r_[others, known]], axis=1)
    result = gpmgla(Ensemble.from_labels(labels), 4, random_state=0)  # no EmptyClustersWarning
    assert result.details["partition_weights"][2] == 0
    assert_array_equal(result.labels, np.repeat(np.arange(4), 3))
