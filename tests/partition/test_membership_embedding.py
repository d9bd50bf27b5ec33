"""Embedding of samples and clusters from the overlaps of the clusters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa import Ensemble
from consensa.partition import (
    bipartite_embedding,
    joint_bipartite_embedding,
)
from consensa.partition import membership_embedding as _membership_embedding
from consensa.partition.membership_embedding import membership_embedding


@pytest.fixture(params=[False, True], ids=["complete", "missing"])
def ensemble(request):
    labels = np.random.default_rng(4).integers(0, 4, (40, 5))
    if request.param:
        labels[np.random.default_rng(5).uniform(size=labels.shape) < 0.3] = -1
        labels[:, 0] = np.abs(labels[:, 0])
    return Ensemble.from_labels(labels)


@pytest.mark.parametrize("dense", [0, 2000])
def test_samples_lie_where_the_transfer_cut_puts_them(ensemble, dense, monkeypatch):
    monkeypatch.setattr(_membership_embedding, "DENSE_UP_TO", dense)
    weights = np.random.default_rng(6).uniform(0.2, 1, ensemble.n_clusters)
    wanted = bipartite_embedding(ensemble.membership() * weights, 3)
    found = membership_embedding(
        ensemble, 3, np.random.RandomState(0), cluster_weights=weights
    ).points(ensemble.cluster_ids)
    assert_allclose(found @ found.T, wanted @ wanted.T, atol=1e-7)


def test_samples_and_clusters_share_a_space(ensemble):
    samples, clusters = joint_bipartite_embedding(ensemble.membership(), 3)
    found = membership_embedding(ensemble, 3, np.random.RandomState(0), joint=True)
    assert_allclose(
        found.points(ensemble.cluster_ids) @ found.clusters.T, samples @ clusters.T, atol=1e-7
    )


def test_a_singular_value_of_zero_embeds_nothing():
    ensemble = Ensemble.from_labels([[0, 0], [0, 0], [1, 1]])
    found = membership_embedding(ensemble, 4, np.random.RandomState(0), joint=True)
    assert_allclose(found.table[:, 2:], 0)
    assert_allclose(found.clusters[:, 2:], 0)
