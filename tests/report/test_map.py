"""The consensus matrix in a page: exact where each row is a sample, means where it is a group."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import Ensemble, coassociation, eac
from consensa.metrics import partition_agreement
from consensa.report import _map
from consensa.report._map import consensus_map


def matrix(found):
    n = len(found.sizes)
    return np.frombuffer(found.values, np.uint8).reshape(n, n) / 255


def make(labels):
    ensemble = Ensemble.from_labels(labels)
    result = eac(ensemble, 3)
    names = np.array([f"s{i}" for i in range(ensemble.n_samples)], dtype=object)
    trust = partition_agreement(ensemble, result.labels).agreement
    found = consensus_map(ensemble, result.labels, result.confidence, names, trust)
    return ensemble, result, found


def test_few_samples_are_rows_of_their_own(planted):
    ensemble, result, found = make(planted[0])
    order = [int(name[1:]) for name in found.names]
    assert sorted(order) == list(range(60))
    np.testing.assert_allclose(matrix(found), coassociation(ensemble)[order][:, order], atol=0.003)
    assert np.all(np.diff(result.labels[order]) >= 0)
    np.testing.assert_allclose(found.confidence, result.confidence[order], atol=1e-4)


def test_alike_samples_stand_beside_each_other_and_the_heart_comes_first(planted):
    ensemble, result, found = make(planted[0])
    order = [int(name[1:]) for name in found.names]
    rows = [ensemble.codes[sample].tobytes() for sample in order]
    seen = [row for place, row in enumerate(rows) if place == 0 or rows[place - 1] != row]
    assert len(seen) == len(set(rows)) < 60  # samples with equal rows are never apart
    for cluster in range(3):
        confidence = result.confidence[order][result.labels[order] == cluster]
        half = len(confidence) // 2
        assert confidence[:half].mean() > confidence[half:].mean()


@pytest.mark.parametrize("hidden", [0.0, 0.2])
def test_many_samples_are_groups_whose_means_are_exact(planted, monkeypatch, hidden):
    monkeypatch.setattr(_map, "MOST_SAMPLES", 10)
    monkeypatch.setattr(_map, "MOST_ROWS", 10)
    labels = planted[0].copy()
    labels[np.random.RandomState(1).uniform(size=labels.shape) < hidden] = -1
    ensemble, result, found = make(labels)
    assert sum(found.sizes) == 60
    assert sum(found.rows) == len(found.sizes) <= 10
    trust = partition_agreement(ensemble, result.labels).agreement
    order = _map._order(ensemble, result.labels, trust)
    assert found.names[0] == f"s{order[0]}"
    groups = np.split(order, np.cumsum(found.sizes)[:-1])
    row, column = 1, 4
    known = np.array(
        [[ensemble.codes[groups[row], m], ensemble.codes[groups[column], m]] for m in range(8)],
        dtype=object,
    )
    means = []
    for left, right in known:
        pairs = [(a, b) for a in left for b in right if a >= 0 and b >= 0]
        if pairs:
            means.append(np.mean([a == b for a, b in pairs]))
    assert matrix(found)[row, column] == pytest.approx(np.mean(means), abs=0.003)
    assert matrix(found)[column, row] == matrix(found)[row, column]


def test_of_too_many_clusters_the_largest_are_shown(monkeypatch):
    monkeypatch.setattr(_map, "MOST_SAMPLES", 2)
    monkeypatch.setattr(_map, "MOST_ROWS", 2)
    ensemble = Ensemble.from_labels([[0], [1], [1], [2], [2], [2]])
    labels = ensemble.codes[:, 0].astype(int)
    found = consensus_map(ensemble, labels, np.ones(6), np.arange(6), np.ones(1))
    assert found.clusters == [1, 2]
    assert found.rows == [1, 1]
    np.testing.assert_allclose(matrix(found), np.eye(2))


def test_every_cluster_keeps_a_row_however_small():
    labels = np.concatenate([np.zeros(5000, int), np.arange(1, 101)])
    ensemble = Ensemble.from_labels(labels[:, None])
    found = consensus_map(ensemble, labels, np.ones(5100), np.arange(5100), np.ones(1))
    assert found.rows[1:] == [1] * 100
    assert sum(found.rows) <= _map.MOST_ROWS


def test_no_group_has_samples_of_two_parts(planted, monkeypatch):
    monkeypatch.setattr(_map, "MOST_SAMPLES", 10)
    monkeypatch.setattr(_map, "MOST_ROWS", 20)
    ensemble = Ensemble.from_labels(planted[0])
    result = eac(ensemble, 3)
    parts = result.cut(7)
    trust = np.ones(ensemble.n_partitions)
    found = consensus_map(ensemble, result.labels, result.confidence, np.arange(60), trust, parts)
    row = np.frombuffer(found.row_of_sample, "<u2")
    assert sorted(set(row)) == list(range(len(found.sizes)))
    assert all(len(set(parts[row == number])) == 1 for number in range(len(found.sizes)))
    cluster = np.repeat(found.clusters, found.rows)
    assert all(set(result.labels[row == number]) == {c} for number, c in enumerate(cluster))
    assert np.bincount(row).tolist() == found.sizes
