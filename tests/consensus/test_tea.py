"""TEA: tempered evidence accumulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, lwea, tea
from consensa.consensus._tea import _affinity_table, _join_nearest, _spread_over_groups
from consensa.metrics import adjusted_rand_index
from consensa.similarity import locally_weighted_coassociation


@pytest.fixture(scope="module")
def many():
    """1200 samples in 4 classes, 9 noisy partitions, and the classes."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 4, 1200)
    fine = 2 * classes[:, None] + rng.integers(0, 2, (1200, 9))
    noise = rng.uniform(size=fine.shape) < 0.2
    return np.where(noise, rng.integers(0, 8, fine.shape), fine), classes


def test_five_samples_by_hand():
    result = tea(Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [0, 1], [1, 2]]), 3)
    assert_array_equal(result.labels, [0, 0, 1, 1, 2])
    halved = np.exp(-1 / 0.5)  # certainty of {0, 1, 2, 3}: one bit, θ m = 0.5
    own = (1 + halved) / 2  # of each of the four with itself
    between = (halved / 2) / np.sqrt(own)
    assert_allclose(result.affinity[0], [1, own / np.sqrt(own), between, between, 0])
    # Three groups of equal rows, of 2, 2 and 1 samples.
    assert_allclose(result.linkage_matrix[:, 2], [1 - between * 0.5**0.1, 1])


def test_with_its_steps_off_it_is_lwea(planted):
    ensemble = Ensemble.from_labels(planted[0])
    off = {"theta": 0.4, "normalization": 0, "size_exponent": 0}
    plain = lwea(ensemble, 3)
    result = tea(ensemble, 3, **off)
    assert_array_equal(result.labels, plain.labels)
    assert_allclose(result.affinity, plain.affinity)
    for k in range(1, 6):
        assert adjusted_rand_index(result.cut(k), plain.cut(k)) == 1


def test_with_its_steps_off_it_is_lwea_on_a_published_pool(reference_binalpha):
    arrays = reference_binalpha[0]
    off = {"theta": 0.4, "normalization": 0, "size_exponent": 0}
    labels = tea(Ensemble.from_labels(arrays["labels"]), int(arrays["K"]), **off).labels
    assert adjusted_rand_index(arrays["LWEA"], labels) == 1


@pytest.mark.parametrize("normalization", [0, 0.25, 0.5])
def test_affinity_by_its_definition(planted, normalization):
    labels = planted[0].copy()
    labels[::7, 1] = -1
    ensemble = Ensemble.from_labels(labels)
    evidence = locally_weighted_coassociation(ensemble, theta=0.3)
    twice = locally_weighted_coassociation(Ensemble.from_labels(np.r_[labels, labels]), theta=0.3)
    own = np.array([twice[i, i + len(labels)] for i in range(len(labels))])
    expected = evidence / np.outer(own, own) ** normalization
    np.fill_diagonal(expected, 1)
    affinity = tea(ensemble, 3, theta=0.3, normalization=normalization).affinity
    assert_allclose(affinity, expected)


def test_repeating_the_ensemble_or_the_samples_changes_nothing(many):
    labels, _ = many
    once = tea(Ensemble.from_labels(labels), 4).labels
    assert_array_equal(tea(Ensemble.from_labels(np.c_[labels, labels, labels]), 4).labels, once)
    twice = tea(Ensemble.from_labels(np.r_[labels, labels]), 4, size_exponent=0).labels
    plain = tea(Ensemble.from_labels(labels), 4, size_exponent=0).labels
    assert_array_equal(twice, np.r_[plain, plain])


@pytest.mark.parametrize("max_groups", [60, 8000])
def test_permuting_rows_permutes_labels_and_renaming_changes_nothing(many, max_groups):
    labels, _ = many
    rng = np.random.default_rng(1)
    order = rng.permutation(len(labels))
    renamed = np.stack([rng.permutation(8)[column] for column in labels.T], axis=1)
    given = tea(Ensemble.from_labels(labels), 4, max_groups=max_groups).labels
    shuffled = tea(Ensemble.from_labels(renamed[order]), 4, max_groups=max_groups).labels
    assert adjusted_rand_index(given[order], shuffled) == 1


def test_representatives_find_what_all_find(many):
    labels, classes = many
    ensemble = Ensemble.from_labels(labels)
    result = tea(ensemble, 4, max_groups=200)
    assert result.affinity is None
    assert result.tree is None
    assert not result.details["exact"]
    assert len(ensemble.microclusters().sizes) > 800
    assert adjusted_rand_index(result.labels, classes) > 0.9
    whole = tea(ensemble, 4)
    assert whole.details["exact"]
    assert adjusted_rand_index(whole.labels, classes) > 0.9


def test_representatives_bear_missing_labels(many):
    labels, classes = many
    hidden = np.random.default_rng(2).uniform(size=labels.shape) < 0.2
    answer = tea(Ensemble.from_labels(np.where(hidden, -1, labels)), 4, max_groups=200).labels
    assert adjusted_rand_index(answer, classes) > 0.8


def test_others_join_the_cluster_of_the_largest_mean_affinity_and_representatives_stay():
    rng = np.random.default_rng(3)
    ids = rng.integers(0, 5, (80, 4)) + 5 * np.arange(4)
    certainty, weights = rng.uniform(0.1, 1, 20), rng.integers(1, 30, 20).astype(float)
    chosen, labels = np.arange(0, 80, 4), np.repeat([0, 1, 2], [12, 6, 2])
    table = _affinity_table(ids[chosen], labels, weights, certainty, 0.25)
    joined = _join_nearest(ids, chosen, labels, table)
    assert_array_equal(joined[chosen], labels)
    own = certainty[ids].mean(axis=1)
    for i in set(range(80)) - set(chosen.tolist()):
        evidence = ((ids[i] == ids[chosen]) * certainty[ids[i]]).mean(axis=1)
        affinity = weights * evidence / own[chosen] ** 0.25
        means = np.bincount(labels, affinity) / np.bincount(labels, weights)
        assert joined[i] == means.argmax()


def test_equal_rows_stay_together_whatever_the_representatives(many):
    twice = np.concatenate([many[0], many[0]])
    found = tea(Ensemble.from_labels(twice), 4, max_groups=100).labels
    assert_array_equal(found[:1200], found[1200:])


def test_representatives_are_all_groups_or_about_as_many_as_allowed():
    assert_array_equal(_spread_over_groups(np.ones(50, int), 50), np.arange(50))
    sizes = np.ones(1000, int)
    sizes[700] = 5000
    chosen = _spread_over_groups(sizes, 100)
    assert 50 <= len(chosen) <= 100
    assert 700 in chosen
    assert (np.diff(chosen) > 0).all()
    assert np.diff(chosen).max() <= 20  # nobody is far from one


def test_more_clusters_than_representatives_are_allowed_for(many):
    ensemble = Ensemble.from_labels(many[0])
    assert len(set(tea(ensemble, 30, max_groups=2).labels.tolist())) == 30
