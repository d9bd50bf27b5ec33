"""TEA: tempered evidence accumulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, ecpcsmc, lwea, lwgp, tea
from consensa.consensus._tea import _affinity_table, _join_nearest, _spread_over_groups
from consensa.exceptions import InvalidInputError
from consensa.metrics import adjusted_rand_index
from consensa.similarity import cluster_certainty, locally_weighted_coassociation


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
    labels[:4, 2] = [50, 51, 52, 52]  # two clusters of one sample, and one of two
    ensemble = Ensemble.from_labels(labels)
    evidence = locally_weighted_coassociation(ensemble, theta=0.3)
    ids, certainty = ensemble.cluster_ids, cluster_certainty(ensemble, theta=0.3)
    several = ensemble.cluster_sizes > 1
    own = [np.mean([certainty[c] * several[c] for c in row if c >= 0]) for row in ids]
    expected = evidence / np.outer(own, own) ** normalization
    np.fill_diagonal(expected, 1)
    affinity = tea(ensemble, 3, theta=0.3, normalization=normalization).affinity
    assert_allclose(affinity, expected)


@pytest.mark.parametrize("max_groups", [200, 8000])
def test_clusters_of_one_sample_do_not_make_outliers_of_their_samples(many, max_groups):
    labels, classes = many
    labels = labels.copy()
    labels[:30, ::2] = 8 + np.arange(30)[:, None]
    found = tea(Ensemble.from_labels(labels), 4, max_groups=max_groups).labels
    assert adjusted_rand_index(classes, found) > 0.9


def test_clusters_of_one_sample_and_missing_labels_as_the_guide_says():
    rng = np.random.RandomState(0)
    classes = rng.randint(8, size=2000)
    wrong = rng.uniform(size=(2000, 8)) < 0.4
    labels = np.where(wrong, rng.randint(8, size=wrong.shape), classes[:, None])
    labels[:30, ::2] = 8 + np.arange(30)[:, None]
    found = {
        (method.__name__, missing): adjusted_rand_index(
            classes, method(Ensemble.from_labels(np.where(labels < missing, labels, -1)), 8).labels
        )
        for method in (tea, lwea, lwgp, ecpcsmc)
        for missing in (8, 100)
    }
    alone = [found[name, 100] for name in ("tea", "lwea", "lwgp", "ecpcsmc")]
    assert_allclose(alone, [0.84, 0.84, 0, 0], atol=0.02)
    assert_allclose([found["lwgp", 8], found["ecpcsmc", 8]], 0.94, atol=0.02)


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
    own = certainty[ids].mean(axis=1)
    normalized = weights * own[chosen] ** -0.25
    table = _affinity_table(ids[chosen], labels, normalized, weights, certainty)
    joined = _join_nearest(ids, chosen, labels, table)
    assert_array_equal(joined[chosen], labels)
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


def weighted(labels, weights):
    ensemble = Ensemble.from_labels(labels)
    return replace(ensemble, weights=np.asarray(weights, float))


@pytest.fixture(params=["complete", "with missing labels"])
def some_labels(request, planted):
    labels = planted[0].copy()
    if request.param == "with missing labels":
        labels[np.random.default_rng(4).uniform(size=labels.shape) < 0.2] = -1
    return labels


def test_equal_weights_are_no_weights_bit_for_bit(some_labels):
    plain = tea(Ensemble.from_labels(some_labels), 3)
    for weight in (1.0, 4.0):
        found = tea(weighted(some_labels, np.full(8, weight)), 3)
        assert_array_equal(found.labels, plain.labels)
        assert_array_equal(found.affinity, plain.affinity)
        assert_array_equal(found.tree.merges, plain.tree.merges)


def test_a_weight_is_as_many_copies_of_the_partition(some_labels):
    copies = np.array([1, 3, 2, 1, 1, 4, 1, 2])
    repeated = tea(Ensemble.from_labels(np.repeat(some_labels, copies, axis=1)), 3)
    for unit in (1.0, 1 / copies.mean()):  # only the proportions matter
        found = tea(weighted(some_labels, copies * unit), 3)
        assert_allclose(found.affinity, repeated.affinity, rtol=1e-12)
        assert_array_equal(found.labels, repeated.labels)


def test_weights_go_with_their_partitions(some_labels):
    weights = np.linspace(0.2, 1.8, 8)
    wanted = tea(weighted(some_labels, weights), 3)
    order = np.random.default_rng(5).permutation(8)
    found = tea(weighted(some_labels[:, order], weights[order]), 3)
    assert_array_equal(found.affinity, wanted.affinity)
    selected = tea(weighted(some_labels, weights).select(order), 3)
    assert_array_equal(selected.affinity, wanted.affinity)
    kept = weighted(some_labels, weights).drop([0, 3])
    assert_array_equal(kept.weights, np.delete(weights, [0, 3]))


def test_weights_are_used_with_representatives_too(many):
    labels, classes = many
    noise = np.random.default_rng(6).integers(0, 4, size=(len(labels), 30))
    both = np.concatenate([labels, noise], axis=1)
    weights = np.r_[np.ones(labels.shape[1]), np.full(30, 1e-6)]
    found = tea(weighted(both, weights), 4, max_groups=200)
    assert not found.details["exact"]
    assert adjusted_rand_index(found.labels, classes) > 0.9


def test_weights_are_saved_and_loaded(tmp_path, some_labels):
    path = tmp_path / "ensemble.npz"
    given = weighted(some_labels, np.linspace(0.2, 1.8, 8))
    given.save(path)
    loaded = Ensemble.load(path)
    assert_array_equal(loaded.weights, given.weights)
    assert_array_equal(tea(loaded, 3).affinity, tea(given, 3).affinity)
    Ensemble.from_labels(some_labels).save(path)
    assert Ensemble.load(path).weights is None


@pytest.mark.parametrize("bad", [[1.0, -1.0], [1.0, np.nan], [0.0, 1.0], [1.0], ["a", "b"]])
def test_a_file_with_bad_weights_is_refused(tmp_path, bad):
    path = tmp_path / "ensemble.npz"
    np.savez(path, labels=np.array([[0, 0], [0, 1]]), weights=np.array(bad))
    with pytest.raises(InvalidInputError, match="must be a file written by"):
        Ensemble.load(path)
