"""Groups of samples that no partition mixes are found, however many base clusters there are."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import Ensemble, ceam, drec, gpmgla, hbgf, lwgp, lwsc, nmfconsensus, ptgp
from consensa.consensus import _ceam
from consensa.metrics import adjusted_rand_index


def separate(n_groups, size, n_partitions, most, seed=0):
    """Each partition cuts each group into intervals along a line."""
    rng = np.random.RandomState(seed)
    group, place = np.repeat(np.arange(n_groups), size), rng.uniform(size=n_groups * size)
    cuts = [
        2 * most * group + np.floor(place * rng.randint(2, most) + rng.rand()).astype(int)
        for _ in range(n_partitions)
    ]
    return Ensemble.from_labels(np.stack(cuts, axis=1)), group


@pytest.mark.parametrize("method", [drec, gpmgla, hbgf, lwgp, lwsc, nmfconsensus, ptgp])
@pytest.mark.parametrize(
    ("n_groups", "size", "n_partitions", "most"),
    [(4, 100, 20, 5), (4, 150, 100, 5), (8, 150, 20, 12), (20, 100, 20, 12)],
    ids=["few base clusters", "1600", "1000", "3000"],
)
def test_groups_that_no_partition_mixes_are_the_clusters(
    method, n_groups, size, n_partitions, most
):
    ensemble, group = separate(n_groups, size, n_partitions, most)
    assert adjusted_rand_index(group, method(ensemble, n_groups, random_state=0).labels) == 1


@pytest.mark.parametrize("method", [gpmgla, hbgf, lwgp, lwsc, ptgp])
def test_with_fewer_clusters_no_group_is_split(method):
    ensemble, group = separate(8, 150, 20, 12)
    labels = method(ensemble, 3, random_state=0).labels
    assert [len(set(labels[group == g])) for g in range(8)] == [1] * 8
    assert len(set(labels)) == 3


@pytest.mark.parametrize("method", [gpmgla, hbgf, lwgp, lwsc, ptgp])
def test_with_more_clusters_no_cluster_mixes_groups(method):
    ensemble, group = separate(5, 200, 25, 12)
    labels = method(ensemble, 8, random_state=0).labels
    assert [len(set(group[labels == k])) for k in range(8)] == [1] * 8


def test_ceam_mixes_no_components_where_it_inverts_the_graph(monkeypatch):
    monkeypatch.setattr(_ceam, "_DENSE_UP_TO", 100)
    rng = np.random.RandomState(0)
    group, place = np.repeat(np.arange(5), 60), rng.uniform(size=300)
    cuts = [50 * group + np.floor(place * rng.randint(10, 18) + rng.rand()) for _ in range(20)]
    ensemble = Ensemble.from_labels(np.stack(cuts, axis=1).astype(int))
    result = ceam(ensemble, 7, n_neighbors=5, n_rounds=1, n_steps=3, random_state=0)
    assert result.details["n_components"] == 6
    assert [len(set(group[result.labels == k])) for k in range(7)] == [1] * 7
