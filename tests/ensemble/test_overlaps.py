"""Overlaps of the clusters: stored, and counted cluster by cluster, to the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal

import consensa as cs
from consensa._machine import memory
from consensa._machine.hashing import mix
from consensa.consensus.catalogue import find_methods, methods_that
from consensa.ensemble import Ensemble, _counts, overlaps
from consensa.ensemble.overlaps import CountedOverlaps, StoredOverlaps, most_pairs
from consensa.exceptions import NotEnoughMemoryError
from consensa.metrics import partition_similarity
from consensa.similarity import cluster_certainty
from tests.strategies import label_matrices


def planted(n, m, k, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    labels = truth[:, None] * (k // 4) + rng.integers(0, k // 4, (n, m)).astype(float)
    labels[rng.random((n, m)) < missing] = np.nan
    labels[:, 0] = truth
    return labels


LABELS = planted(60, 40, 16, missing=0.1)


@pytest.fixture
def never_stored(monkeypatch):
    """No ensemble is small enough for its overlaps to be stored."""
    monkeypatch.setattr(_counts, "MOST_PAIRS", 0)


@settings(max_examples=20, deadline=None)
@given(label_matrices())
def test_counted_and_stored_overlaps_are_the_same(labels):
    ensemble = Ensemble.from_labels(labels)
    stored, counted = StoredOverlaps(ensemble.overlap), CountedOverlaps(ensemble)
    clusters = np.arange(ensemble.n_clusters)
    hashes = mix(clusters, 5)
    assert_array_equal(counted.sizes, stored.sizes)
    assert_array_equal(counted.hashes_seen(hashes), stored.hashes_seen(hashes))
    assert_array_equal(
        counted.shared(clusters, clusters[::-1]), stored.shared(clusters, clusters[::-1])
    )
    assert_array_equal(counted.of(slice(1, 3)).toarray(), stored.of(slice(1, 3)).toarray())


def test_stored_overlaps_are_used_in_blocks_of_entries(monkeypatch):
    matrix = Ensemble.from_labels(LABELS).overlap
    whole, hashes = StoredOverlaps(matrix), mix(np.arange(matrix.shape[0]))
    assert whole.blocks() == [slice(0, matrix.shape[0])]
    seen = whole.hashes_seen(hashes)
    monkeypatch.setattr(overlaps, "_ENTRIES", 1000)
    blocks = whole.blocks()
    assert len(blocks) > 5
    assert max(matrix[rows].nnz for rows in blocks) <= 1000 + matrix.shape[0]
    assert_array_equal(whole.hashes_seen(hashes), seen)


@settings(max_examples=20, deadline=None)
@given(label_matrices())
def test_the_number_of_pairs_is_an_upper_bound(labels):
    ensemble = Ensemble.from_labels(labels)
    assert ensemble.overlap.nnz <= most_pairs(ensemble.cluster_counts, ensemble.n_samples)


def test_the_number_of_pairs_by_hand():
    assert most_pairs(np.array([2, 5]), 4) == 4 + 4 + 4 + 4  # at most a pair for each sample
    assert most_pairs(np.array([2, 5]), 100) == 4 + 10 + 10 + 25


@pytest.mark.parametrize("labels", [LABELS, planted(60, 40, 16)], ids=["missing", "complete"])
def test_certainty_is_the_same_without_stored_overlaps(labels, never_stored, monkeypatch):
    counted = cluster_certainty(labels)
    monkeypatch.setattr(_counts, "MOST_PAIRS", 2**26)
    assert_allclose(counted, cluster_certainty(labels), rtol=1e-10)


def test_the_agreement_of_partitions_is_the_same_without_stored_overlaps(
    never_stored, monkeypatch
):
    counted = partition_similarity(LABELS)
    monkeypatch.setattr(_counts, "MOST_PAIRS", 2**26)
    assert_array_equal(counted, partition_similarity(LABELS))


@pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")
@pytest.mark.parametrize("name", sorted(methods_that("order_free")))
def test_labels_are_the_same_without_stored_overlaps(name, monkeypatch):
    """The product of memberships instead of the overlaps is used above 2,000 clusters."""
    estimator = find_methods()[name]
    monkeypatch.setattr("consensa.partition.membership_embedding.DENSE_UP_TO", 30)
    labels = LABELS if estimator.info.missing else planted(60, 40, 16)
    model = estimator(4, generator="precomputed", random_state=0)
    stored = model.fit(labels).labels_
    monkeypatch.setattr(_counts, "MOST_PAIRS", 0)
    assert_array_equal(model.fit(labels).labels_, stored)


def test_overlaps_that_do_not_fit_are_refused_before_they_are_made(monkeypatch):
    ensemble = cs.Ensemble.from_labels(np.arange(100)[:, None] % np.arange(2, 102))
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**20)
    monkeypatch.setattr(memory, "_LITTLE", 0)
    with pytest.raises(NotEnoughMemoryError, match=r"The overlap of 5149 clusters .* pairs"):
        _ = ensemble.overlap
