"""Probability trajectories of microclusters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference_order import our_groups

from consensa import Ensemble
from consensa.exceptions import InvalidParameterError, NotEnoughMemoryError
from consensa.similarity import coassociation, probability_trajectories, trajectory_similarity
from consensa.similarity._probability_trajectories import _by_rule


def test_five_samples_by_hand():
    # A chain of four microclusters, the second of two samples; one step, one neighbor, ties
    # kept. From the third, 2/3 go to the second and 1/3 to the fourth.
    ensemble = Ensemble.from_labels([[0, 0], [0, 1], [0, 1], [1, 1], [1, 2]])
    similarity = probability_trajectories(ensemble)
    assert_allclose(similarity[0], [1, 0, 2 / np.sqrt(5), 0])
    assert_allclose(similarity[1], [0, 1, 0, 1 / np.sqrt(2)])


def links_by_definition(affinity, n_neighbors):
    """Links of either end's k best, ties included; the empty diagonal is one of the entries."""
    n = len(affinity)
    alone = affinity * (1 - np.eye(n))
    kept = np.zeros((n, n))
    for i in range(n):
        least = sorted(alone[i], reverse=True)[n_neighbors - 1]
        for j in range(n):
            if alone[i, j] >= least:
                kept[i, j] = kept[j, i] = alone[i, j]
    return kept


@pytest.mark.parametrize("n_neighbors", [1, 3, 10_000])
def test_only_the_nearest_links_are_walked(planted, n_neighbors):
    ensemble = Ensemble.from_labels(planted[0])
    groups = ensemble.microclusters()
    affinity = coassociation(Ensemble(groups.rows))
    links = links_by_definition(affinity, min(n_neighbors, len(affinity)))
    assert_allclose(
        probability_trajectories(ensemble, n_neighbors=n_neighbors, walk_length=4),
        trajectory_similarity(links, walk_length=4, sizes=groups.sizes),
        atol=1e-12,
    )


@pytest.mark.parametrize(
    ("n_groups", "program", "paper"),
    [(1, 1, 1), (3, 1, 1), (36, 3, 3), (906, 15, 15), (1763, 20, 20), (1764, 20, 21)],
)
def test_the_program_limits_neighbors_and_steps_to_20_and_the_paper_does_not(
    n_groups, program, paper
):
    assert _by_rule("auto", n_groups) == program
    assert _by_rule("paper", n_groups) == paper
    assert _by_rule(np.int32(7), n_groups) == 7


def test_microclusters_that_share_no_cluster_are_like_themselves_only():
    ensemble = Ensemble.from_labels(np.stack([[0, 0, 1, 2, 2]] * 3, axis=1))
    assert_array_equal(probability_trajectories(ensemble), np.eye(3))


def test_too_many_microclusters_are_refused_before_anything_is_made(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 1000)
    ensemble = Ensemble.from_labels(np.arange(20)[:, None])
    with pytest.raises(NotEnoughMemoryError, match="Trajectories of the microclusters"):
        probability_trajectories(ensemble)


@pytest.mark.parametrize("name", ["n_neighbors", "walk_length"])
def test_bad_walks_are_refused(name):
    ensemble = Ensemble.from_labels([[0], [1]])
    with pytest.raises(InvalidParameterError, match=f"'{name}' .*'auto' or 'paper'"):
        probability_trajectories(ensemble, **{name: "authors"})


def test_agrees_with_the_authors_program(reference_small):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    ours = our_groups(ensemble, reference_small["micro_of_object"])
    similarity = probability_trajectories(ensemble)[np.ix_(ours, ours)]
    assert_allclose(similarity, reference_small["pta_PTS"], atol=1e-9)
    given = probability_trajectories(
        ensemble,
        n_neighbors=int(reference_small["pta_K"]),
        walk_length=int(reference_small["pta_T"]),
    )
    assert_array_equal(given[np.ix_(ours, ours)], similarity)
