"""Confidence, stability and agreement: by hand, by a slow loop, by invariance."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, coassociation
from consensa.exceptions import InvalidInputError, NotEnoughMemoryError
from consensa.metrics import (
    adjusted_rand_index,
    cluster_stability,
    partition_agreement,
    sample_confidence,
)
from consensa.metrics import certainty as _certainty
from consensa.metrics.certainty import company_shares

UNANIMOUS = [[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]]


@pytest.fixture
def hidden(planted):
    """The planted ensemble with a third of its labels hidden."""
    labels, truth = planted
    hide = np.random.RandomState(3).uniform(size=labels.shape) < 1 / 3
    hide[hide.all(axis=1), 0] = False
    return np.where(hide, -1, labels), truth


def slow_confidence(labels, consensus):
    answer = []
    for i, row in enumerate(labels):
        shares = []
        for m, code in enumerate(row):
            if code == -1:
                continue
            company = [j for j in range(len(labels)) if j != i and labels[j, m] == code]
            alone = np.sum(consensus == consensus[i]) == 1
            if company:
                shares.append(np.mean([consensus[j] == consensus[i] for j in company]))
            elif alone:
                shares.append(1.0)
        answer.append(np.mean(shares) if shares else 0.0)
    return np.array(answer)


def test_confidence_by_hand():
    # Sample 2 shares its cluster with sample 3 in one partition, with 0 and 1 in the other.
    found = sample_confidence([[0, 0], [0, 0], [1, 0], [1, 1]], [0, 0, 1, 1])
    assert_allclose(found, [(1 + 1 / 2) / 2, (1 + 1 / 2) / 2, (1 + 0) / 2, 1])


@pytest.mark.parametrize("fixture", ["planted", "hidden"])
def test_confidence_is_its_definition(fixture, request):
    labels, truth = request.getfixturevalue(fixture)
    consensus = truth.copy()
    consensus[:3] = [3, 1, 2]  # a cluster of one sample, and samples in wrong clusters
    assert_allclose(sample_confidence(labels, consensus), slow_confidence(labels, consensus))


def test_confidence_is_the_share_of_the_own_cluster_in_the_affinities():
    # Equal sizes in every partition: the mean of shares is the share of the sums.
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 2], [2, 2]])
    consensus = np.array([0, 0, 1, 1, 2, 2])
    affinity = coassociation(Ensemble.from_labels(labels)) - np.eye(6)
    own = np.where(consensus[:, None] == consensus, affinity, 0).sum(axis=1)
    assert_allclose(sample_confidence(labels, consensus), own / affinity.sum(axis=1))


def test_unanimous_partitions_are_sure_and_disagreement_is_not():
    assert_array_equal(sample_confidence(UNANIMOUS, [0, 0, 1, 1]), np.ones(4))
    assert_array_equal(sample_confidence(UNANIMOUS, [0, 1, 0, 1]), np.zeros(4))


def test_a_sample_without_company():
    labels = [[0, 0], [1, 1], [1, 2], [1, 2]]
    assert sample_confidence(labels, [0, 1, 1, 1])[0] == 1  # alone in the consensus too
    assert sample_confidence(labels, [1, 1, 1, 1])[0] == 0  # nobody ever put it there
    assert sample_confidence(labels, [0, 1, 2, 2])[1] == 0.5  # alone in one partition of two


def test_renaming_and_permuting_change_nothing(planted):
    labels, truth = planted
    before = sample_confidence(labels, truth)
    order = np.random.RandomState(1).permutation(len(truth))
    names = np.array(["x", "y", "z"])
    assert_array_equal(sample_confidence(labels[order], names[truth][order]), before[order])
    assert_allclose(sample_confidence(np.hstack([labels, labels]), truth), before)


def test_many_clusters_take_no_more_memory_than_samples():
    # 3000 × 3000 pairs of clusters would not fit in the small table.
    labels = np.arange(3000)
    found = sample_confidence(labels[:, None], labels)
    assert_array_equal(found, np.ones(3000))


@pytest.mark.parametrize("fixture", ["planted", "hidden"])
def test_stability_is_the_mean_affinity_within_and_between(fixture, request):
    labels, truth = request.getfixturevalue(fixture)
    found = cluster_stability(labels, truth)
    expected = np.zeros((3, 3))
    for c in range(3):
        for d in range(3):
            by_partition = []
            for column in labels.T:
                one = np.flatnonzero((truth == c) & (column != -1))
                two = np.flatnonzero((truth == d) & (column != -1))
                pairs = [(i, j) for i in one for j in two if i != j]
                by_partition.append(np.mean([column[i] == column[j] for i, j in pairs]))
            expected[c, d] = np.mean(by_partition)
    assert_allclose(found.affinity, expected)
    assert_allclose(found.cohesion, np.diag(expected))
    assert_array_equal(found.sizes, [20, 20, 20])
    confidence = sample_confidence(labels, truth)
    assert_allclose(found.stability, [confidence[truth == c].mean() for c in range(3)])


def test_cohesion_is_the_mean_coassociation_of_complete_partitions(planted):
    labels, truth = planted
    matrix = coassociation(Ensemble.from_labels(labels))
    within = matrix[np.ix_(truth == 1, truth == 1)]
    expected = within[~np.eye(20, dtype=bool)].mean()
    assert_allclose(cluster_stability(labels, truth).cohesion[1], expected)


def test_rivals_are_the_clusters_most_often_mixed():
    labels = [[0, 0], [0, 0], [1, 0], [1, 0], [2, 1], [2, 1]]
    found = cluster_stability(labels, [0, 0, 1, 1, 2, 2])
    assert_array_equal(found.rival, [1, 0, -1])
    assert cluster_stability(labels, [0, 0, 1, 1, 2, 3]).cohesion[3] == 1  # of one sample


def test_entry_c_of_the_stability_is_cluster_c():
    found = cluster_stability(UNANIMOUS, [1, 0, 0, 0])
    assert_array_equal(found.sizes, [3, 1])


def test_agreement_is_the_adjusted_rand_index_on_the_labeled_samples(hidden):
    labels, truth = hidden
    found = partition_agreement(labels, truth)
    for j, column in enumerate(labels.T):
        seen = column != -1
        wanted = adjusted_rand_index(truth[seen], column[seen])
        assert found.agreement[j] == pytest.approx(wanted, abs=1e-12)
        assert found.n_labeled[j] == seen.sum()
    assert_allclose(found.weight, found.agreement / found.agreement.sum())
    assert_array_equal(found.n_clusters, [3] * 8)


def test_weights_sum_to_one_even_if_nothing_agrees():
    found = partition_agreement([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    assert (found.agreement < 0).all()
    assert_array_equal(found.weight, [0.5, 0.5])


@pytest.mark.parametrize("function", [sample_confidence, cluster_stability, partition_agreement])
def test_labels_of_other_samples_are_refused(function):
    with pytest.raises(InvalidInputError, match=r"one entry for each of the 4 samples.*Got 3"):
        function(UNANIMOUS, [0, 0, 1])


def test_affinity_between_clusters_is_refused_where_it_cannot_fit(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 100)
    with pytest.raises(NotEnoughMemoryError, match="affinity between clusters of n = 2 clusters"):
        cluster_stability(UNANIMOUS, [0, 0, 1, 1])


@pytest.mark.parametrize("entries", [0, 10**9])
def test_a_table_of_all_pairs_and_none_give_the_same_confidence(hidden, entries, monkeypatch):
    monkeypatch.setattr(_certainty, "_TABLE_PER_LABEL", entries)
    labels, _ = hidden
    labels[:3] = np.arange(100, 103)[:, None]  # alone in the partitions, and one in the consensus
    consensus = np.append(np.random.RandomState(0).randint(4, size=59), 9)
    assert_allclose(sample_confidence(labels, consensus), slow_confidence(labels, consensus))


@pytest.mark.parametrize("hidden", [0.0, 0.4])
def test_the_share_of_its_own_cluster_is_the_confidence_of_a_sample(hidden):
    rng = np.random.RandomState(3)
    codes = rng.randint(4, size=(40, 6))
    codes[rng.uniform(size=codes.shape) < hidden] = -1
    codes[:, 0] = rng.randint(4, size=40)
    ensemble = Ensemble.from_labels(codes)
    labels = rng.permutation(np.arange(40) % 3)
    samples = np.array([7, 0, 39, 12])
    shares = company_shares(ensemble, labels, samples)
    assert_allclose(
        shares[np.arange(4), labels[samples]], sample_confidence(ensemble, labels)[samples]
    )
    assert_allclose(shares.sum(axis=1), 1)


def test_companions_are_counted_by_hand():
    ensemble = Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [1, 1], [1, -1]])
    labels = np.array([0, 0, 1, 1, 1])
    shares = company_shares(ensemble, labels, np.array([2, 4]))
    # The third sample: two companions of cluster 0 in the first, one of cluster 1 in the second.
    assert_allclose(shares, [[0.5, 0.5], [0.0, 1.0]])
