"""PTA: random walks between microclusters, agglomerated."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import assert_entries, our_groups

from consensa import Ensemble, pta
from consensa.exceptions import NotEnoughMemoryError
from consensa.metrics import adjusted_rand_index

LINKAGES = [("average", "al"), ("complete", "cl"), ("single", "sl")]
every_linkage = pytest.mark.parametrize(("linkage", "short"), LINKAGES)


@every_linkage
def test_tree_and_labels_agree_with_the_authors_program(reference_small, linkage, short):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    result = pta(ensemble, int(reference_small["K"]), linkage=linkage)
    heights = reference_small[f"pta_Z_{short}"][:, 2]
    assert_allclose(result.linkage_matrix[:, 2], heights, atol=1e-9)
    assert adjusted_rand_index(result.labels, reference_small[f"PTA_{short.upper()}"]) == 1


@every_linkage
def test_agrees_with_the_authors_program_on_binalpha(reference_binalpha, linkage, short):
    arrays, matrices = reference_binalpha
    ensemble = Ensemble.from_labels(arrays["labels"])
    result = pta(ensemble, int(arrays["K"]), linkage=linkage)
    ours = our_groups(ensemble, arrays["micro_of_object"])
    affinity = result.details["microcluster_affinity"]
    assert_entries(affinity[np.ix_(ours, ours)], matrices["pta_PTS"])
    assert_allclose(result.linkage_matrix[:, 2], arrays[f"pta_Z_{short}"][:, 2], atol=1e-9)
    assert adjusted_rand_index(result.labels, arrays[f"PTA_{short.upper()}"]) == 1


def test_the_tree_of_microclusters_can_be_cut_again_for_all_samples(planted):
    ensemble = Ensemble.from_labels(planted[0])
    result = pta(ensemble, 3)
    n_groups = len(ensemble.microclusters().sizes)
    assert result.linkage_matrix.shape == (n_groups - 1, 4)
    assert_array_equal(result.cut(3), result.labels)
    assert_array_equal(result.cut(2), pta(ensemble, 2).labels)
    assert result.cut(n_groups).max() == n_groups - 1


def test_microclusters_count_once_whatever_their_size(planted):
    labels, _ = planted
    affinity = pta(Ensemble.from_labels(labels), 3).details["microcluster_affinity"]
    tree = pta(Ensemble.from_labels(labels), 3).linkage_matrix
    i, j = np.unravel_index(np.argmax(affinity - 2 * np.eye(len(affinity))), affinity.shape)
    assert {int(tree[0, 0]), int(tree[0, 1])} == {i, j}
    assert tree[-1, 3] == len(affinity)


def test_equal_similarities_are_decided_by_the_coassociation():
    # Pairs of microclusters that have only each other: their walks swap places for ever, and
    # all similarities are 0. Together they are where four of five partitions put them.
    coarse, fine = np.array([0, 0, 1, 1]), np.arange(4)
    ensemble = Ensemble.from_labels(np.stack([coarse] * 4 + [fine], axis=1))
    result = pta(ensemble, 2)
    assert_array_equal(result.details["microcluster_affinity"], np.eye(4))
    assert_array_equal(result.labels, coarse)


def test_the_options_of_the_walk_reach_the_similarity(planted):
    ensemble = Ensemble.from_labels(planted[0])
    default = pta(ensemble, 3).details["microcluster_affinity"]
    for options in ({"n_neighbors": 1}, {"walk_length": 1}):
        assert np.abs(pta(ensemble, 3, **options).details["microcluster_affinity"] - default).max()
    same = pta(ensemble, 3, n_neighbors="paper", walk_length="paper")
    assert_array_equal(same.details["microcluster_affinity"], default)


def test_memory_goes_by_microclusters_not_by_samples(monkeypatch):
    labels = 50_000 * 2 * 40  # bytes
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: labels)
    few = np.stack([np.arange(50_000) % 4, np.arange(50_000) % 2], axis=1)
    assert pta(Ensemble.from_labels(few), 2).n_clusters == 2
    with pytest.raises(NotEnoughMemoryError, match="of the microclusters"):
        pta(Ensemble.from_labels(np.arange(300)[:, None]), 2)
