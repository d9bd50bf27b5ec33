"""Weights of partitions of several kinds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score
from strategies import label_matrices

from consensa import DiverseKinds, Ensemble
from consensa.generation._kind_weights import _agreement, agreement_of_kinds, kind_weights

HALVES, THIRDS = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
ODD = [0, 1, 0, 1, 0, 1]  # agrees with HALVES no more than by chance


def weights(partitions, kinds):
    return kind_weights(Ensemble.from_labels(np.array(partitions).T), list(kinds))


@given(label_matrices())
@settings(max_examples=100)
def test_agreement_is_the_adjusted_rand_index(labels):
    ensemble = Ensemble.from_labels(np.maximum(labels, 0))
    found = _agreement(ensemble)
    wanted = [[adjusted_rand_score(a, b) for a in ensemble.codes.T] for b in ensemble.codes.T]
    assert_allclose(found, wanted, atol=1e-12)


def test_one_kind_has_equal_weights_but_for_duplicates():
    assert_allclose(weights([HALVES, THIRDS], "aa"), [1, 1])
    assert_allclose(weights([HALVES, THIRDS, THIRDS], "aaa"), [1.5, 0.75, 0.75])


def test_kinds_have_an_equal_say_whatever_their_numbers():
    shifted = [0, 0, 0, 0, 1, 1]
    few = weights([HALVES, THIRDS], "ab")
    assert_allclose(few, [1, 1])
    # The two partitions of the first kind share its say.
    alone, other = adjusted_rand_score(HALVES, THIRDS), adjusted_rand_score(shifted, THIRDS)
    found = weights([HALVES, shifted, THIRDS], "aab")
    by_hand = np.array([alone**2 / 2, other**2 / 2, ((alone + other) / 2) ** 2])
    assert_allclose(found, by_hand / by_hand.mean())


def test_duplicates_of_a_kind_do_not_add_up():
    found = weights([HALVES, HALVES, HALVES, THIRDS], "aaab")
    assert_allclose(found / found.sum(), [1 / 6, 1 / 6, 1 / 6, 1 / 2])
    renamed = weights([HALVES, [1, 1, 1, 0, 0, 0], HALVES, THIRDS], "aaab")
    assert_allclose(renamed, found)


def test_a_partition_that_agrees_with_no_other_kind_counts_little():
    found = weights([HALVES, ODD, HALVES, HALVES], "aabc")
    assert adjusted_rand_score(ODD, HALVES) < 0
    # By hand: 1 and the least weight, each times half a say; the others agree with a mean of
    # (1 + ODD) / 2 and with each other: 1.
    middle = (0.5 * (1 + adjusted_rand_score(ODD, HALVES)) + 1) / 2
    by_hand = np.array([0.5, 0.5 * 0.01, middle**2, middle**2])
    assert_allclose(found, by_hand / by_hand.mean())


def test_weights_are_positive_with_mean_1_even_if_none_agree():
    found = weights([HALVES, ODD], "ab")
    assert_allclose(found, [1, 1])
    one_cluster = weights([[0] * 6, [0] * 6, HALVES], "abc")
    assert (one_cluster > 0).all()
    assert one_cluster.mean() == pytest.approx(1)


@pytest.mark.parametrize("n_partitions", range(1, 60))
def test_every_kind_has_a_partition_if_there_are_enough(n_partitions):
    (shares,) = DiverseKinds(n_partitions)._shares("E")
    assert sum(count for _, count in shares) == n_partitions
    assert all(count > 0 for _, count in shares)
    assert len(shares) == 4 or n_partitions < 4
    halves = DiverseKinds(n_partitions)._shares("EA"[:n_partitions])
    assert sum(count for shares in halves for _, count in shares) == n_partitions


def test_the_default_number_has_the_documented_shares():
    counts = [[count for _, count in shares] for shares in DiverseKinds()._shares("E")]
    assert counts == [[16, 12, 4, 16]]
    counts = [[count for _, count in shares] for shares in DiverseKinds()._shares("EA")]
    assert counts == [[8, 6, 2, 8], [8, 8, 8]]


def test_diverse_kinds_names_weighs_and_can_be_told_not_to():
    X = np.random.default_rng(0).normal(size=(50, 3))
    made = DiverseKinds(12).generate(X, n_clusters=3, random_state=0)
    names = [name.rsplit(" ", 1)[0] for name in made.partition_names]
    assert len(set(made.partition_names)) == 12
    assert_array_equal(made.weights, kind_weights(made, names))
    plain = DiverseKinds(12, weighted=False).generate(X, n_clusters=3, random_state=0)
    assert plain.weights is None
    assert_array_equal(plain.labels, made.labels)


def test_kinds_are_compared_by_their_partitions_with_the_fewest_clusters():
    finer = [0, 0, 1, 2, 2, 2]
    ensemble = Ensemble.from_labels(np.array([HALVES, finer, HALVES, finer]).T)
    assert agreement_of_kinds(ensemble, list("aabb")) == 1
    assert agreement_of_kinds(ensemble, list("aaab")) < 1
    assert agreement_of_kinds(ensemble, list("aaaa")) == 1
