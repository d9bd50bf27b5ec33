"""Voting after alignment."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, voting
from consensa.consensus import _voting
from consensa.exceptions import ConvergenceWarning, EmptyClustersWarning
from consensa.metrics import adjusted_rand_index

SIZES = (8, 5, 4, 3, 4, 6, 8)
PARTITIONS = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]


def disagreement(poll, candidate):
    """The sum of squares of the docstring, sample by sample and vote by vote."""
    total = 0.0
    for clusters in poll.membership.toarray() > 0:
        votes = np.eye(poll.n_clusters)[candidate[clusters]]
        total += ((votes - votes.mean(axis=0)) ** 2).sum()
    return total


def test_five_samples_by_hand():
    result = voting(Ensemble.from_labels(PARTITIONS), 2)
    assert_array_equal(result.labels, [0, 0, 0, 1, 1])
    third = 1 / 3
    assert_allclose(result.details["votes"], [[1, 0], [1, 0], [1 - third, third], [0, 1], [0, 1]])


def test_the_majority_wins_after_relabeling():
    truth = np.repeat([0, 1, 2], 4)
    renamed = [(truth + shift) % 3 for shift in range(5)]
    renamed[0] = renamed[0].copy()
    renamed[0][0] = renamed[0][4]  # one partition is wrong about one sample
    result = voting(Ensemble.from_labels(np.stack(renamed, axis=1)), 3)
    assert_array_equal(result.labels, truth)
    assert_allclose(result.details["votes"][0], [0.8, 0.2, 0])


def test_partitions_may_have_more_or_fewer_clusters_than_asked_for():
    truth = np.repeat([0, 1, 2], 6)
    finer = [truth * 2 + np.tile([0, 1], 9), truth * 3 + np.tile([0, 1, 2], 6)]
    coarser = [np.minimum(truth, 1), np.maximum(truth, 1)]
    labels = np.stack([truth, *finer, *coarser], axis=1)
    assert_array_equal(voting(Ensemble.from_labels(labels), 3).labels, truth)
    assert_array_equal(voting(Ensemble.from_labels(np.stack(finer, axis=1)), 3).labels, truth)


@pytest.mark.parametrize("missing", [False, True])
def test_each_round_lowers_the_disagreement(missing):
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(8), 8)
    columns = [np.where(rng.random(64) < 0.6, truth % k, rng.integers(0, k, 64)) for k in SIZES]
    labels = np.stack(columns, axis=1)
    if missing:
        labels[rng.random(labels.shape) < 0.15] = -1
        labels[(labels < 0).all(axis=1), 0] = 0
    ensemble = Ensemble.from_labels(labels)
    poll = _voting._Poll.of(ensemble, 4)
    falls = []
    for reference in range(len(SIZES)):
        rounds = [_voting._elect(poll, reference, most) for most in range(1, 8)]
        sums = [disagreement(poll, election.candidate) for election in rounds]
        assert (np.diff(sums) <= 1e-9).all()
        assert _voting._elect(poll, reference, 100).converged
        falls.append(sums[0] - sums[-1])
    assert max(falls) > 1


def test_no_realignment_of_one_partition_agrees_better_at_the_end(planted):
    ensemble = Ensemble.from_labels(planted[0])
    poll = _voting._Poll.of(ensemble, 3)
    candidate = _voting._elect(poll, 2, 100).candidate
    best = disagreement(poll, candidate)
    for own in poll.partitions:
        for swap in ([1, 0, 2], [0, 2, 1], [2, 1, 0]):
            other = candidate.copy()
            other[own] = np.array(swap)[other[own]]
            assert disagreement(poll, other) >= best - 1e-9


def test_a_reference_with_too_many_clusters_is_merged_by_what_the_others_join():
    truth = np.repeat([0, 1], 6)
    finer = truth * 3 + np.tile([0, 1, 2], 4)
    ensemble = Ensemble.from_labels(np.stack([finer, truth, truth], axis=1))
    poll = _voting._Poll.of(ensemble, 2)
    assert_array_equal(_voting._reference_clusters(poll, poll.partitions[0]), [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("step", [1, -1])
def test_equal_votes_go_where_the_clusters_of_the_sample_do(step):
    # The sample in the middle has two votes each; its clusters lie mostly with one side.
    left = [0, 0, 0, 0, 0, 1, 1, 1, 1]
    right = [0, 0, 0, 0, 1, 1, 1, 1, 1]
    half = [0, 0, 0, 0, 1, 1, 0, 1, 1]
    labels = np.stack([left, left, right, half], axis=1)[::step]
    result = voting(Ensemble.from_labels(labels), 2)
    assert_allclose(result.details["votes"][4], [0.5, 0.5])
    assert result.labels[4] == result.labels[::step][0]


def test_what_the_rounds_raise_is_what_the_disagreement_lacks(planted):
    labels = planted[0].copy()
    labels[np.random.default_rng(0).random(labels.shape) < 0.3] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    ensemble = Ensemble.from_labels(labels)
    poll = _voting._Poll.of(ensemble, 3)
    candidate = _voting._elect(poll, 0, 100).candidate
    ballots = poll.ballots(candidate).toarray()
    agreed = np.trace(ballots.T @ poll.overlap @ ballots)
    n_votes = (labels >= 0).sum()
    assert_allclose(agreed, n_votes - disagreement(poll, candidate))


def test_votes_are_shares_of_the_labels_that_are_there(planted):
    labels = planted[0].copy()
    labels[np.random.default_rng(0).random(labels.shape) < 0.3] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    result = voting(Ensemble.from_labels(labels), 3)
    votes = result.details["votes"]
    assert votes.shape == (60, 3)
    assert_allclose(votes.sum(axis=1), 1)
    assert_array_equal(votes.max(axis=1), votes[np.arange(60), result.labels])


def test_a_cluster_that_wins_no_sample_is_filled_with_a_warning():
    labels = np.stack([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1]], axis=1)
    result = voting(Ensemble.from_labels(labels), 4)  # each distinct row: the only answer
    assert_array_equal(result.labels, [0, 0, 1, 2, 3, 3])
    assert result.details["votes"].shape == (6, 4)
    uneven = labels[[0, 0, *range(6)]]  # no two rows can be exchanged
    with pytest.warns(EmptyClustersWarning, match="instead of 3"):
        result = voting(Ensemble.from_labels(uneven), 3)
    assert_array_equal(np.unique(result.labels), np.arange(3))


def test_the_reference_that_gives_all_clusters_and_agrees_most_is_kept(planted):
    noise = np.random.default_rng(0).integers(0, 3, (60, 3))
    ensemble = Ensemble.from_labels(np.concatenate([noise, planted[0]], axis=1))
    result = voting(ensemble, 3)
    poll = _voting._Poll.of(ensemble, 3)
    merits = [
        _voting._merit(ensemble, _voting._elect(poll, reference, 100).winners)
        for reference in range(ensemble.n_partitions)
    ]
    assert merits[result.details["reference"]] == max(merits)
    assert adjusted_rand_index(planted[1], result.labels) > 0.8


def test_references_are_drawn_only_if_there_are_too_many(planted):
    rng = np.random.RandomState(0)
    assert list(_voting._references(5, 20, rng)) == [0, 1, 2, 3, 4]
    drawn = list(_voting._references(50, 20, rng))
    assert len(set(drawn)) == 20
    assert drawn == sorted(drawn)
    ensemble = Ensemble.from_labels(planted[0])
    few = [voting(ensemble, 3, n_references=2, random_state=1).details["reference"] for _ in "ab"]
    assert few[0] == few[1]


def test_running_out_of_rounds_is_told(planted):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        result = voting(Ensemble.from_labels(planted[0]), 3, max_iter=1)
    assert not result.details["converged"]
