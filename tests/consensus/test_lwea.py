"""LWEA: locally weighted evidence accumulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, eac, lwea
from consensa.metrics import adjusted_rand_index

# Two partitions keep the halves together; three halve the samples at random.
SURE = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
LOOSE = [
    [0, 0, 0, 1, 0, 1, 1, 1, 0, 1],
    [0, 0, 0, 1, 0, 1, 1, 1, 1, 0],
    [1, 0, 1, 0, 1, 0, 0, 0, 1, 0],
]


def test_clusters_that_the_others_break_up_lose_against_those_they_keep():
    ensemble = Ensemble.from_labels(np.transpose([SURE, SURE, *LOOSE]))
    assert_array_equal(lwea(ensemble, 2).labels, SURE)
    plain = eac(ensemble, 2).labels
    assert plain[3] == plain[5]
    assert_array_equal(lwea(ensemble, 2, theta=1e9).labels, plain)


def test_five_samples_by_hand():
    result = lwea(Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [0, 1], [1, 2]]), 3)
    halved = np.exp(-1 / 0.8)  # certainty of {0, 1, 2, 3}, one bit of entropy
    assert_array_equal(result.labels, [0, 0, 1, 1, 2])
    pair, all_but_one = 1 - (1 + halved) / 2, 1 - halved / 2
    assert_allclose(result.linkage_matrix[:, 2], [pair, pair, all_but_one, 1])


def test_theta_of_the_default_is_not_plain_evidence_accumulation(planted):
    ensemble = Ensemble.from_labels(planted[0])
    assert np.abs(lwea(ensemble, 3).affinity - eac(ensemble, 3).affinity).max() > 0.1


@pytest.mark.parametrize("name", ["small", "binalpha"])
def test_agrees_with_the_authors_program(name, request):
    stored = request.getfixturevalue(f"reference_{name}")
    arrays = stored if name == "small" else stored[0]
    result = lwea(Ensemble.from_labels(arrays["labels"]), int(arrays["K"]))
    heights = np.sort(arrays["lwea_Z"][:, 2])
    assert_allclose(np.sort(result.linkage_matrix[:, 2]), heights, rtol=0, atol=1e-9)
    assert adjusted_rand_index(arrays["LWEA"], result.labels) == 1


def test_the_tree_can_be_cut_again(planted):
    result = lwea(Ensemble.from_labels(planted[0]), 3)
    assert_array_equal(result.cut(3), result.labels)
    assert len(set(result.cut(7).tolist())) == 7
