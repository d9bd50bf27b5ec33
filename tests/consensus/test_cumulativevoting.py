"""CumulativeVoting: what is particular to it."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, cumulativevoting
from consensa.consensus import _cumulativevoting as module
from consensa.exceptions import EmptyClustersWarning, NotEnoughMemoryError
from consensa.metrics import adjusted_rand_index

FINE, COARSE = [0, 0, 1, 2, 2], [0, 0, 0, 1, 1]


def entropy(p):
    return -sum(x * np.log2(x) for x in p if x > 0)


def divergence(p, q, first, second):
    """The formula of the docstring: weights p and q, distributions first and second."""
    mixed = (p * first + q * second) / (p + q)
    return entropy(mixed) - (p * entropy(first) + q * entropy(second)) / (p + q)


def by_definition(labels, order):
    """Votes for the clusters of the first partition, by least squares on the indicators."""
    codes = Ensemble.from_labels(labels).codes
    indicators = [np.eye(column.max() + 1)[column] for column in codes.T]
    votes = indicators[order[0]]
    for count, partition in enumerate(order[1:], start=1):
        shares = np.linalg.lstsq(indicators[partition], votes, rcond=None)[0]
        votes = (count * votes + indicators[partition] @ shares) / (count + 1)
    return votes


def poll_of(labels, order):
    ensemble = Ensemble.from_labels(labels)
    everyone = module.draw_rows(ensemble, len(labels), 0)
    size = int(ensemble.cluster_counts[order[0]])
    poll = module._count(ensemble, everyone, np.array(order), size)
    votes = np.empty_like(poll.votes)
    votes[everyone.numbers] = poll.votes
    return poll._replace(votes=votes)


def noisy(seed, n_samples=60, sizes=(6, 3, 4, 3)):
    rng = np.random.RandomState(seed)
    truth = np.arange(n_samples) % 3
    columns = [
        np.where(rng.uniform(size=n_samples) < 0.7, truth, rng.randint(k, size=n_samples))
        for k in sizes
    ]
    return np.stack(columns, axis=1), truth


def test_five_samples_by_hand():
    labels = np.stack([FINE, COARSE, COARSE], axis=1)
    votes = np.array([[7, 2, 0], [7, 2, 0], [4, 5, 0], [0, 0, 9], [0, 0, 9]]) / 9
    assert_allclose(poll_of(labels, [0, 1, 2]).votes, votes)
    result = cumulativevoting(Ensemble.from_labels(labels), 2)
    assert_array_equal(result.labels, [0, 0, 0, 1, 1])
    assert_allclose(result.details["votes"], np.eye(2)[[0, 0, 0, 1, 1]])
    assert result.details["reference"] == 0


@pytest.mark.parametrize("seed", range(3))
def test_votes_are_least_squares_on_the_votes_before(seed):
    labels, _ = noisy(seed)
    order = np.random.RandomState(seed).permutation(4).tolist()
    poll = poll_of(labels, order)
    assert_allclose(poll.votes, by_definition(labels, order), atol=1e-12)
    assert_allclose(poll.votes.sum(axis=1), 1)
    sizes = np.bincount(labels[:, order[0]])
    assert_allclose(np.sort(poll.votes.sum(axis=0)), np.sort(sizes))


def test_rows_that_are_drawn_vote_as_often_as_they_occur():
    rows = np.random.RandomState(0).randint([4, 3, 3], size=(20, 3))
    labels = np.repeat(rows, np.random.RandomState(1).randint(1, 9, 20), axis=0)
    ensemble = Ensemble.from_labels(labels)
    everyone, drawn = (module.draw_rows(ensemble, len(labels) - few, 0) for few in (0, 1))
    assert len(drawn.ids) == len(np.unique(labels, axis=0))
    tables = [module._count(ensemble, some, np.arange(3), 4).table for some in (everyone, drawn)]
    assert_allclose(tables[1], tables[0], atol=1e-12)


def test_divergences_follow_the_formula():
    votes = np.random.RandomState(0).dirichlet(np.full(4, 0.3), size=30)
    votes[:5, 0] = 0
    sums = votes.sum(axis=0)
    found = module._divergences(votes, np.ones(30, np.int64))
    for q in range(4):
        for s in range(4):
            slow = divergence(sums[q], sums[s], votes[:, q] / sums[q], votes[:, s] / sums[s])
            assert found[q, s] == pytest.approx(slow, abs=1e-12)


def test_a_row_of_weight_two_is_the_row_twice():
    votes = np.random.RandomState(0).dirichlet(np.ones(3), size=6)
    twice = module._divergences(np.vstack([votes, votes[:2]]), np.ones(8, np.int64))
    assert_allclose(module._divergences(votes, np.array([2, 2, 1, 1, 1, 1])), twice, atol=1e-12)


def test_the_reference_has_the_largest_entropy_and_enough_clusters():
    even, uneven = np.tile([0, 1], 6), np.repeat([0, 1, 2], [10, 1, 1])
    ensemble = Ensemble.from_labels(np.stack([uneven, even], axis=1))
    assert cumulativevoting(ensemble, 2).details["reference"] == 1
    assert cumulativevoting(ensemble, 3).details["reference"] == 0
    assert module._reference(np.array([2, 3]), np.array([0.3, 0.9]), 4) == 1  # none has enough


@pytest.mark.filterwarnings("ignore::consensa.exceptions.EmptyClustersWarning")
def test_partitions_vote_in_the_order_of_their_entropies():
    labels, _ = noisy(1, sizes=(3, 6, 2, 4, 5))
    entropies = [entropy(np.bincount(column) / 60) for column in labels.T]
    votes = by_definition(labels, np.argsort(entropies)[::-1])
    found = cumulativevoting(Ensemble.from_labels(labels), votes.shape[1]).details["votes"]
    assert_allclose(np.sort(found, axis=1), np.sort(votes, axis=1), atol=1e-12)


def test_partitions_of_equal_sizes_have_equal_entropies_to_the_last_bit():
    sizes, rng = np.array([1, 2, 3, 5, 7, 11, 13, 17]), np.random.RandomState(0)
    columns = [np.repeat(np.arange(8), rng.permutation(sizes)) for _ in range(20)]
    found = module._entropies(Ensemble.from_labels(np.stack(columns, axis=1)))
    assert_array_equal(found, found[0])
    assert found[0] == pytest.approx(entropy(sizes / 59) * np.log(2))


@pytest.mark.filterwarnings("ignore::consensa.exceptions.EmptyClustersWarning")
def test_tables_are_counted_before_they_are_made_and_hold_what_they_need(monkeypatch):
    labels = np.random.RandomState(0).randint([300, 20, 20], size=(2000, 3))
    ensemble = Ensemble.from_labels(labels)
    cumulativevoting(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2)  # imports
    size = int(ensemble.cluster_counts[0])
    declared = 8 * size * (6 * 2000 + 2 * ensemble.n_clusters + 4 * size)
    tracemalloc.start()
    cumulativevoting(ensemble, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert declared / 3 < peak < declared
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: declared - 1)
    with pytest.raises(NotEnoughMemoryError, match=f"on 2000 samples for the {size} clusters"):
        cumulativevoting(ensemble, 10)
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: declared)
    cumulativevoting(ensemble, 10)


def test_the_planted_clusters_are_found_without_matching_numbers_of_clusters():
    labels, truth = noisy(0, 90, (9, 3, 7, 5, 4, 3, 8))
    result = cumulativevoting(Ensemble.from_labels(labels), 3)
    assert adjusted_rand_index(truth, result.labels) > 0.8
    assert_allclose(result.details["votes"].sum(axis=1), 1)
    assert_array_equal(result.details["votes"].argmax(axis=1), result.labels)


def test_a_missing_label_is_no_vote(planted):
    labels, truth = planted
    gaps = np.where(np.random.RandomState(3).uniform(size=labels.shape) < 0.3, -1, labels)
    gaps[(gaps < 0).all(axis=1)] = labels[(gaps < 0).all(axis=1)]
    result = cumulativevoting(Ensemble.from_labels(gaps), 3)
    assert adjusted_rand_index(truth, result.labels) > 0.7
    assert_allclose(result.details["votes"].sum(axis=1), 1)


def test_clusters_whose_samples_have_no_votes_divide_theirs_like_the_reference():
    labels = np.array([[0, 0], [0, 0], [1, 0], [-1, 1]])
    assert_allclose(poll_of(labels, [0, 1]).votes[3], [2 / 3, 1 / 3])


def test_too_few_clusters_everywhere_are_filled_with_a_warning():
    labels = np.stack([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1]], axis=1)
    result = cumulativevoting(Ensemble.from_labels(labels), 4)  # the distinct rows: no warning
    assert_array_equal(result.labels, [0, 0, 1, 2, 3, 3])
    assert result.details["votes"].shape == (6, 4)
    uneven = labels[[0, 0, *range(6)]]  # no two rows can be exchanged
    with pytest.warns(EmptyClustersWarning, match="instead of 3"):
        result = cumulativevoting(Ensemble.from_labels(uneven), 3)
    assert_array_equal(np.unique(result.labels), np.arange(3))


def test_clusters_without_drawn_rows_are_not_compared_but_divide_their_votes():
    votes = np.array([[0.9, 0, 0.1, 0, 0], [0.8, 0, 0.2, 0, 0], [0, 0, 0.1, 0, 0.9]])
    poll = module._Poll(np.eye(5), votes, np.array([1, 2, 3]))
    shares = module._shares_of_groups(poll, 2)
    known = module._shares_of_groups(module._Poll(np.eye(3), votes[:, [0, 2, 4]], poll.weights), 2)
    assert_array_equal(shares[[0, 2, 4]], known)
    assert_allclose(shares[[1, 3]], np.tile(poll.weights @ votes @ shares / 6, (2, 1)))
    assert_allclose(shares.sum(axis=1), 1)


def test_a_reference_with_many_tiny_clusters_of_which_few_are_drawn():
    rng = np.random.RandomState(0)
    truth = rng.randint(4, size=40_000)
    wrong = rng.uniform(size=(40_000, 12)) < 0.3
    labels = np.where(wrong, rng.randint(4, size=(40_000, 12)), truth[:, None])
    labels[:, 0] += 4 * rng.randint(2, size=40_000)
    labels[:60, 0] = np.arange(60) + 8  # a single sample each
    result = cumulativevoting(Ensemble.from_labels(labels), 4)
    assert result.details["reference"] == 0
    assert adjusted_rand_index(truth, result.labels) > 0.8
    assert_allclose(result.details["votes"].sum(axis=1), 1)
