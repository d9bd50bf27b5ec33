"""Rivals and item consensus, against slow loops that follow the definitions."""

from __future__ import annotations

import numpy as np
import pytest

import consensa as cs
from consensa.metrics import (
    cluster_stability,
    item_consensus,
    sample_confidence,
    sample_rivals,
)
from consensa.metrics.certainty import company_shares


@pytest.fixture(params=[0.0, 0.3], ids=["complete", "missing labels"])
def labeled(request):
    rng = np.random.RandomState(0)
    labels = rng.randint(4, size=40)
    labels[:4] = range(4)
    partitions = np.where(
        rng.uniform(size=(40, 7)) < 0.5, rng.randint(5, size=(40, 7)), labels[:, None]
    )
    partitions[rng.uniform(size=partitions.shape) < request.param] = -1
    return cs.Ensemble.from_labels(partitions), partitions, labels


def test_the_rival_is_the_other_cluster_of_largest_support(labeled):
    ensemble, _, labels = labeled
    shares = company_shares(ensemble, labels, np.arange(40))
    np.testing.assert_allclose(shares[range(40), labels], sample_confidence(ensemble, labels))
    shares[range(40), labels] = -1
    found = sample_rivals(ensemble, labels)
    np.testing.assert_allclose(found.share, shares.max(axis=1))
    ties = np.sort(shares, axis=1)
    clear = ties[:, -1] - ties[:, -2] > 1e-9
    np.testing.assert_array_equal(found.rival[clear], shares.argmax(axis=1)[clear])


def test_a_sample_that_is_only_with_its_own_cluster_has_no_rival():
    found = sample_rivals([[0, 0], [0, 0], [1, 1], [1, 1]], [0, 0, 1, 1])
    assert found.rival.tolist() == [-1] * 4
    assert found.share.tolist() == [0] * 4


def test_item_consensus_is_the_mean_co_association_with_a_cluster(labeled):
    ensemble, partitions, labels = labeled
    expected = np.zeros((40, 4))
    for i in range(40):
        for c in range(4):
            others = [j for j in range(40) if labels[j] == c and j != i]
            means = []
            for column in partitions.T:
                known = [column[j] == column[i] for j in others if column[j] >= 0]
                if column[i] >= 0 and known:
                    means.append(np.mean(known))
            expected[i, c] = np.mean(means)
    np.testing.assert_allclose(item_consensus(ensemble, labels), expected)


def test_the_mean_item_consensus_of_a_cluster_is_its_cohesion():
    rng = np.random.RandomState(1)
    labels = np.arange(30) % 3
    partitions = np.where(
        rng.uniform(size=(30, 5)) < 0.4, rng.randint(3, size=(30, 5)), labels[:, None]
    )
    table = item_consensus(partitions, labels)
    means = np.array([table[labels == c].mean(axis=0) for c in range(3)])
    np.testing.assert_allclose(means, cluster_stability(partitions, labels).affinity)


def test_many_small_clusters_need_no_table_of_all_pairs():
    labels = np.arange(300) // 2
    partitions = np.stack([labels, np.roll(labels, 1), np.arange(300)], axis=1)
    found = sample_rivals(partitions, labels)
    shares = company_shares(cs.Ensemble.from_labels(partitions), labels, np.arange(300))
    shares[range(300), labels] = 0
    np.testing.assert_allclose(found.share, shares.max(axis=1))
    np.testing.assert_array_equal(found.rival, shares.argmax(axis=1))
