"""Criteria from features, references and subsets: by hand and by what they must keep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr

from consensa import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.generation.landscape import Landscape
from consensa.selection import (
    cluster_recovery,
    density_counts,
    density_separation,
    kind_agreement,
    merge_gap,
    neighbor_eigengap,
    one_cluster_test,
    tree_separation,
)
from consensa.selection._density_counts import density_votes
from consensa.selection._references import (
    Axes,
    Copula,
    Tube,
    permuted_partitions,
    unimodal,
)
from consensa.selection._subsets import drawn_rows


@pytest.fixture(scope="module")
def two():
    rng = np.random.RandomState(0)
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], 60, axis=0) + rng.normal(size=(120, 2))
    return X, np.repeat([0, 1], 60)


def test_stability_is_the_mean_jaccard_coefficient_by_hand():
    # Cluster 0 = {0, 1}: found exactly, then as {0, 1, 2}; sample 3 is missing in the second.
    found = cluster_recovery([0, 0, 1, 1], [[0, 0], [0, 0], [1, 0], [1, None]])
    assert_allclose(found, [(1 + 2 / 3) / 2, (1 + 1 / 3) / 2])


def test_agreement_is_between_kinds_and_not_inside_one():
    labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    named = replace(Ensemble.from_labels(labels), partition_names=("tree 1", "tree 2", "cut 1"))
    assert kind_agreement(named) == pytest.approx(-0.5)  # of a tree and the cut
    assert kind_agreement(labels[:, :2]) == 1


def test_one_algorithm_in_two_spaces_does_not_agree_with_itself():
    labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    names = ("tree 1", "tree, by angles 1", "graph cut 1")
    named = replace(Ensemble.from_labels(labels), partition_names=names)
    assert kind_agreement(named) == pytest.approx(-0.5)
    alone = replace(Ensemble.from_labels(labels[:, :2]), partition_names=names[:2])
    assert kind_agreement(alone) == 1


def test_two_clusters_are_separated_and_halves_of_one_are_not(two):
    X, own = two
    assert (density_separation(X, own) > 1).all()
    assert (tree_separation(X, own) > 0.3).all()
    one = X[own == 0]
    halves = (one[:, 0] > np.median(one[:, 0])).astype(int)
    assert density_separation(one, halves).mean() < 0.3
    assert (tree_separation(one, halves) < 0).all()


def test_gaps_and_counts_are_at_the_number_of_clusters(two):
    X = two[0]
    assert neighbor_eigengap(X, range(2, 8)).argmax() == 0
    assert merge_gap(X, range(2, 8)).argmax() == 0
    assert np.median(density_counts(X)) == 2
    votes = density_votes(np.array([2, 2, 4]), np.array([2, 3, 4]))
    assert_allclose(votes[0], (2 + np.exp(-np.log(2) / 0.12)) / 3)


def test_a_distribution_gets_one_mode_and_keeps_its_ends():
    rng = np.random.RandomState(0)
    column = np.concatenate([rng.normal(-5, 1, 150), rng.normal(5, 1, 150)])
    found = unimodal(column)
    density = np.diff(found.cumulative) / np.diff(found.values)
    top = density.argmax()
    assert (np.diff(density[: top + 1]) >= -1e-12).all()
    assert (np.diff(density[top:]) <= 1e-12).all()
    assert (found.values[0], found.values[-1]) == (column.min(), column.max())
    assert unimodal(np.repeat([0.0, 1.0, 2.0], 50)) is None


def test_references_keep_what_they_should_and_lose_the_clusters(two):
    X, rng = two[0], np.random.RandomState(0)
    drawn = Copula(X, "none").draw(rng)
    assert spearmanr(drawn).statistic > 0.6  # the correlation of the data is 0.9 or so
    axes = Axes(X).draw(rng)
    along = axes.sum(axis=1)
    assert (np.abs(along - 9) < 4).mean() > 0.1  # filled where the data are not
    counts = rng.poisson(1, size=(80, 2)).astype(float)
    kept = Copula(counts, "none")
    assert kept.columns == [None, None]
    ensemble = Ensemble.from_labels([[0, 0], [0, None], [1, 1], [1, 1], [2, 1]])
    permuted = permuted_partitions(ensemble, rng)
    assert_array_equal(np.sort(permuted.cluster_sizes), np.sort(ensemble.cluster_sizes))
    assert_array_equal(permuted.labeled, ensemble.labeled)


def test_the_tube_of_a_ring_is_long_and_thin():
    rng = np.random.RandomState(0)
    angle = rng.uniform(0, 2 * np.pi, 150)
    ring = Landscape.of(np.c_[np.cos(angle), np.sin(angle)], 8)
    disc = Landscape.of(rng.uniform(size=(150, 2)), 8)
    assert Tube(ring, rng).width < 0.5 * Tube(disc, rng).width


def test_a_ring_is_one_cluster_and_two_blobs_are_not(two):
    rng = np.random.RandomState(2)
    angle = rng.uniform(0, 2 * np.pi, 90)
    ring = np.c_[np.cos(angle), np.sin(angle)] + rng.normal(scale=0.05, size=(90, 2))
    assert one_cluster_test(ring, n_references=39, random_state=0).is_one
    assert not one_cluster_test(two[0], n_references=39, random_state=0).is_one
    with pytest.raises(InvalidInputError, match="at least 10 distinct samples"):
        one_cluster_test(np.ones((30, 2)))


def test_rows_are_drawn_by_their_values_in_any_order():
    X = np.random.RandomState(0).normal(size=(50, 3))
    order = np.random.RandomState(1).permutation(50)
    one, other = X[drawn_rows(X, 20)], X[order][drawn_rows(X[order], 20)]
    assert_array_equal(one[np.lexsort(one.T)], other[np.lexsort(other.T)])
    assert set(drawn_rows(X, 20)) != set(drawn_rows(X, 20, 1))
    assert_array_equal(drawn_rows(X, 99), np.arange(50))
