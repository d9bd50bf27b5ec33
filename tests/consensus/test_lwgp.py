"""LWGP: locally weighted graph partitioning."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, hbgf, lwgp
from consensa.metrics import adjusted_rand_index
from consensa.partition import bipartite_embedding
from consensa.similarity import cluster_certainty


def spread(points, labels):
    """Sum of squares within the clusters: what k-means minimizes."""
    return sum(
        ((points[labels == k] - points[labels == k].mean(axis=0)) ** 2).sum()
        for k in set(labels.tolist())
    )


def test_five_samples_by_hand():
    result = lwgp(Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [0, 1], [1, 2]]), 3)
    assert_array_equal(result.labels, [0, 0, 1, 1, 2])
    halved = np.exp(-1 / 0.8)
    assert_allclose(result.details["cluster_certainty"], [halved, 1, 1, 1, 1])


@pytest.mark.parametrize("name", ["small", "binalpha"])
def test_k_means_is_as_good_as_the_best_of_the_reference(name, request):
    stored = request.getfixturevalue(f"reference_{name}")
    arrays = stored if name == "small" else stored[0]
    ensemble = Ensemble.from_labels(arrays["labels"])
    result = lwgp(ensemble, int(arrays["K"]), n_init=200, random_state=0)
    reached = spread(arrays["lwgp_embedding"], result.labels)
    assert reached <= 1.005 * arrays["lwgp_embedding_km_best_inertia"]


def test_theta_weighs_the_clusters(planted):
    ensemble = Ensemble.from_labels(planted[0])
    low = lwgp(ensemble, 3, theta=0.2, random_state=0).details["cluster_certainty"]
    assert_allclose(low, cluster_certainty(ensemble, theta=0.2))


def test_shuffling_the_rows_changes_nothing_even_with_one_start():
    labels = np.random.default_rng(0).integers(0, 5, (80, 6))  # no structure to lean on
    order = np.random.default_rng(1).permutation(80)
    here = lwgp(Ensemble.from_labels(labels), 4, n_init=1, random_state=0).labels
    there = lwgp(Ensemble.from_labels(labels[order]), 4, n_init=1, random_state=0).labels
    assert adjusted_rand_index(here[order], there) == 1


def test_certain_clusters_win_where_plain_ones_tie():
    # Half of the partitions cut one way, half the other; the first way is repeated exactly.
    one, other = np.repeat([0, 1], 4), np.tile([0, 1], 4)
    noisy = [np.where(np.arange(8) == flip, 1 - other, other) for flip in (0, 3, 6)]
    ensemble = Ensemble.from_labels(np.stack([one, one, one, *noisy], axis=1))
    assert_array_equal(lwgp(ensemble, 2, theta=0.1, random_state=0).labels, one)


def test_an_uncertainty_without_bounds_still_gives_an_answer(planted):
    # exp(-H / (theta m)) is 0 in floating point: clusters without weight, rows without edges.
    ensemble = Ensemble.from_labels(planted[0])
    with pytest.warns(UserWarning, match="found 1 cluster instead of 3"):
        labels = lwgp(ensemble, 3, theta=1e-5, random_state=0).labels
    assert len(np.unique(labels)) == 3  # the two empty clusters are filled


def test_unweighted_it_finds_what_hbgf_finds(planted):
    ensemble = Ensemble.from_labels(planted[0])
    unweighted = lwgp(ensemble, 3, theta=1e9, random_state=0).labels
    assert adjusted_rand_index(unweighted, hbgf(ensemble, 3, random_state=0).labels) == 1
    assert bipartite_embedding(ensemble.membership(), 3).shape == (60, 3)
