"""Enhanced co-association: the mean similarity of the clusters of two samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from strategies import label_matrices

from consensa import Ensemble
from consensa.exceptions import NotEnoughMemoryError
from consensa.similarity import (
    _enhanced_coassociation,
    cluster_jaccard,
    coassociation,
    enhanced_coassociation,
    trajectory_similarity,
)


def by_definition(ensemble, similarity):
    n, ids = ensemble.n_samples, ensemble.cluster_ids
    affinity = np.eye(n)
    for i in range(n):
        for j in range(n):
            terms = [
                similarity[a, b] for a, b in zip(ids[i], ids[j], strict=True) if min(a, b) >= 0
            ]
            if i != j:
                affinity[i, j] = np.mean(terms) if terms else 0
    return affinity


@given(labels=label_matrices(), seed=st.integers(0, 99))
def test_agrees_with_the_definition(labels, seed):
    ensemble = Ensemble.from_labels(labels)
    similarity = np.random.RandomState(seed).uniform(size=(ensemble.n_clusters,) * 2)
    similarity = (similarity + similarity.T) / 2
    np.fill_diagonal(similarity, 1)
    affinity = enhanced_coassociation(ensemble, similarity)
    assert_allclose(affinity, by_definition(ensemble, similarity), atol=1e-15)
    assert_array_equal(affinity, affinity.T)


@pytest.mark.parametrize("missing", [False, True])
def test_clusters_alike_only_to_themselves_give_the_coassociation(planted, missing):
    labels = planted[0].copy()
    if missing:
        labels[::3, 1:] = -1
    ensemble = Ensemble.from_labels(labels)
    unlike = np.eye(ensemble.n_clusters)
    assert_array_equal(enhanced_coassociation(ensemble, unlike), coassociation(ensemble))


def test_blocks_of_rows_do_not_show(planted, monkeypatch):
    labels = planted[0].copy()
    labels[::3, 1:] = -1
    ensemble = Ensemble.from_labels(labels)
    similarity = trajectory_similarity(cluster_jaccard(ensemble))
    whole = enhanced_coassociation(ensemble, similarity)
    monkeypatch.setattr(_enhanced_coassociation, "_BLOCK_BYTES", 7 * 8 * len(labels))
    assert_array_equal(enhanced_coassociation(ensemble, similarity), whole)


def test_too_many_samples_are_refused_before_anything_is_made(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 1000)
    ensemble = Ensemble.from_labels(np.zeros((50, 1), int))
    with pytest.raises(NotEnoughMemoryError, match="enhanced co-association"):
        enhanced_coassociation(ensemble, np.eye(1))


def test_agrees_with_the_authors_program(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    similarity = trajectory_similarity(cluster_jaccard(ensemble))
    affinity = enhanced_coassociation(ensemble, similarity)
    assert_allclose(affinity, reference_small["ecpcs_ECA"], atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_blocks_of_clusters_are_a_sparse_array(planted, form):
    # SciPy warns of the sparse matrix that it makes of dense blocks, and will make an array.
    ensemble = Ensemble.from_labels(planted[0])
    alike = form(np.eye(ensemble.n_clusters))
    within = _enhanced_coassociation._within_partitions(ensemble, alike)
    assert isinstance(within, sparse.sparray)
    assert_array_equal(within.toarray(), np.eye(ensemble.n_clusters))
