"""Several methods on one ensemble: by hand, by definition, and who could not run."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import consensa
from consensa import EAC, LTA, Ensemble, compare_methods
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.metrics import adjusted_rand_index, clustering_scores
from consensa.selection import sample_disagreement


def test_each_answer_is_that_of_the_method_alone(planted):
    labels, truth = planted
    found = compare_methods(labels, 3, methods=["eac", "HBGF", EAC(linkage="single")],
                            truth=truth, random_state=0)  # fmt: skip
    assert found.names == ("EAC", "HBGF", "EAC 2")
    ensemble = Ensemble.from_labels(labels)
    assert_array_equal(found.labels[:, 0], consensa.eac(ensemble, 3).labels)
    assert_array_equal(found.labels[:, 1], consensa.hbgf(ensemble, 3, random_state=0).labels)
    assert_array_equal(found.labels[:, 2], consensa.eac(ensemble, 3, linkage="single").labels)
    assert found.scores[1] == clustering_scores(truth, found.labels[:, 1])
    assert found.seconds.shape == (3,)
    assert (found.seconds > 0).all()


def test_agreement_is_the_adjusted_rand_index_of_each_pair(planted):
    found = compare_methods(planted[0], 3, methods=["EAC", "SEC", "HBGF"], random_state=0)
    for a, b in combinations(range(3), 2):
        expected = adjusted_rand_index(found.labels[:, a], found.labels[:, b])
        assert found.agreement[a, b] == found.agreement[b, a] == expected
    assert_array_equal(np.diag(found.agreement), np.ones(3))
    assert found.scores is None
    assert found.most_typical in found.names


def test_disagreement_by_hand():
    # Sample 2 is with 3 in the one partition, with 0 and 1 in the other: it shares only itself
    # with four samples.
    found = sample_disagreement([[0, 0], [0, 0], [1, 0], [1, 1]])
    assert_allclose(found, [1 / 3, 1 / 3, 1 - 1 / 4, 1 / 2])


def test_disagreement_is_its_definition_and_names_do_not_matter():
    rng = np.random.RandomState(0)
    partitions = rng.randint(4, size=(25, 3))
    expected = np.zeros(25)
    for i in range(25):
        for a, b in combinations(range(3), 2):
            one = set(np.flatnonzero(partitions[:, a] == partitions[i, a]))
            other = set(np.flatnonzero(partitions[:, b] == partitions[i, b]))
            expected[i] += (1 - len(one & other) / len(one | other)) / 3
    assert_allclose(sample_disagreement(partitions), expected)
    renamed = np.stack([rng.permutation(4)[column] for column in partitions.T], axis=1)
    assert_allclose(sample_disagreement(renamed), expected)


def test_equal_answers_and_a_single_one_disagree_on_nothing():
    assert_array_equal(sample_disagreement([[0, 1], [0, 1], [1, 0]]), np.zeros(3))
    assert_array_equal(sample_disagreement([[0], [1]]), np.zeros(2))


def test_with_or_without_a_table_of_all_pairs_of_clusters():
    few = np.random.RandomState(0).randint(30, size=(40, 2))  # too few samples for such a table
    many = np.tile(few, (10, 1))
    assert_allclose(sample_disagreement(many)[:40], sample_disagreement(few))


def test_by_default_the_order_free_methods_that_take_gaps(planted):
    labels = planted[0].copy()
    labels[0, 0] = -1
    found = compare_methods(labels, 3, random_state=0)
    assert {"EAC", "LWEA", "HBGF", "SEC"} <= set(found.names)
    assert not {"LTA", "PTA"} & set(found.names)
    assert found.failures == {}


def test_a_method_that_cannot_run_says_why_and_the_others_answer(planted):
    labels = planted[0].copy()
    labels[0, 0] = -1
    found = compare_methods(labels, 3, methods=["PTA", "EAC"])
    assert found.names == ("EAC",)
    assert "does not take missing labels" in found.failures["PTA"]
    with pytest.raises(InvalidInputError, match=r"No method could run.*PTA: .*missing labels"):
        compare_methods(labels, 3, methods="PTA")


def test_warnings_of_the_methods_are_kept_and_not_given(planted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare_methods(planted[0], 3, methods=[LTA(max_iter=3), "EAC"])
    assert any("order" in text for text in found.notes["LTA"])
    assert "EAC" not in found.notes


def test_the_same_seed_gives_the_same_answers(planted):
    one = compare_methods(planted[0], 3, methods=["SEC", "HBGF"], random_state=4)
    two = compare_methods(planted[0], 3, methods=["SEC", "HBGF"], random_state=4)
    assert_array_equal(one.labels, two.labels)
    source = np.random.RandomState(9)
    compare_methods(planted[0], 3, methods=["SEC"], random_state=source)
    assert source.randint(2**31 - 1) != np.random.RandomState(9).randint(2**31 - 1)


def test_estimators_given_are_left_as_they_were(planted):
    mine = EAC(7)
    compare_methods(planted[0], 3, methods=[mine])
    assert mine.n_clusters == 7
    assert not hasattr(mine, "labels_")


def test_bad_arguments_are_refused(planted):
    labels = planted[0]
    with pytest.raises(InvalidParameterError, match="Did you mean 'LWEA'"):
        compare_methods(labels, 3, methods=["lwae"])
    with pytest.raises(InvalidParameterError, match="must list at least one"):
        compare_methods(labels, 3, methods=[])
    with pytest.raises(InvalidParameterError, match="'n_clusters' parameter of compare_methods"):
        compare_methods(labels, 0)
    with pytest.raises(InvalidInputError, match=r"each of the 60 samples\. Got 2"):
        compare_methods(labels, 3, methods=["EAC"], truth=[0, 1])
    with pytest.raises(InvalidInputError, match=r"must be complete\. 1 of 4 labels"):
        sample_disagreement([[0, None], [1, 1]])
